// SPDX-License-Identifier: Apache-2.0
#include "message/set_selection_control.h"

#include "transform/context_editor.h"
#include "transform/rule.h"

namespace refract::set_selection_control {
namespace {

using Message = message::SetSelectionControl;

Verdict Check(const Message&, const View&) { return No("scaffold"); }
void Apply(const Message&, ContextEditor&) {}
void Propose(Proposer&) {}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({});

}  // namespace refract::set_selection_control
