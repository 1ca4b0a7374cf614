// SPDX-License-Identifier: Apache-2.0
// Hashes of whole files. A recording uses them to identify its module and to detect damage. They
// are built from Mix, so they are the same on every machine and in every version. They are not
// cryptographic.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace refract {
inline namespace base {

/// A 64-bit hash of the bytes and their number.
uint64_t Hash64(std::string_view bytes, uint64_t seed = 0);
/// A 128-bit hash as 32 hexadecimal digits.
std::string ContentHash(std::string_view bytes);

}  // namespace base
}  // namespace refract
