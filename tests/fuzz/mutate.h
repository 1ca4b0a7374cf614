// SPDX-License-Identifier: Apache-2.0
// Damage for the byte fuzzer: blind, and such as knows enough of a format to get past its first
// checks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"

namespace refract::fuzz {

/// Truncated, bits flipped, bytes set, ranges copied, removed or taken from `other`.
std::string DamageBytes(std::string bytes, const std::string& other, Random& random);

/// Words replaced by others of the module or by extreme ones, lengths and opcodes changed,
/// instructions removed, repeated, exchanged, or joined with those of `other`; the header too.
std::vector<uint32_t> DamageModule(std::vector<uint32_t> words, const std::vector<uint32_t>& other,
                                   Random& random);

/// Like DamageBytes, but numbers and lines of the text are exchanged, repeated and made extreme, so
/// that most results still can be read.
std::string DamageText(std::string text, const std::string& other, Random& random);

}  // namespace refract::fuzz
