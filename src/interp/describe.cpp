// SPDX-License-Identifier: Apache-2.0
#include "interp/describe.h"

#include "base/text.h"
#include "ir/grammar/grammar.h"
#include "ir/grammar/operand_rules.h"

namespace refract {
inline namespace interp {

std::string Describe(const Module& module, Inst instruction) {
  if (instruction == Inst::kNone) return "the module";
  const spv::Op opcode = module.Opcode(instruction);
  std::string text = NameOf(opcode);
  if (opcode == spv::Op::OpExtInst && ExtInstSetOf(module, instruction) == ExtInstSet::kGlsl) {
    text += format(" GLSL.std.450 {}", module.Word(instruction, 1));
  }
  if (const Id result = module.Result(instruction); result != Id::kNone) {
    return text + format(" %{}", module.FileId(result));
  }
  for (Inst before = module.Prev(instruction); before != Inst::kNone;
       before = module.Prev(before)) {
    if (const Id result = module.Result(before); result != Id::kNone) {
      return text + format(" after %{}", module.FileId(result));
    }
  }
  return text;
}

}  // namespace interp
}  // namespace refract
