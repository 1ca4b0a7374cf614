// SPDX-License-Identifier: Apache-2.0
// Finds which values and which control flow are the same for all invocations of a quad, a subgroup,
// a workgroup or a whole draw or dispatch. Module::Divergence returns the analysis.
//
// DEFINITIONS. Two invocations are at the same place if they are at the same instruction, reached
// through the same calls, in the same iteration of every loop around it. A value is uniform at a
// scope if any two invocations of one instance of the scope that compute it at the same place
// compute the same value. A block is uniform at a scope if, for each instance, either all
// invocations enter it at the same place or none does. Invocations that ended before count as not
// entering.
//
// LIMITS. Undefined values may differ wherever they come from. A result that may be inexact is
// treated as a function of its operands. A value that never differs in practice, but may differ for
// all that the analysis knows (`x ^ x` of a divergent x), is divergent. That such a value is
// uniform can be known from facts (a synonym of a constant, Facts::Uniform), but not from this
// analysis.
//
// The analysis is sound but not complete. Memory that other invocations write is divergent. A
// variable has one class everywhere, and a function has one class for all calls. Code in a loop
// that invocations leave in different iterations is in divergent control flow from the first
// iteration on.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ir/handles.h"

namespace refract {
inline namespace ir {

class Module;

/// The largest scope within which invocations agree. The classes are a chain: what is uniform in a
/// draw is uniform in each of its workgroups, and so on. (For a stage without workgroups that level
/// is empty.) The greater of two classes is their join.
enum class DivergenceClass : uint8_t {
  kConstant,   ///< the module gives the value
  kDraw,       ///< one value for a whole draw or dispatch; also specialisation constants
  kWorkgroup,  ///< one value for each workgroup
  kSubgroup,
  kQuad,
  kDivergent,
};
/// "constant", "draw", "workgroup", "subgroup", "quad", "divergent".
std::string_view NameOf(DivergenceClass divergence);

class DivergenceAnalysis {
 public:
  /// The values `divergent` and all that depends on them are divergent, whatever computes them.
  explicit DivergenceAnalysis(const Module& module, std::span<const Id> divergent = {});

  /// The class of a value where it is computed. kDivergent for ids that are newer than the analysis
  /// or that no entry point reaches; kConstant for declarations that are not values.
  DivergenceClass Of(Id id) const {
    return Index(id) < values_.size() ? values_[Index(id)] : DivergenceClass::kDivergent;
  }
  /// The class of a value as seen at `where`. It may be higher than Of(id), if invocations leave a
  /// loop in different iterations and the value comes out of that loop.
  DivergenceClass Seen(const Module& module, Id id, Block where) const;
  /// The class of the control flow that enters the block; kDivergent for blocks that are newer than
  /// the analysis or that no entry point reaches.
  DivergenceClass ControlOf(Block block) const {
    return Index(block) < control_.size() ? control_[Index(block)] : DivergenceClass::kDivergent;
  }
  /// True if an operation of that scope may be in the block: all invocations of an instance of the
  /// scope enter it together.
  bool IsUniformControl(Block block, DivergenceClass scope) const {
    return ControlOf(block) <= scope;
  }

 private:
  friend class DivergenceSolver;
  static constexpr uint32_t kNoLoop = 0xffffffffu;
  struct Loop {
    uint32_t parent = kNoLoop;
    /// Which invocations leave it in the same iteration.
    DivergenceClass exit = DivergenceClass::kConstant;
  };
  /// The join of the `exit` classes of the loops that contain loop `from` but not loop `to`.
  DivergenceClass Leaving(uint32_t from, uint32_t to) const;

  std::vector<DivergenceClass> values_;   // by id
  std::vector<DivergenceClass> control_;  // by block
  std::vector<uint32_t> loop_of_;         // by block
  std::vector<Loop> loops_;
};

/// The class of an input variable with this BuiltIn, given by its number.
DivergenceClass ClassOfBuiltIn(uint32_t built_in);

}  // namespace ir
}  // namespace refract
