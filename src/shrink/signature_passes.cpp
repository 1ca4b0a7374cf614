// SPDX-License-Identifier: Apache-2.0
// Shrink passes for the types of functions: they remove parameters and results.
#include <vector>

#include "ir/types.h"
#include "shrink/pass.h"
#include "shrink/plain_values.h"

namespace refract {
inline namespace shrink {
namespace {

std::vector<Inst> CallsOf(const Module& module, Id function) {
  std::vector<Inst> calls;
  ForEachUse(module, function, [&](Use use) {
    const Inst user = module.User(use);
    if (module.Opcode(user) == spv::Op::OpFunctionCall && module.OperandIndex(use) == 0) {
      calls.push_back(user);
    }
  });
  return calls;
}

// Gives a function a new result type and removes the parameter `without`, if it is not kNone, from
// its type.
void SetSignature(Editor& editor, Inst definition, Id result, Inst without) {
  const Module& module = editor.module();
  Args types{result};
  ForEachInstruction(module, module.BlockOf(definition), [&](Inst inst) {
    if (module.Opcode(inst) == spv::Op::OpFunctionParameter && inst != without) {
      types.push_back(module.Type(inst));
    }
  });
  const Id type = editor.Declare(spv::Op::OpTypeFunction, Id::kNone, types);
  editor.SetOperand(definition, 1, type);
  editor.SetType(definition, result);
}

bool RemoveParameter(Editor& editor, Inst parameter) {
  const Module& module = editor.module();
  if (module[parameter].removed) return false;
  const Inst definition = module[module.FunctionOf(parameter)].definition;
  uint32_t position = 0;
  for (Inst inst = module.Next(definition); inst != parameter; inst = module.Next(inst)) {
    position += module.Opcode(inst) == spv::Op::OpFunctionParameter ? 1 : 0;
  }
  if (!ReplaceByPlain(editor, module.Result(parameter))) return false;
  SetSignature(editor, definition, module.Type(definition), parameter);
  editor.Remove(parameter);
  for (Inst call : CallsOf(module, module.Result(definition))) {
    Args args = ArgsOf(module, call);
    if (position + 1 >= args.size()) continue;
    args.erase(args.begin() + position + 1);
    editor.SetOperands(call, args);
  }
  return true;
}

bool ReturnVoid(Editor& editor, Inst definition) {
  const Module& module = editor.module();
  if (module[definition].removed) return false;
  const Id nothing = editor.Declare(spv::Op::OpTypeVoid, Id::kNone, {});
  if (module.Type(definition) == nothing) return false;
  for (Inst call : CallsOf(module, module.Result(definition))) {
    if (!ReplaceByPlain(editor, module.Result(call))) return false;
  }
  for (Inst call : CallsOf(module, module.Result(definition))) {
    editor.RemoveDecorations(module.Result(call));
    editor.SetType(call, nothing);
  }
  SetSignature(editor, definition, nothing, Inst::kNone);
  ForEachBlock(module, module.FunctionOf(definition), [&](Block block) {
    if (module.Opcode(module.Terminator(block)) != spv::Op::OpReturnValue) return;
    editor.SetTerminator(block, spv::Op::OpReturn, {});
  });
  return true;
}

}  // namespace

std::vector<Edit> RemoveParameters(const Module& module, Function only) {
  std::vector<Edit> edits;
  ForEachFunctionOf(module, only, [&](Function function) {
    ForEachInstruction(module, module[function].head, [&](Inst inst) {
      if (module.Opcode(inst) != spv::Op::OpFunctionParameter) return;
      edits.push_back([=](Editor& editor) { return RemoveParameter(editor, inst); });
    });
  });
  return edits;
}

std::vector<Edit> ReturnNothing(const Module& module, Function only) {
  std::vector<Edit> edits;
  ForEachFunctionOf(module, only, [&](Function function) {
    const Inst definition = module[function].definition;
    if (module.OpcodeOf(module.Type(definition)) == spv::Op::OpTypeVoid) return;
    edits.push_back([=](Editor& editor) { return ReturnVoid(editor, definition); });
  });
  return edits;
}

}  // namespace shrink
}  // namespace refract
