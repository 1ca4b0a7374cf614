// SPDX-License-Identifier: Apache-2.0
#include "message/set_function_control.h"

#include "transform/context_editor.h"
#include "transform/rule.h"

namespace refract::set_function_control {
namespace {

using Message = message::SetFunctionControl;

Verdict Check(const Message&, const View&) { return No("scaffold"); }
void Apply(const Message&, ContextEditor&) {}
void Propose(Proposer&) {}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({});

}  // namespace refract::set_function_control
