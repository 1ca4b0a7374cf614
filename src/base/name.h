// SPDX-License-Identifier: Apache-2.0
// Permanent names of instructions, which do not depend on which other steps are applied.
#pragma once

#include <compare>
#include <cstdint>

#include "base/random.h"

namespace refract {
inline namespace base {

/// Name = {step, local}.
///  - step 0: the original module. `local` is the result id in the file. For an instruction without
///    a result, it is kOrdinal + the position of the instruction in the file.
///  - step s: made by step s of the recording. `local` is computed from the role of the instruction
///    in the step and from the names that it is made for (see LocalPart).
///  - step kDeclaredStep: a type or constant that was declared because a step needed it. `local` is
///    the hash of its content, so no step depends on another step for a declaration.
struct Name {
  uint32_t step = 0;
  uint64_t local = 0;

  static constexpr uint32_t kDeclaredStep = 0xffffffffu;
  static constexpr uint64_t kOrdinal = uint64_t{1} << 32;

  friend constexpr bool operator==(const Name&, const Name&) = default;
  friend constexpr auto operator<=>(const Name&, const Name&) = default;
  /// False for {0, 0}, which names nothing (ids start at 1).
  explicit constexpr operator bool() const { return step != 0 || local != 0; }
};

constexpr uint64_t Mix(uint64_t hash, const Name& name) {
  return Mix(Mix(hash, uint64_t{name.step}), name.local);
}

/// The local part of a name for `role`, a small number that never changes within a transformation.
/// It is the role itself.
constexpr uint64_t LocalPart(uint64_t role) {
  return role;
}
/// The local part of a name for `role` and the things (`parts`) that it is made for. The role is
/// hashed first: if it were xored with the first part, role 6 for one name could equal role 7 for
/// another.
template <class... Parts>
constexpr uint64_t LocalPart(uint64_t role, const Parts&... parts) {
  uint64_t hash = Mix(uint64_t{0}, role);
  ((hash = Mix(hash, parts)), ...);
  return hash;
}

}  // namespace base
}  // namespace refract
