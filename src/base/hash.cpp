// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <array>

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

// The hashes of the bytes for several seeds. Each Mix waits for the one before it, so a processor
// computes two hashes side by side sooner than one after the other.
template <size_t kCount>
std::array<uint64_t, kCount> Hashes(std::string_view bytes, std::array<uint64_t, kCount> hashes) {
  const auto mix_all = [&](uint64_t word) {
    for (uint64_t& hash : hashes) hash = Mix(hash, word);
  };
  mix_all(bytes.size());
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) mix_all(LoadWord(bytes.data() + i, 8));
  if (i < bytes.size()) mix_all(LoadWord(bytes.data() + i, bytes.size() - i));
  return hashes;
}

}  // namespace

uint64_t Hash64(std::string_view bytes, uint64_t seed) {
  return Hashes<1>(bytes, {seed})[0];
}

std::string ContentHash(std::string_view bytes) {
  const auto [high, low] = Hashes<2>(bytes, {1, 2});
  return format("{:016x}{:016x}", high, low);
}

}  // namespace base
}  // namespace refract
