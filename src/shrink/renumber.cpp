// SPDX-License-Identifier: Apache-2.0
#include "shrink/renumber.h"

namespace refract {
inline namespace shrink {

std::vector<uint32_t> WriteDense(const Module& module) {
  std::vector<uint32_t> ids(module.id_slots(), 0);
  uint32_t next = 1;
  const auto number = [&](Id id) {
    if (ids[Index(id)] == 0) ids[Index(id)] = next++;
    return ids[Index(id)];
  };
  constexpr size_t kBound = 3;
  std::vector<uint32_t> words{spv::MagicNumber, module.version(), module.generator(), 0,
                              module.schema()};
  words.reserve(module.word_count());
  ForEachInFile(module, [&](Inst inst) {
    const Instruction& record = module[inst];
    const size_t start = words.size();
    words.push_back(0);
    if (record.type != Id::kNone) words.push_back(number(record.type));
    if (record.result != Id::kNone) words.push_back(number(record.result));
    for (uint32_t i = 0; i < record.operand_count; ++i) {
      words.push_back(module.IsId(inst, i) ? number(module.IdAt(inst, i)) : module.Word(inst, i));
    }
    words[start] =
        static_cast<uint32_t>(words.size() - start) << 16 | static_cast<uint32_t>(record.opcode);
  });
  words[kBound] = next;
  return words;
}

}  // namespace shrink
}  // namespace refract
