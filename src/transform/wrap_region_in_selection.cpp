// SPDX-License-Identifier: Apache-2.0
#include "message/wrap_region_in_selection.h"

#include "transform/context_editor.h"
#include "transform/rule.h"

namespace refract::wrap_region_in_selection {
namespace {

using Message = message::WrapRegionInSelection;

Verdict Check(const Message&, const View&) { return No("scaffold"); }
void Apply(const Message&, ContextEditor&) {}
void Propose(Proposer&) {}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({});

}  // namespace refract::wrap_region_in_selection
