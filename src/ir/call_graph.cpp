// SPDX-License-Identifier: Apache-2.0
#include "ir/call_graph.h"

#include <algorithm>

namespace refract {
inline namespace ir {

std::string StringOperand(const Module& module, Inst inst, uint32_t index, uint32_t* end) {
  std::string text;
  for (; index < module.OperandCount(inst); ++index) {
    const uint32_t word = module.Word(inst, index);
    for (int shift = 0; shift < 32; shift += 8) {
      const char c = static_cast<char>(word >> shift);
      if (c == '\0') {
        if (end != nullptr) *end = index + 1;
        return text;
      }
      text.push_back(c);
    }
  }
  if (end != nullptr) *end = index;
  return text;
}

std::vector<Function> Callees(const Module& module, Function function) {
  std::vector<Function> callees;
  ForEachBlock(module, function, [&](Block block) {
    ForEachInstruction(module, block, [&](Inst inst) {
      if (module.Opcode(inst) != spv::Op::OpFunctionCall) return;
      const Function callee = module.FunctionOfId(module.IdAt(inst, 0));
      if (std::find(callees.begin(), callees.end(), callee) == callees.end()) {
        callees.push_back(callee);
      }
    });
  });
  return callees;
}

std::vector<Function> Reached(const Module& module, Function function) {
  std::vector<Function> reached{function};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (Function callee : Callees(module, reached[i])) {
      if (std::find(reached.begin(), reached.end(), callee) == reached.end()) {
        reached.push_back(callee);
      }
    }
  }
  return reached;
}

namespace {

// The functions that call `function` directly or indirectly, and `function` itself. It follows uses
// and does not visit bodies, so its cost grows with the number of calls only.
std::vector<Function> Callers(const Module& module, Function function) {
  std::vector<Function> callers{function};
  for (size_t i = 0; i < callers.size(); ++i) {
    ForEachUse(module, module.FunctionId(callers[i]), [&](Use use) {
      const Inst user = module.User(use);
      if (module.Opcode(user) != spv::Op::OpFunctionCall) return;
      const Function caller = module.FunctionOf(user);
      if (std::find(callers.begin(), callers.end(), caller) == callers.end()) {
        callers.push_back(caller);
      }
    });
  }
  return callers;
}

}  // namespace

std::vector<Inst> EntryPointsReaching(const Module& module, Function function) {
  const std::vector<Function> callers = Callers(module, function);
  std::vector<Inst> entries;
  ForEachInstruction(module, Module::SectionBlock(Section::kEntryPoints), [&](Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpEntryPoint) return;
    const Function entry = module.FunctionOfId(module.IdAt(inst, 1));
    if (std::find(callers.begin(), callers.end(), entry) != callers.end()) entries.push_back(inst);
  });
  return entries;
}

bool IsEntryPoint(const Module& module, Function function) {
  for (Use use = module.FirstUse(module.FunctionId(function)); use != Use::kNone;
       use = module.NextUse(use)) {
    if (module.Opcode(module.User(use)) == spv::Op::OpEntryPoint) return true;
  }
  return false;
}

std::vector<EntryPoint> EntryPoints(const Module& module) {
  std::vector<EntryPoint> entries;
  ForEachInstruction(module, Module::SectionBlock(Section::kEntryPoints), [&](Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpEntryPoint) return;
    EntryPoint entry;
    entry.instruction = inst;
    entry.model = static_cast<spv::ExecutionModel>(module.Word(inst, 0));
    entry.function = module.FunctionOfId(module.IdAt(inst, 1));
    uint32_t next = 2;
    entry.name = StringOperand(module, inst, 2, &next);
    for (; next < module.OperandCount(inst); ++next) {
      entry.interface.push_back(module.IdAt(inst, next));
    }
    entries.push_back(std::move(entry));
  });
  return entries;
}

}  // namespace ir
}  // namespace refract
