// SPDX-License-Identifier: Apache-2.0
// The rules of structured control flow, one named function each, in the words of the specification
// (SPIR-V 1.6 revision 2, sections 2.11, 2.16 and 2.17; docs/control-flow.md lists them). `refract
// cfg check`, the checker of modules (validity.h) and tests use this table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ir/rules/flow_constructs.h"

namespace refract {
inline namespace ir {

/// A broken rule, and the blocks involved, first the block that breaks it.
struct FlowFault {
  std::string_view rule;  ///< a name in FlowRules()
  Function function = Function::kNone;
  std::vector<Block> blocks;
  std::string what;
};

/// The modules to which a rule applies.
enum class FlowScope : uint8_t {
  kEvery,
  kShader,  ///< only modules that declare, or imply, the capability Shader
};

struct FlowRule {
  std::string_view name;     ///< never changes: "merge_block_declared_once"
  std::string_view section;  ///< of SPIR-V 1.6 revision 2
  /// The requirement, in the words of the specification or close to them.
  std::string_view text;
  FlowScope scope = FlowScope::kShader;
  uint32_t since = 0;  ///< the version word of the first version that has the rule
  /// Checks the rule on a function with well-formed blocks that has passed the earlier rules of the
  /// table. Null for the rule block_form itself.
  std::optional<FlowFault> (*find)(const FlowConstructs& flow) = nullptr;
};

/// All rules, in the order in which they are checked.
std::span<const FlowRule> FlowRules();
/// The rule of this name; null if not found.
const FlowRule* FindFlowRule(std::string_view name);

/// The first rule of the table that the function breaks, for the version and capabilities of the
/// module. The control flow is newly built. Accepts any module that was read. The time is
/// proportional to the size of the function times the nesting depth of its constructs (at most
/// 1,023).
std::optional<FlowFault> FindFlowFault(const Module& module, Function function,
                                       FlowMode mode = FlowMode::kStrict);
/// The same for constructs that are already built, of a function whose blocks are well formed.
/// Checks the rules for every module and, with `shader`, the others too.
std::optional<FlowFault> FindFlowFault(const FlowConstructs& flow, bool shader);

/// A fault as text: "header_dominates_merge_block: REASON: blocks %7 (then), %9 of function %4
/// (main)", with the ids of the file and the names from OpName.
std::string Describe(const Module& module, const FlowFault& fault);
/// An id with its name, if it has one: "%7 (then)".
std::string CalledWithName(const Module& module, Id id);

}  // namespace ir
}  // namespace refract
