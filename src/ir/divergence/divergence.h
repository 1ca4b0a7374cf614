// SPDX-License-Identifier: Apache-2.0
// Which values and which control flow are the same for all invocations of a quad, a subgroup, a
// workgroup or a whole draw or dispatch. Get it from Module::Divergence.
//
// WHAT IS SAID. Two invocations are at the same place when they are at the same instruction, called
// over the same calls, in the same iteration of every loop around it. A value is uniform at a scope
// when any two invocations of one instance of the scope that make it at the same place make the
// same. A block is uniform at a scope when of one instance either all invocations enter it at the
// same place or none does, those that ended before counted as not entering.
//
// WHAT IS NOT. Undefined values may differ wherever they come from. A result that may be off a
// little is taken for a function of its operands. A value that differs between invocations for
// nobody who runs it, but may for all that is seen here (`x ^ x` of a divergent x), is divergent:
// such a pseudo-divergent value is known by facts (a synonym of a constant, Facts::Uniform), never
// from here.
//
// Sound, not complete: memory that others write is divergent, variables have one class for good,
// functions one for all calls, and what runs in a loop that invocations leave at different times is
// in divergent control flow from the first iteration on.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/handles.h"

namespace refract::inline ir {

class Module;

/// How many agree. A chain: what is the same in a draw is so in each of its workgroups, and so on
/// down (a stage without workgroups has none between). The greater of two classes is their join.
enum class DivergenceClass : uint8_t {
  kConstant,   ///< the module says what it is
  kDraw,       ///< one for all that a draw or dispatch runs; specialization constants, too
  kWorkgroup,  ///< one in each workgroup
  kSubgroup,
  kQuad,
  kDivergent,
};
/// "constant", "draw", "workgroup", "subgroup", "quad", "divergent".
std::string_view NameOf(DivergenceClass divergence);

class DivergenceAnalysis {
 public:
  explicit DivergenceAnalysis(const Module& module);

  /// The class of a value where it is made. Divergent for ids that came after the analysis was
  /// made and where no entry point reaches, constant for declarations that are no values.
  DivergenceClass Of(Id id) const {
    return Index(id) < values_.size() ? values_[Index(id)] : DivergenceClass::kDivergent;
  }
  /// The same as `where` sees it: worse where invocations leave a loop at different times and bring
  /// the value along.
  DivergenceClass Seen(const Module& module, Id id, Block where) const;
  /// How the control flow that enters the block is shared; divergent for blocks that came later and
  /// for those that nothing reaches.
  DivergenceClass ControlOf(Block block) const {
    return Index(block) < control_.size() ? control_[Index(block)] : DivergenceClass::kDivergent;
  }
  /// Whether an operation of that scope may stand in the block: all invocations of an instance of
  /// the scope come there together.
  bool IsUniformControl(Block block, DivergenceClass scope) const {
    return ControlOf(block) <= scope;
  }

 private:
  friend class DivergenceSolver;
  static constexpr uint32_t kNoLoop = 0xffffffffu;
  struct Loop {
    uint32_t parent = kNoLoop;
    DivergenceClass exit = DivergenceClass::kConstant;  ///< who leaves it in the same iteration
  };
  /// The join of the exits of loops around `from` that are not around `to`, both loops.
  DivergenceClass Leaving(uint32_t from, uint32_t to) const;

  std::vector<DivergenceClass> values_;   // by id
  std::vector<DivergenceClass> control_;  // by block
  std::vector<uint32_t> loop_of_;         // by block
  std::vector<Loop> loops_;
};

/// The class of an input variable with that BuiltIn, by its number.
DivergenceClass ClassOfBuiltIn(uint32_t built_in);

}  // namespace refract::inline ir
