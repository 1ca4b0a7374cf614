// SPDX-License-Identifier: Apache-2.0
#include "message/replace_constant_with_uniform.h"

#include "transform/context_editor.h"
#include "transform/rule.h"

namespace refract::replace_constant_with_uniform {
namespace {

using Message = message::ReplaceConstantWithUniform;

Verdict Check(const Message&, const View&) { return No("scaffold"); }
void Apply(const Message&, ContextEditor&) {}
void Propose(Proposer&) {}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({});

}  // namespace refract::replace_constant_with_uniform
