// SPDX-License-Identifier: Apache-2.0
#include "transform/parts.h"

#include "ir/types.h"

namespace refract {

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

}  // namespace refract
