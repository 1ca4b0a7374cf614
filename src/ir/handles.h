// SPDX-License-Identifier: Apache-2.0
// Typed handles into a Module. In all of them 0 means none. A handle is an index, not a pointer. It
// is valid until its object is removed, and only in its module and copies of it.
#pragma once

#include <cstdint>

namespace refract {
inline namespace ir {

enum class Inst : uint32_t { kNone = 0 };      ///< an instruction
enum class Id : uint32_t { kNone = 0 };        ///< a result id, dense inside the module
enum class Block : uint32_t { kNone = 0 };     ///< a basic block (or a section, see module.h)
enum class Function : uint32_t { kNone = 0 };  ///< a function
enum class Use : uint32_t { kNone = 0 };       ///< one operand word of one instruction

template <class Handle>
constexpr uint32_t Index(Handle handle) {
  return static_cast<uint32_t>(handle);
}

}  // namespace ir
}  // namespace refract
