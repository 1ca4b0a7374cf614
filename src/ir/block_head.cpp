// SPDX-License-Identifier: Apache-2.0
#include "ir/block_head.h"

#include "ir/call_graph.h"

namespace refract {
inline namespace ir {
namespace {

// NonSemantic.Shader.DebugInfo.100: "DebugFunctionDefinition ... must appear in the entry basic
// block of an OpFunction".
bool IsFunctionDefinition(const Module& module, Inst inst) {
  constexpr uint32_t kDebugFunctionDefinition = 101;
  if (module.Opcode(inst) != spv::Op::OpExtInst) return false;
  if (module.Word(inst, 1) != kDebugFunctionDefinition) return false;
  const Inst import = module.Definition(module.IdAt(inst, 0));
  return StringOperand(module, import, 0).starts_with("NonSemantic.Shader.DebugInfo");
}

// True for instructions that may come between phis and variables, such as debug lines.
bool IsAmongHead(spv::Op opcode) {
  return IsDebugLine(opcode) || opcode == spv::Op::OpExtInst || opcode == spv::Op::OpLabel ||
         opcode == spv::Op::OpPhi || opcode == spv::Op::OpVariable;
}

}  // namespace

Inst BodyStart(const Module& module, Block block) {
  const bool is_entry = module[module[block].function].first == block;
  Inst last = module.Label(block);
  bool in_head = true;
  for (Inst inst = module.Next(last); inst != Inst::kNone; inst = module.Next(inst)) {
    const spv::Op opcode = module.Opcode(inst);
    in_head = in_head && IsAmongHead(opcode);
    if (!in_head && !is_entry) break;
    if (opcode == spv::Op::OpPhi || opcode == spv::Op::OpVariable ||
        (is_entry && IsFunctionDefinition(module, inst))) {
      last = inst;
    }
  }
  return module.Next(last);
}

}  // namespace ir
}  // namespace refract
