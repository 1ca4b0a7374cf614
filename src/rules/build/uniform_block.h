// SPDX-License-Identifier: Apache-2.0
// Uniform blocks and push constants whose data the inputs give, so that a transformation may change
// how they lie in memory, module and inputs together; and new blocks with new data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input/layout.h"
#include "input/layout_rules.h"
#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::inline rules {

/// A uniform block, or the push constants: a variable that is one struct.
struct KnownBlock {
  Id variable = Id::kNone;
  Id type = Id::kNone;  ///< the struct
  bool push_constant = false;
  uint32_t set = 0, binding = 0;

  LayoutRules rules() const {
    return push_constant ? LayoutRules::kPushConstant : LayoutRules::kUniform;
  }
  /// What every implementation has room for (Vulkan, "Required Limits": maxUniformBufferRange,
  /// maxPushConstantsSize).
  uint64_t most_bytes() const { return push_constant ? 128 : 16384; }
};

/// The block of a variable, if the inputs give every scalar in it and no other variable is in the
/// same place.
std::optional<KnownBlock> KnownBlockOf(const View& view, Id variable);
/// All of them, in the order in which they were added.
std::vector<KnownBlock> KnownBlocks(const View& view);
/// Whether only the entry point under test runs what uses the variable: the inputs are its.
bool IsUsedByEntryAlone(const View& view, Id variable);
/// Whether that entry point and no other reaches the function.
bool IsReachedByEntryAlone(const Context& context, Function function);

/// Where a new block is: a uniform buffer that is bound there, or the push constants.
struct NewPlace {
  uint32_t set = 0, binding = 0;
  bool push_constant = false;
};
/// Whether there may be one more.
Verdict MayBind(const View& view, const NewPlace& place);

/// A member of a new block.
struct NewMember {
  Id type = Id::kNone;
  uint32_t offset = 0;
};
/// A new block: struct, decorations and variable, which is returned. What it makes has the roles 1
/// to kRolesOfBlock of the step.
constexpr uint64_t kRolesOfBlock = 7;
Id AddUniformBlock(ContextEditor& editor, const std::vector<NewMember>& members,
                   const NewPlace& place);
/// One more decoration of a member of that block.
void DecorateMember(ContextEditor& editor, Id variable, uint32_t member, spv::Decoration decoration,
                    std::optional<uint32_t> value);

/// A scalar of a new block, and its value.
struct NewScalar {
  LaidOutScalar place;
  uint64_t bits = 0;
  bool is_signed = false;
};
/// Gives a new block its values: in the inputs, if `has_inputs`, and as known inputs. `scalars` are
/// all of the block's, in the order in which LayOut lists them.
void GiveNewBlock(ContextEditor& editor, const NewPlace& place,
                  const std::vector<NewScalar>& scalars, bool has_inputs);

}  // namespace refract::inline rules
