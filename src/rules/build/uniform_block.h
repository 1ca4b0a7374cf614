// SPDX-License-Identifier: Apache-2.0
// Uniform blocks and push constants whose data the inputs give, so that a transformation can change
// their memory layout in the module and the inputs together; and new blocks with new data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input/layout.h"
#include "input/layout_rules.h"
#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// A uniform block, or the push constants: a variable whose type is one struct.
struct KnownBlock {
  Id variable = Id::kNone;
  Id type = Id::kNone;  ///< the struct
  bool push_constant = false;
  uint32_t set = 0, binding = 0;

  LayoutRules rules() const {
    return push_constant ? LayoutRules::kPushConstant : LayoutRules::kUniform;
  }
  /// The size that every implementation supports (Vulkan, "Required Limits": maxUniformBufferRange,
  /// maxPushConstantsSize).
  uint64_t most_bytes() const { return push_constant ? 128 : 16384; }
};

/// The block of a variable. The inputs must give every scalar in it, and no other variable may be
/// bound to the same place.
std::optional<KnownBlock> KnownBlockOf(const View& view, Id variable);
/// All such blocks, in the order in which they were added.
std::vector<KnownBlock> KnownBlocks(const View& view);
/// True if only the entry point under test runs instructions that use the variable. The inputs are
/// known for that entry point only.
bool IsUsedByEntryAlone(const View& view, Id variable);
/// True if the entry point under test reaches the function and no other entry point does.
bool IsReachedByEntryAlone(const Context& context, Function function);

/// The place of a new block: the binding of a uniform buffer, or the push constants.
struct NewBinding {
  uint32_t set = 0, binding = 0;
  bool push_constant = false;
};
/// Checks that a new block can be added at this place.
CheckResult MayBind(const View& view, const NewBinding& place);

/// A member of a new block.
struct NewMember {
  Id type = Id::kNone;
  uint32_t offset = 0;
};
/// Adds a new block with its struct and decorations, and returns its variable. The new instructions
/// have the name roles 1 to kRolesOfBlock of the step.
constexpr uint64_t kRolesOfBlock = 7;
Id AddUniformBlock(ContextEditor& editor, const std::vector<NewMember>& members,
                   const NewBinding& place);
/// Adds one more decoration to a member of that block.
void DecorateMember(ContextEditor& editor, Id variable, uint32_t member, spv::Decoration decoration,
                    std::optional<uint32_t> value);

/// A scalar of a new block, and its value.
struct NewScalar {
  LaidOutScalar place;
  uint64_t bits = 0;
  bool is_signed = false;
};
/// Records the values of a new block as known inputs and, if `has_inputs`, adds them to the inputs.
/// `scalars` are all scalars of the block, in the order of LayOut.
void RecordBlockInputs(ContextEditor& editor, const NewBinding& place,
                       const std::vector<NewScalar>& scalars, bool has_inputs);

}  // namespace rules
}  // namespace refract
