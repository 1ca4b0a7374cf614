// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include "base/random.h"
#include "base/text.h"

namespace refract {
inline namespace base {
namespace {

// Reads up to 8 bytes as a little-endian number on any machine. Compilers make one load of it.
uint64_t LoadWord(const char* bytes, size_t count) {
  uint64_t word = 0;
  for (size_t i = 0; i < count; ++i) {
    word |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

}  // namespace

uint64_t Hash64(std::string_view bytes, uint64_t seed) {
  uint64_t hash = Mix(seed, bytes.size());
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) hash = Mix(hash, LoadWord(bytes.data() + i, 8));
  if (i < bytes.size()) hash = Mix(hash, LoadWord(bytes.data() + i, bytes.size() - i));
  return hash;
}

std::string ContentHash(std::string_view bytes) {
  return format("{:016x}{:016x}", Hash64(bytes, 1), Hash64(bytes, 2));
}

}  // namespace base
}  // namespace refract
