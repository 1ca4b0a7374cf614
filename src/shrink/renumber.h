// SPDX-License-Identifier: Apache-2.0
// Writes modules with dense ids.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace refract {
inline namespace shrink {

/// Returns the module as a binary with the ids 1, 2, ... in the order in which they appear.
std::vector<uint32_t> WriteDense(const Module& module);

/// Calls `visit(Inst)` for all instructions in the order of the file.
template <class Visit>
void ForEachInFile(const Module& module, Visit visit) {
  const auto list = [&](Block block) { ForEachInstruction(module, block, visit); };
  for (uint32_t s = 1; s < Index(Section::kTrailer); ++s) list(static_cast<Block>(s));
  ForEachFunction(module, [&](Function function) {
    list(module[function].head);
    ForEachBlock(module, function, list);
    list(module[function].tail);
  });
  list(Module::SectionBlock(Section::kTrailer));
}

}  // namespace shrink
}  // namespace refract
