// SPDX-License-Identifier: Apache-2.0
#include "message/add_dead_continue.h"

#include "transform/context_editor.h"
#include "transform/rule.h"

namespace refract::add_dead_continue {
namespace {

using Message = message::AddDeadContinue;

Verdict Check(const Message&, const View&) { return No("scaffold"); }
void Apply(const Message&, ContextEditor&) {}
void Propose(Proposer&) {}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({});

}  // namespace refract::add_dead_continue
