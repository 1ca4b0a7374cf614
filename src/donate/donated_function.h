// SPDX-License-Identifier: Apache-2.0
// Donated functions in their message form: checks whether one can be built, and builds it. Each
// thing in a donated function has a local number from which its permanent name is made. Thus the
// remaining things keep their names when a reducer removes others.
#pragma once

#include "ir/edit/editor.h"
#include "message/add_function.h"
#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract {
inline namespace donate {

/// Limits on the contents of a donated function, which bound the time of its check.
constexpr size_t kMaxDonatedInstructions = 2000;
constexpr size_t kMaxDonatedBlocks = 200;
constexpr size_t kMaxDonatedParameters = 32;
constexpr size_t kMaxDonatedOperands = 10000;
constexpr size_t kMaxDonatedConstants = 2000;  ///< parts of composites included
constexpr size_t kMaxDonatedCalls = 128;       ///< operands that name functions
constexpr uint32_t kMaxDonatedLocal = 65535;

/// Whether an instruction is allowed in a donated function, and which results it may have.
enum class Donatable : uint8_t {
  kNo,
  kNumbers,  ///< only if the result is a scalar or vector
  kAny,
};
/// Allows the instructions whose types our checker (ir/validity/validity.h) checks completely and
/// that need no capability except Shader.
Donatable IsDonatable(spv::Op opcode);
/// True if this instruction of GLSL.std.450 is allowed.
bool IsDonatableGlsl(uint32_t number);
/// True if values, or with `pointer` also pointers to local variables, may have this type.
bool IsDonatedType(const Module& module, const message::Type& type, bool pointer);

/// Checks that the message has the form that BuildDonated needs. Accepts any message; takes time
/// linear in its size. The built function can still be invalid.
CheckResult CheckDonatedForm(const Module& module, const message::AddFunction& message);
/// The local part of the permanent name of a function with this origin.
uint64_t FunctionLocal(uint64_t origin);
/// Appends the function as the message describes it, without what makes it live-safe.
Function BuildDonated(Editor& editor, const message::AddFunction& message);

/// What becomes of a donated function: it stays a function, or its instructions are put in place.
enum class DonatedAs : uint8_t { kFunction, kFragment };
/// Checks that the built function is valid in a module like this one and that, if the message asks
/// for it, it can be made live-safe. A fragment must also call no function and end with one return
/// outside of all constructs. The function is built in a separate module, so the cost depends only
/// on the function.
CheckResult CheckDonated(const View& view, const message::AddFunction& message, DonatedAs as);

/// The precondition and the effect of the transformation add_function.
CheckResult CheckAddFunction(const message::AddFunction& message, const View& view);
/// The part of the precondition of add_fragment that does not depend on the place.
CheckResult CheckFragment(const message::AddFunction& body, const View& view);
void ApplyAddFunction(const message::AddFunction& message, ContextEditor& editor);

/// Donor messages know the functions that they call only by the local part of their names. Fills in
/// the names of those that `module` has. Returns the local part of one that is missing, or 0.
uint64_t ResolveDonatedCalls(const Module& module, message::AddFunction* message);

}  // namespace donate
}  // namespace refract
