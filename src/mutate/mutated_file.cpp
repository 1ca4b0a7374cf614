// SPDX-License-Identifier: Apache-2.0
#include "mutate/mutated_file.h"

#include <array>

#include "base/check.h"
#include "base/hash.h"

namespace refract {
inline namespace mutate {
namespace {

constexpr std::string_view kMagic = "RFRMUTv1";
constexpr size_t kFooter = 32;

uint64_t NumberAt(std::string_view bytes, size_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = size; i > 0; --i) number = number << 8 | static_cast<uint8_t>(bytes[at + i - 1]);
  return number;
}

void Append(uint64_t number, size_t size, std::string* bytes) {
  for (size_t i = 0; i < size; ++i) bytes->push_back(static_cast<char>(number >> (8 * i)));
}

// The sizes of the parts, if there is a footer and they are consistent.
std::optional<std::array<size_t, 3>> SizesOf(std::string_view bytes) {
  if (bytes.size() < kFooter || !bytes.ends_with(kMagic)) return std::nullopt;
  const std::string_view footer = bytes.substr(bytes.size() - kFooter);
  const std::array<size_t, 3> sizes = {NumberAt(footer, 0, 4), NumberAt(footer, 4, 4),
                                       NumberAt(footer, 8, 4)};
  if (NumberAt(footer, 12, 4) != 0) return std::nullopt;
  if (sizes[0] + sizes[1] + sizes[2] + kFooter != bytes.size()) return std::nullopt;
  return sizes;
}

}  // namespace

std::optional<MutatedFile> SplitMutated(std::string_view bytes) {
  const auto sizes = SizesOf(bytes);
  if (!sizes) return std::nullopt;
  const std::string_view parts = bytes.substr(0, bytes.size() - kFooter);
  if (NumberAt(bytes, bytes.size() - 16, 8) != Hash64(parts)) return std::nullopt;
  return MutatedFile{parts.substr(0, (*sizes)[0]), parts.substr((*sizes)[0], (*sizes)[1]),
                     parts.substr((*sizes)[0] + (*sizes)[1])};
}

size_t MutatedModuleSize(std::string_view bytes) {
  const auto sizes = SizesOf(bytes);
  return sizes ? (*sizes)[0] : bytes.size();
}

std::string JoinMutated(const MutatedFile& parts) {
  std::string bytes;
  bytes.reserve(parts.variant.size() + parts.original.size() + parts.recording.size() + kFooter);
  for (const std::string_view part : {parts.variant, parts.original, parts.recording})
    bytes += part;
  const uint64_t hash = Hash64(bytes);
  for (const std::string_view part : {parts.variant, parts.original, parts.recording}) {
    CHECK(part.size() <= UINT32_MAX);
    Append(part.size(), 4, &bytes);
  }
  Append(0, 4, &bytes);
  Append(hash, 8, &bytes);
  bytes += kMagic;
  return bytes;
}

}  // namespace mutate
}  // namespace refract
