// SPDX-License-Identifier: Apache-2.0
// Encodes instructions. Code that builds a whole module from nothing uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <spirv/unified1/spirv.hpp11>
#include <vector>

namespace refract {
inline namespace ir {

/// A sequence of encoded instructions.
struct Words {
  std::vector<uint32_t> words;

  void Begin(spv::Op opcode, size_t operands) {
    words.push_back(static_cast<uint32_t>(operands + 1) << 16 | static_cast<uint32_t>(opcode));
  }
  void Add(spv::Op opcode, std::initializer_list<uint32_t> operands) {
    Begin(opcode, operands.size());
    for (const uint32_t operand : operands) words.push_back(operand);  // faster than insert
  }
};

template <class Enum>
constexpr uint32_t Word(Enum value) {
  return static_cast<uint32_t>(value);
}

}  // namespace ir
}  // namespace refract
