// SPDX-License-Identifier: Apache-2.0
// Hashes of whole files: how a recording knows its module again, and that it is undamaged itself.
// Made of Mix, so the same on every machine and for ever. Not cryptographic.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace refract::inline base {

/// 64 bits of `bytes` and of how many there are.
uint64_t Hash64(std::string_view bytes, uint64_t seed = 0);
/// 128 bits as 32 hexadecimal digits.
std::string ContentHash(std::string_view bytes);

}  // namespace refract::inline base
