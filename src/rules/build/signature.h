// SPDX-License-Identifier: Apache-2.0
// Functions as those who call them see them: parameters, calls, the type; new functions, and
// changing what a function takes and gives together with all its calls.
#pragma once

#include <vector>

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::inline rules {

/// The most parameters that steps give a function; SPIR-V 2.17 allows 255.
constexpr size_t kMostParameters = 32;

/// The OpFunctionParameter instructions, in order.
std::vector<Inst> ParametersOf(const Module& module, Function function);
/// The calls of the function, in the order in which they were made.
std::vector<Inst> CallsOf(const Module& module, Function function);
/// The function that an OpFunctionCall calls.
inline Function CalleeOf(const Module& module, Inst call) {
  return module.FunctionOfId(module.IdAt(call, 0));
}
/// What the call passes for the parameter of its callee; operand 0 is the function.
uint32_t OperandOf(const Module& module, Inst parameter);

/// Whether the parameters and the result of the function may become others: it has a body, calls
/// are all that use it, and no decoration says more of it.
Verdict MayChangeSignature(const Module& module, Function function);
/// The same of the function of a parameter that a message names, of which no decoration says more.
Verdict CheckParameter(const View& view, Name parameter);
/// Gives the function the type that its parameters and result make now.
void UpdateFunctionType(Editor& editor, Function function);

/// Gives each call of the function the operands that `change(call, &operands)` makes of its own,
/// the first of which is the function.
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

/// How many functions steps have made. Who proposes one more keeps them few: calls that lead on and
/// on get too deep for some.
size_t CountMadeFunctions(const Module& module);
constexpr size_t kManyMadeFunctions = 64;

/// A new variable of just this pointer type, which begins as null, of class Function in `caller`:
/// to be passed to a parameter of the type.
Id AddVariableToPass(Editor& editor, Id pointer_type, Function caller, Name name);

struct FunctionNames {
  Name function, end;
};
/// A function without parameters and blocks, which are the caller's to add, after all others.
/// `parameters`: their types.
Function StartFunction(Editor& editor, Id result, const std::vector<Id>& parameters,
                       const FunctionNames& names);

}  // namespace refract::inline rules
