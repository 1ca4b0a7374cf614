// SPDX-License-Identifier: Apache-2.0
// Which graphs there are to choose from: how wide switches are, which shapes are left out, and what
// each kind of production weighs. docs/graphs.md has the grammar itself; productions.h derives with
// it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace refract::cfg {

/// Kinds of productions that can be weighed. A tree's weight is the product over its productions,
/// so a kind of weight 2 is as likely again in place of each other choice, and one of 0 is left
/// out.
enum class Trait : uint8_t {
  kSelection,          ///< OpSelectionMerge before OpBranchConditional
  kLoop,               ///< OpLoopMerge
  kSwitch,             ///< OpSwitch
  kEnd,                ///< a chain that ends the function
  kExit,               ///< a chain that ends with a branch to a block outside
  kConditionalExit,    ///< a conditional branch without merge instruction that may go on
  kTwoExits,           ///< one that leaves either way
  kNoArm,              ///< a selection both labels of which leave
  kOneArm,             ///< a selection with one arm
  kTwoArms,            ///< a selection with two arms that do not meet before its merge block
  kJoin,               ///< arms that meet in a block other than the merge block
  kIntoArm,            ///< an arm that goes on into the other one
  kSingleBlockLoop,    ///< header, continue target and back edge in one block
  kNoBody,             ///< a loop of header and continue construct
  kConditionalHeader,  ///< a loop header with a conditional branch
  kConditionalBack,    ///< a back edge that is conditional
  kFall,               ///< each fall-through of a switch
  kSharedLabel,        ///< each label of a switch that it has had before
  kListedMerge,        ///< each label of a switch, not the default, that is its merge block
  kCount,
};
/// "selection", "loop", ..., as --weights has them.
std::string_view NameOf(Trait trait);

constexpr uint64_t kMostWeight = 1000;
class Weights {
 public:
  Weights() { weights_.fill(1); }
  uint64_t operator[](Trait trait) const { return weights_[static_cast<size_t>(trait)]; }
  void Set(Trait trait, uint64_t weight) { weights_[static_cast<size_t>(trait)] = weight; }
  friend bool operator==(const Weights&, const Weights&) = default;

 private:
  std::array<uint64_t, static_cast<size_t>(Trait::kCount)> weights_;
};
/// Reads "loop=2", each of `texts` one; a weight is at most kMostWeight.
Result<Weights> ReadWeights(std::span<const std::string> texts);

constexpr uint32_t kMostWidth = 7;  ///< labels of a switch: there are 10,421 shapes of up to 7
constexpr uint32_t kUnlimitedDepth = 1023;  ///< SPIR-V 2.17
constexpr uint32_t kMostDepth = 32;         ///< any other limit

struct Grammar {
  uint32_t width = 3;  ///< labels of a switch, with the default; 1 to kMostWidth
  /// Constructs around a block: up to kMostDepth, or kUnlimitedDepth.
  uint32_t depth = kUnlimitedDepth;
  bool equal_labels = false;  ///< OpBranchConditional with equal labels: versions before 1.6
  // What makes graphs various: those that are left out are larger ones with a bit less in them.
  bool distinct_labels = false;  ///< no label stands twice in a switch
  bool long_continue = false;    ///< continue constructs have two blocks at least
  bool one_outermost = false;    ///< one construct that is in no other, at most
  Weights weights;
};

}  // namespace refract::cfg
