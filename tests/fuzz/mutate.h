// SPDX-License-Identifier: Apache-2.0
// Damage for the byte fuzzer: some of it blind, some with enough knowledge of a format to get past
// its first checks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"

namespace refract::fuzz {

/// Truncates, flips bits, sets bytes, and copies or removes ranges or takes them from `other`.
std::string DamageBytes(std::string bytes, const std::string& other, Random& random);

/// Replaces words by others of the module or by extreme ones; changes lengths and opcodes; removes,
/// repeats or exchanges instructions, or joins them with those of `other`. Changes the header too.
std::vector<uint32_t> DamageModule(std::vector<uint32_t> words, const std::vector<uint32_t>& other,
                                   Random& random);

/// Like DamageBytes, but exchanges, repeats and makes extreme the numbers and lines of the text, so
/// that most results can still be read.
std::string DamageText(std::string text, const std::string& other, Random& random);

}  // namespace refract::fuzz
