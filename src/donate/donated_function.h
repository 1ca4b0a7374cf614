// SPDX-License-Identifier: Apache-2.0
// A donated function as a message tells it: whether it can be made, and making it. Each thing in it
// has a local number from which its permanent name is made, so that whatever a reducer takes away,
// what stays keeps its name.
#pragma once

#include "ir/edit/editor.h"
#include "message/add_function.h"
#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::inline donate {

/// What a donated function may hold, so that its check has a bound.
constexpr size_t kMaxDonatedInstructions = 2000;
constexpr size_t kMaxDonatedBlocks = 200;
constexpr size_t kMaxDonatedParameters = 32;
constexpr size_t kMaxDonatedOperands = 10000;
constexpr size_t kMaxDonatedConstants = 2000;  ///< parts of composites counted
constexpr size_t kMaxDonatedCalls = 128;       ///< operands that name functions
constexpr uint32_t kMaxDonatedLocal = 65535;

/// Whether an instruction may stand in a donated function, and what its result may be.
enum class Donatable : uint8_t {
  kNo,
  kNumbers,  ///< with a scalar or vector for a result
  kAny,
};
/// Yes for what our checker (ir/validity/validity.h) knows the types of in full and needs nothing but a
/// shader.
Donatable IsDonatable(spv::Op opcode);
/// Of an instruction of GLSL.std.450.
bool IsDonatableGlsl(uint32_t number);
/// Whether values, or with `pointer` also pointers to local variables, may be of the type.
bool IsDonatedType(const Module& module, const message::Type& type, bool pointer);

/// Whether the message has the form that BuildDonated needs: total, and linear in its size. What
/// is built may still be an invalid function.
Verdict CheckDonatedForm(const Module& module, const message::AddFunction& message);
/// The local part of the name that a function of this origin gets.
uint64_t FunctionLocal(uint64_t origin);
/// Appends the function as it is told, without what makes it live-safe.
Function BuildDonated(Editor& editor, const message::AddFunction& message);

/// Whether the function, built, is valid in a module like this one and, if the message says so, can
/// be made live-safe. It is built in a module of its own, so this costs what the function costs.
Verdict CheckDonated(const View& view, const message::AddFunction& message);

/// The precondition and the effect of the transformation add_function.
Verdict CheckAddFunction(const message::AddFunction& message, const View& view);
void ApplyAddFunction(const message::AddFunction& message, ContextEditor& editor);

/// Donors know the functions that theirs call by the local part of the name alone. Names those that
/// `module` has; the local part of one that it has not, or 0.
uint64_t ResolveDonatedCalls(const Module& module, message::AddFunction* message);

}  // namespace refract::inline donate
