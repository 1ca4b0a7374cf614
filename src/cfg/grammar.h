// SPDX-License-Identifier: Apache-2.0
// The parameters of the grammar: the width of switches, the forms that are left out, and the weight
// of each kind of production. docs/graphs.md describes the grammar, and productions.h implements
// it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace refract::cfg {

/// Kinds of productions with a weight. The weight of a tree is the product over its productions. A
/// kind of weight 2 is therefore twice as likely as each alternative, and a kind of weight 0 is
/// left out.
enum class ProductionKind : uint8_t {
  kSelection,  ///< OpSelectionMerge before OpBranchConditional
  kLoop,       ///< OpLoopMerge
  kSwitch,     ///< OpSwitch
  kEnd,        ///< a chain that ends the function
  kExit,       ///< a chain that ends with a branch out of the construct
  /// A conditional branch without a merge instruction that may continue the chain.
  kConditionalExit,
  kTwoExits,           ///< a conditional branch with two exits
  kNoArm,              ///< a selection whose two labels are exits
  kOneArm,             ///< a selection with one arm
  kTwoArms,            ///< a selection whose two arms do not join before its merge block
  kJoin,               ///< two arms that join in a block other than the merge block
  kIntoArm,            ///< an arm that continues into the other one
  kSingleBlockLoop,    ///< header, continue target and back edge in one block
  kNoBody,             ///< a loop of header and continue construct only
  kConditionalHeader,  ///< a loop header with a conditional branch
  kConditionalBack,    ///< a conditional back edge
  kFall,               ///< each fall-through of a switch
  kSharedLabel,        ///< each label of a switch whose target an earlier label has
  kListedMerge,  ///< each label of a switch, except the default, whose target is the merge block
  kCount,
};
/// Returns the name of a trait as in --weights: "selection", "loop" and so on.
std::string_view NameOf(ProductionKind trait);

constexpr uint64_t kMostWeight = 1000;
/// The weight of each trait; 1 by default.
class Weights {
 public:
  Weights() { weights_.fill(1); }
  uint64_t operator[](ProductionKind trait) const { return weights_[static_cast<size_t>(trait)]; }
  void Set(ProductionKind trait, uint64_t weight) { weights_[static_cast<size_t>(trait)] = weight; }
  friend bool operator==(const Weights&, const Weights&) = default;

 private:
  std::array<uint64_t, static_cast<size_t>(ProductionKind::kCount)> weights_;
};
/// Reads weights such as "loop=2", one in each of `texts`. A weight is at most kMostWeight.
Result<Weights> ReadWeights(std::span<const std::string> texts);

constexpr uint32_t kMostWidth = 7;  ///< labels of a switch; there are 10,421 shapes with up to 7
constexpr uint32_t kUnlimitedDepth = 1023;  ///< the limit of SPIR-V 2.17
constexpr uint32_t kMostDepth = 32;         ///< the highest other limit

struct Grammar {
  uint32_t width = 3;  ///< labels of a switch, with the default; 1 to kMostWidth
  /// The limit on nested constructs: up to kMostDepth, or kUnlimitedDepth.
  uint32_t depth = kUnlimitedDepth;
  bool equal_labels = false;  ///< allow OpBranchConditional with equal labels: versions before 1.6
  // These options leave out graphs that only repeat what larger graphs contain.
  bool distinct_labels = false;  ///< no two labels of a switch have the same target
  bool long_continue = false;    ///< continue constructs have at least two blocks
  bool one_outermost = false;    ///< at most one construct is not inside another one
  Weights weights;
};

}  // namespace refract::cfg
