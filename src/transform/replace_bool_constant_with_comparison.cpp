// SPDX-License-Identifier: Apache-2.0
#include "message/replace_bool_constant_with_comparison.h"

#include "transform/context_editor.h"
#include "transform/rule.h"

namespace refract::replace_bool_constant_with_comparison {
namespace {

using Message = message::ReplaceBoolConstantWithComparison;

Verdict Check(const Message&, const View&) { return No("scaffold"); }
void Apply(const Message&, ContextEditor&) {}
void Propose(Proposer&) {}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({});

}  // namespace refract::replace_bool_constant_with_comparison
