// SPDX-License-Identifier: Apache-2.0
#include "message/move_block_down.h"

#include "transform/context_editor.h"
#include "transform/rule.h"

namespace refract::move_block_down {
namespace {

using Message = message::MoveBlockDown;

Verdict Check(const Message&, const View&) { return No("scaffold"); }
void Apply(const Message&, ContextEditor&) {}
void Propose(Proposer&) {}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({});

}  // namespace refract::move_block_down
