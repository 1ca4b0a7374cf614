// SPDX-License-Identifier: Apache-2.0
#include "rules/build/function_type.h"

#include <algorithm>

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/declare.h"

namespace refract {
inline namespace rules {

std::vector<Inst> ParametersOf(const Module& module, Function function) {
  std::vector<Inst> parameters;
  ForEachInstruction(module, module[function].head, [&](Inst inst) {
    if (module.Opcode(inst) == spv::Op::OpFunctionParameter) parameters.push_back(inst);
  });
  return parameters;
}

std::vector<Inst> CallsOf(const Module& module, Function function) {
  std::vector<Inst> calls;
  ForEachUse(module, module.FunctionId(function), [&](Use use) {
    const Inst user = module.User(use);
    if (module.Opcode(user) == spv::Op::OpFunctionCall && module.OperandIndex(use) == 0) {
      calls.push_back(user);
    }
  });
  std::sort(calls.begin(), calls.end());
  return calls;
}

uint32_t OperandOf(const Module& module, Inst parameter) {
  uint32_t operand = 1;
  for (Inst inst = module.Prev(parameter); inst != Inst::kNone; inst = module.Prev(inst)) {
    if (module.Opcode(inst) == spv::Op::OpFunctionParameter) ++operand;
  }
  return operand;
}

CheckResult MayChangeFunctionType(const Module& module, Function function) {
  if (function == Function::kNone) return No("the function does not exist");
  if (module[function].first == Block::kNone) return No("the function has no body");
  const Id id = module.FunctionId(function);
  if (!IsTouchable(module, id)) return No("a decoration on the function forbids the change");
  for (Use use = module.FirstUse(id); use != Use::kNone; use = module.NextUse(use)) {
    const Inst user = module.User(use);
    const bool is_call =
        module.Opcode(user) == spv::Op::OpFunctionCall && module.OperandIndex(use) == 0;
    if (!is_call && module.Opcode(user) != spv::Op::OpName) {
      return No("an instruction other than a call uses the function");
    }
  }
  return Yes();
}

CheckResult CheckParameter(const View& view, Name name) {
  const Module& module = view.module();
  const Inst parameter = view.Find(name);
  if (parameter == Inst::kNone || module.Opcode(parameter) != spv::Op::OpFunctionParameter) {
    return No("the parameter does not exist");
  }
  if (!IsTouchable(module, module.Result(parameter))) {
    return No("a decoration on the parameter forbids the change");
  }
  return MayChangeFunctionType(module, module.FunctionOf(parameter));
}

void UpdateFunctionType(Editor& editor, Function function) {
  const Module& module = editor.module();
  const Inst definition = module[function].definition;
  Args types{module.Type(definition)};
  for (Inst parameter : ParametersOf(module, function)) types.push_back(module.Type(parameter));
  editor.SetOperand(definition, 1, editor.Declare(spv::Op::OpTypeFunction, Id::kNone, types));
}

size_t CountMadeFunctions(const Module& module) {
  size_t count = 0;
  ForEachFunction(module, [&](Function function) {
    count += module.NameOf(module[function].definition).step != 0 ? 1 : 0;
  });
  return count;
}

Id AddVariableToPass(Editor& editor, Id pointer_type, Function caller, Name name) {
  const Module& module = editor.module();
  const auto storage = static_cast<uint32_t>(StorageClassOf(module, pointer_type));
  const Args args{storage, DeclareNull(editor, ElementType(module, pointer_type))};
  if (storage == static_cast<uint32_t>(spv::StorageClass::Function)) {
    return editor.InsertValue(module.Next(module.Label(module[caller].first)), spv::Op::OpVariable,
                              pointer_type, name, args);
  }
  const Id variable = editor.AppendValue(Module::SectionBlock(Section::kDeclarations),
                                         spv::Op::OpVariable, pointer_type, name, args);
  editor.AddToInterfaces(variable, caller);
  return variable;
}

Function StartFunction(Editor& editor, Id result, const std::vector<Id>& parameters,
                       const FunctionNames& names) {
  const Module& module = editor.module();
  Args types{result};
  types.insert(types.end(), parameters.begin(), parameters.end());
  const Id type = editor.Declare(spv::Op::OpTypeFunction, Id::kNone, types);
  const Function function = editor.AddFunction();
  editor.AppendValue(module[function].head, spv::Op::OpFunction, result, names.function,
                     {0u, type});
  editor.AppendPlain(module[function].tail, spv::Op::OpFunctionEnd, names.end, {});
  return function;
}

}  // namespace rules
}  // namespace refract
