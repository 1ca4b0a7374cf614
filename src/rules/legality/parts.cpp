// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/parts.h"

#include "ir/types.h"
#include "rules/values.h"

namespace refract {
inline namespace rules {

Part PartAt(const Module& module, Id composite, const std::vector<uint32_t>& path) {
  Part part(composite);
  for (uint32_t index : path) {
    const std::optional<Part> next = part.Component(index);
    if (!next || TypeOfPart(module, *next) == Id::kNone) return Part();
    part = *next;
  }
  return part;
}

std::vector<uint32_t> RandomPath(Proposer& proposer, Id type) {
  const Module& module = proposer.module();
  std::vector<uint32_t> path;
  while (path.size() < Part::kMaxDepth) {
    const uint32_t count = PartCount(module, type).value_or(0);
    if (count == 0 || (!path.empty() && proposer.Pick(2) == 0)) break;
    path.push_back(static_cast<uint32_t>(proposer.Pick(count)));
    type = PartType(module, type, path.back());
  }
  return path;
}

void AddPartFacts(ContextEditor& editor, Id part, Id whole, uint32_t number) {
  if (const Steps* why = editor.facts().Irrelevant(whole)) {
    editor.facts().SetIrrelevant(part, editor.Provenance(*why));
    return;
  }
  const std::optional<Part> place = Part(whole).Component(number);
  if (place && MayHaveSynonym(editor.view(), whole) && MayHaveSynonym(editor.view(), part)) {
    editor.facts().AddSynonym(Part(part), *place, editor.Provenance());
  }
}

}  // namespace rules
}  // namespace refract
