// SPDX-License-Identifier: Apache-2.0
#include "message/permute_phi_operands.h"

#include "transform/context_editor.h"
#include "transform/rule.h"

namespace refract::permute_phi_operands {
namespace {

using Message = message::PermutePhiOperands;

Verdict Check(const Message&, const View&) { return No("scaffold"); }
void Apply(const Message&, ContextEditor&) {}
void Propose(Proposer&) {}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({});

}  // namespace refract::permute_phi_operands
