// SPDX-License-Identifier: Apache-2.0
#include "message/replace_id_with_synonym.h"

#include "transform/context_editor.h"
#include "transform/rule.h"

namespace refract::replace_id_with_synonym {
namespace {

using Message = message::ReplaceIdWithSynonym;

Verdict Check(const Message&, const View&) { return No("scaffold"); }
void Apply(const Message&, ContextEditor&) {}
void Propose(Proposer&) {}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({});

}  // namespace refract::replace_id_with_synonym
