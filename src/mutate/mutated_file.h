// SPDX-License-Identifier: Apache-2.0
// Mutated files, which other fuzzers keep in their corpora: a variant, and its original and
// recording as a trailer, so that each file can be changed, replayed and reduced by itself.
//
//   words of the variant | words of the original | recording | footer
//
// The footer has 32 bytes, all numbers little-endian: the sizes of the three parts in bytes (three
// times 4), 4 bytes of zero, Hash64 of everything before it (8), and "RFRMUTv1". It is at the end,
// so the module at the beginning needs no change.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace refract {
inline namespace mutate {

/// The parts of a mutated file, as views into its bytes.
struct MutatedFile {
  std::string_view variant, original, recording;
};

/// The parts; nullopt if the bytes have no trailer or are damaged.
std::optional<MutatedFile> SplitMutated(std::string_view bytes);
/// The number of bytes of the variant, or of all if there is no trailer. Does not test the hash.
size_t MutatedModuleSize(std::string_view bytes);
/// Makes a mutated file. Each part must be smaller than 4 GiB.
std::string JoinMutated(const MutatedFile& parts);

/// The bytes of words, in the byte order of the machine.
inline std::string_view BytesOf(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), 4 * words.size()};
}

}  // namespace mutate
}  // namespace refract
