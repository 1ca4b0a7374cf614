// SPDX-License-Identifier: Apache-2.0
#include "message/swap_commutable_operands.h"

#include "transform/context_editor.h"
#include "transform/rule.h"

namespace refract::swap_commutable_operands {
namespace {

using Message = message::SwapCommutableOperands;

Verdict Check(const Message&, const View&) { return No("scaffold"); }
void Apply(const Message&, ContextEditor&) {}
void Propose(Proposer&) {}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({});

}  // namespace refract::swap_commutable_operands
