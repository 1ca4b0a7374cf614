// SPDX-License-Identifier: Apache-2.0
// A scalar that the module reads from its inputs. Its value is known, because shader.json fixes the
// inputs.
#pragma once

#include <cstdint>
#include <vector>

namespace refract {
inline namespace input {

/// One scalar of a uniform block or of the push constants, with the value that the inputs give.
struct KnownValue {
  uint32_t set = 0;
  uint32_t binding = 0;
  bool push_constant = false;
  std::vector<uint32_t> path;  ///< member and element indices from the variable down
  uint64_t bits = 0;           ///< above `width`: 0
  uint32_t width = 32;
  uint32_t added_by = 0;  ///< the step that added the input; 0: the original has it

  friend bool operator==(const KnownValue&, const KnownValue&) = default;
};

}  // namespace input
}  // namespace refract
