// SPDX-License-Identifier: Apache-2.0
#include "base/packed.h"

#include <cstdint>

namespace refract {
inline namespace base {
namespace {

// Before each piece stands its length, in 8 bytes, little-endian.
constexpr size_t kLengthBytes = 8;

}  // namespace

std::string Pack(const std::vector<std::string_view>& pieces) {
  std::string packed;
  for (const std::string_view piece : pieces) {
    for (size_t i = 0; i < kLengthBytes; ++i) {
      packed += static_cast<char>(uint64_t{piece.size()} >> (8 * i));
    }
    packed += piece;
  }
  return packed;
}

std::optional<std::vector<std::string_view>> Unpack(std::string_view packed) {
  std::vector<std::string_view> pieces;
  while (!packed.empty()) {
    if (packed.size() < kLengthBytes) return std::nullopt;
    uint64_t length = 0;
    for (size_t i = 0; i < kLengthBytes; ++i) {
      length |= uint64_t{static_cast<unsigned char>(packed[i])} << (8 * i);
    }
    packed.remove_prefix(kLengthBytes);
    if (length > packed.size()) return std::nullopt;
    pieces.push_back(packed.substr(0, length));
    packed.remove_prefix(length);
  }
  return pieces;
}

}  // namespace base
}  // namespace refract
