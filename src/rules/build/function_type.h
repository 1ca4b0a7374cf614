// SPDX-License-Identifier: Apache-2.0
// Functions as their callers see them: parameters, calls and types. New functions, and changes to
// the parameters or the result of a function together with all its calls.
#pragma once

#include <vector>

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// The most parameters that steps give to a function; SPIR-V 2.17 allows 255.
constexpr size_t kMostParameters = 32;

/// The OpFunctionParameter instructions, in order.
std::vector<Inst> ParametersOf(const Module& module, Function function);
/// The calls of the function, in the order in which they were made.
std::vector<Inst> CallsOf(const Module& module, Function function);
/// The function that an OpFunctionCall calls.
inline Function CalleeOf(const Module& module, Inst call) {
  return module.FunctionOfId(module.IdAt(call, 0));
}
/// The index of the call operand for this parameter; operand 0 is the function.
uint32_t OperandOf(const Module& module, Inst parameter);

/// Checks that the parameters and the result of the function can change: it has a body, only calls
/// use it, and no decoration forbids the change.
CheckResult MayChangeFunctionType(const Module& module, Function function);
/// The same for the function of a parameter that a message names. No decoration on the parameter
/// may forbid the change either.
CheckResult CheckParameter(const View& view, Name parameter);
/// Sets the type of the function to match its current parameters and result.
void UpdateFunctionType(Editor& editor, Function function);

/// Edits the operands of each call of the function with `change(call, &operands)`. The first
/// operand is the function.
template <class Change>
void ChangeCalls(Editor& editor, Function function, Change change) {
  const Module& module = editor.module();
  for (Inst call : CallsOf(module, function)) {
    Args args;
    for (uint32_t i = 0; i < module.OperandCount(call); ++i) args.push_back(module.IdAt(call, i));
    change(call, &args);
    editor.SetOperands(call, args);
  }
}

/// How many functions steps have made. Propose functions keep this number small, because some
/// compilers fail on deep chains of calls.
size_t CountMadeFunctions(const Module& module);
constexpr size_t kManyMadeFunctions = 64;

/// Adds a variable of class Function and of this pointer type to `caller`, initialised with null.
/// It is passed to a parameter of this type.
Id AddVariableToPass(Editor& editor, Id pointer_type, Function caller, Name name);

struct FunctionNames {
  Name function, end;
};
/// Adds a function after all others. `parameters` are their types; the caller adds the parameters
/// and the blocks.
Function StartFunction(Editor& editor, Id result, const std::vector<Id>& parameters,
                       const FunctionNames& names);

}  // namespace rules
}  // namespace refract
