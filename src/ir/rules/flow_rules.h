// SPDX-License-Identifier: Apache-2.0
// The rules of control flow, one named function each, in the words of the specification (SPIR-V 1.6
// revision 2, sections 2.11, 2.16 and 2.17; docs/control-flow.md lists them). The table of rules is
// what `refract cfg check`, the checker of modules (validity.h) and tests go through.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/rules/flow_constructs.h"
#include "ir/module.h"

namespace refract::inline ir {

/// What is wrong, and the blocks that it is between: the one that does it first.
struct FlowFault {
  std::string_view rule;  ///< of FlowRules()
  Function function = Function::kNone;
  std::vector<Block> blocks;
  std::string what;
};

/// Of which modules a rule speaks.
enum class FlowScope : uint8_t {
  kEvery,
  kShader,  ///< only those that declare, or imply, the capability Shader
};

struct FlowRule {
  std::string_view name;     ///< stable: "merge_block_declared_once"
  std::string_view section;  ///< of SPIR-V 1.6 revision 2
  std::string_view text;     ///< what it asks, in the specification's words or close to them
  FlowScope scope = FlowScope::kShader;
  uint32_t since = 0;  ///< the version word of the first version that has it
  /// The rule, on a function whose blocks are as BlockForm wants them and that has passed the rules
  /// above this one in the table; null for that one itself.
  std::optional<FlowFault> (*find)(const FlowConstructs& flow) = nullptr;
};

/// All rules, in the order in which they are asked.
std::span<const FlowRule> FlowRules();
/// The rule of that name; null.
const FlowRule* FindFlowRule(std::string_view name);

/// The first rule of the table that the function breaks, for the module's version and capabilities.
/// The control flow is built anew. Total: any module that was read gets an answer, in time that
/// grows with the function's size times how deep its constructs nest (at most 1,023).
std::optional<FlowFault> FindFlowFault(const Module& module, Function function,
                                       FlowMode mode = FlowMode::kStrict);
/// The same of what is made already, whose blocks are well formed: the rules of every module, and
/// with `shader` the others, too.
std::optional<FlowFault> FindFlowFault(const FlowConstructs& flow, bool shader);

/// "header_dominates_merge_block: block %7 (then) ...: function %4 (main), blocks %7 (then), %9":
/// ids as in the file, with the names that OpName gives them.
std::string Describe(const Module& module, const FlowFault& fault);
/// "%7 (then)".
std::string CalledWithName(const Module& module, Id id);

}  // namespace refract::inline ir
