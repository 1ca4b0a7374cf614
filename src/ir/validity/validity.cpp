// SPDX-License-Identifier: Apache-2.0
#include "ir/validity/validity.h"

#include <algorithm>

#include "base/text.h"
#include "ir/call_graph.h"
#include "ir/grammar/grammar.h"
#include "ir/rules/flow_rules.h"
#include "ir/validity/validity_report.h"

namespace refract {
inline namespace ir {
namespace validity {

std::string NameText(const Module& module, Block block) {
  if (block == Block::kNone) return "nothing";
  if (!module.IsBasicBlock(block)) return "not a block";
  return format("%{}", module.FileId(module.LabelId(block)));
}

std::string DescribePlace(const Module& module, Inst inst) {
  if (inst == Inst::kNone) return "nothing";
  std::string text;
  if (const Id result = module.Result(inst); result != Id::kNone) {
    text = format("%{} = ", module.FileId(result));
  }
  text += NameOf(module.Opcode(inst));
  const Block block = module.BlockOf(inst);
  if (block == Block::kNone) return text;
  if (module.IsBasicBlock(block)) text += " in block " + NameText(module, block);
  const Function function = module[block].function;
  if (function == Function::kNone) return text;
  const Inst definition = module[function].definition;
  if (definition == Inst::kNone) return text + " of a function without OpFunction";
  return text + format(" of function %{}", module.FileId(module.Result(definition)));
}

Error Violation(std::string_view rule, std::string_view what, const Module& module, Inst where) {
  return Error{format("{}: {}: {}", rule, what, DescribePlace(module, where)), ErrorKind::kFailed};
}
Error Violation(std::string_view rule, std::string_view what) {
  return Error{format("{}: {}", rule, what), ErrorKind::kFailed};
}

bool HasCapability(const Module& module, spv::Capability capability) {
  const EnumGrammar* capabilities = FindEnum("Capability");
  std::vector<spv::Capability> known;
  const auto add = [&](spv::Capability c) {
    if (std::find(known.begin(), known.end(), c) == known.end()) known.push_back(c);
  };
  ForEachInstruction(module, Module::SectionBlock(Section::kCapabilities), [&](Inst inst) {
    if (module.Opcode(inst) == spv::Op::OpCapability) {
      add(static_cast<spv::Capability>(module.Word(inst, 0)));
    }
  });
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i] == capability) return true;
    const Enumerant* row = FindEnumerant(*capabilities, static_cast<uint32_t>(known[i]));
    if (row == nullptr) continue;
    for (spv::Capability implied : row->capabilities) add(implied);
  }
  return false;
}

}  // namespace validity

Status CheckStructure(const Module& module) {
  std::optional<FlowFault> fault;
  ForEachFunction(module, [&](Function function) {
    if (!fault) fault = FindFlowFault(module, function);
  });
  if (!fault) return {};
  return Error{Describe(module, *fault), ErrorKind::kFailed};
}

Status CheckModule(const Module& module) {
  for (Status (*check)(const Module&) :
       {CheckLimits, CheckLayout, CheckIds, CheckTypes, CheckDeclarations, CheckStructure}) {
    if (Status status = check(module); !status) return status;
  }
  return {};
}

}  // namespace ir
}  // namespace refract
