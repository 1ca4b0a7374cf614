// SPDX-License-Identifier: Apache-2.0
// Copies instructions with new ids, for inlining and unrolling.
#pragma once

#include <map>

#include "planted/program.h"

namespace refract::planted {

class Cloner {
 public:
  explicit Cloner(Program* program) : program_(*program) {}

  /// From now on, copies use `other` in place of `id`.
  void Map(uint32_t id, uint32_t other) { ids_[id] = other; }
  uint32_t At(uint32_t id) const {
    const auto found = ids_.find(id);
    return found == ids_.end() ? id : found->second;
  }
  /// Makes a new id for `id`, with its decorations.
  uint32_t Make(uint32_t id) {
    const uint32_t made = program_.NewId();
    ids_[id] = made;
    program_.CopyDecorations(id, made);
    return made;
  }
  /// Makes new ids for all results of the block, and for its label.
  void MakeAll(const Block& block) {
    ids_[block.label] = program_.NewId();
    for (const Instruction& instruction : block.code) {
      if (instruction.result != 0) Make(instruction.result);
    }
  }
  Instruction Copy(const Instruction& instruction) const {
    Instruction copy = instruction;
    if (copy.result != 0) copy.result = At(copy.result);
    for (Operand& operand : copy.in) {
      if (operand.is_id) operand.word = At(operand.word);
    }
    return copy;
  }

 private:
  Program& program_;
  std::map<uint32_t, uint32_t> ids_;
};

}  // namespace refract::planted
