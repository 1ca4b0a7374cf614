// SPDX-License-Identifier: Apache-2.0
#include "transform/function/reach.h"

#include <algorithm>

#include "ir/call_graph.h"
#include "ir/grammar/grammar.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"

namespace refract {
inline namespace transform {
namespace {

// Whether an operand is the scope Workgroup, which only stages with workgroups allow (Vulkan,
// VUID-StandaloneSpirv-None-07321 and 04637).
bool NeedsWorkgroups(const Module& module, Inst inst) {
  std::vector<uint32_t> words;
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) words.push_back(module.Word(inst, i));
  OperandWalker walk(module.Opcode(inst), words);
  OperandWord word;
  for (uint32_t i = 0; walk.Next(&word); ++i) {
    if (word.cls == OperandClass::kScope && LiteralValue(module, module.IdAt(inst, i)) ==
                                                static_cast<uint64_t>(spv::Scope::Workgroup)) {
      return true;
    }
  }
  return false;
}

// Records the global variables that the instruction uses, and whether it is bound to certain stages
// or convergent.
void CollectUses(const Module& module, Inst inst, Reach* reach) {
  const Properties& properties = PropertiesOf(module, inst);
  // A call itself is not recorded, because the functions that it reaches are examined too.
  if ((properties.stages != 0xffffffffu || properties.convergent) &&
      module.Opcode(inst) != spv::Op::OpFunctionCall) {
    reach->bound.push_back(inst);
  }
  reach->needs_workgroups = reach->needs_workgroups || NeedsWorkgroups(module, inst);
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    if (!module.IsId(inst, i)) continue;
    const Id id = module.IdAt(inst, i);
    const Inst used = module.Definition(id);
    if (module.Opcode(used) != spv::Op::OpVariable || module.FunctionOf(used) != Function::kNone) {
      continue;
    }
    if (module.Word(used, 0) != static_cast<uint32_t>(spv::StorageClass::Private)) {
      reach->uses_outside = true;
    } else if (std::find(reach->privates.begin(), reach->privates.end(), id) ==
               reach->privates.end()) {
      reach->privates.push_back(id);
    }
  }
}

}  // namespace

Reach ReachOf(const Module& module, Function caller, const std::vector<Function>& reached) {
  Reach reach;
  reach.entries = EntryPointsReaching(module, caller);
  const std::vector<Inst> already = EntryPointsReaching(module, reached[0]);
  std::erase_if(reach.entries, [&](Inst entry) {
    return std::find(already.begin(), already.end(), entry) != already.end();
  });
  if (reach.entries.empty()) return reach;
  for (Function function : reached) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) { CollectUses(module, inst, &reach); });
    });
  }
  return reach;
}

CheckResult CheckReach(const Module& module, const Reach& reach) {
  if (reach.uses_outside) {
    return No("an entry point would use a global variable that it does not use now");
  }
  for (Inst entry : reach.entries) {
    const auto stage = static_cast<spv::ExecutionModel>(module.Word(entry, 0));
    if (reach.needs_workgroups && stage != spv::ExecutionModel::GLCompute) {
      return No(
          "an entry point would reach an instruction of scope Workgroup, which its shader "
          "stage does not allow");
    }
  }
  for (Inst inst : reach.bound) {
    const Properties& properties = PropertiesOf(module, inst);
    for (Inst entry : reach.entries) {
      const auto stage = static_cast<spv::ExecutionModel>(module.Word(entry, 0));
      if (properties.convergent || !properties.AllowedIn(stage)) {
        return No("an entry point would reach an instruction that its shader stage does not allow");
      }
    }
  }
  return Yes();
}

}  // namespace transform
}  // namespace refract
