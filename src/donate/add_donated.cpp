// SPDX-License-Identifier: Apache-2.0
// The precondition and the effect of add_function. They are here and not next to the proposals
// (transform/function/add_function.cpp), because a donor is translated by adding its functions to a
// module of its own.
#include "donate/donated_function.h"
#include "donate/live_safe.h"
#include "rules/values.h"

namespace refract {
inline namespace donate {
namespace {

CheckResult CheckDonation(const message::AddFunction& message, const View& view, DonatedAs as) {
  const Module& module = view.module();
  // Kernels have rules of their own for ints and for structured control flow.
  if (!HasCapability(module, spv::Capability::Shader)) {
    return No("the module does not declare the Shader capability");
  }
  if (message.live_safe ? message.loop_limit == 0 || message.loop_limit > kMaxLoopLimit
                        : message.loop_limit != 0) {
    return No(
        "the loop limit must be 1 to 64 in a function that is marked as live-safe, and 0 in other "
        "functions");
  }
  return CheckDonated(view, message, as);
}

}  // namespace

CheckResult CheckAddFunction(const message::AddFunction& message, const View& view) {
  return CheckDonation(message, view, DonatedAs::kFunction);
}

CheckResult CheckFragment(const message::AddFunction& body, const View& view) {
  return CheckDonation(body, view, DonatedAs::kFragment);
}

void ApplyAddFunction(const message::AddFunction& message, ContextEditor& editor) {
  const Function function = BuildDonated(editor, message);
  if (!message.live_safe) return;
  MakeLiveSafe(editor, function, message.loop_limit);
  editor.facts().SetLiveSafe(editor.module().FunctionId(function), editor.Provenance());
}

}  // namespace donate
}  // namespace refract
