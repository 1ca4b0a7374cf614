// SPDX-License-Identifier: Apache-2.0
#include "target/expected.h"

#include <algorithm>
#include <cstring>

#include "base/counted.h"
#include "base/text.h"

namespace refract {
inline namespace target {
namespace {

// How a buffer differs from the expected one, as a text; empty if it does not.
std::string Fault(const ExpectedBuffer& expected, const Outputs& outputs) {
  const auto found =
      std::find_if(outputs.buffers.begin(), outputs.buffers.end(),
                   [&](const BoundBuffer& buffer) { return SamePlace(buffer, expected); });
  const std::string place = "buffer at " + PlaceText(expected);
  if (found == outputs.buffers.end()) return format("{}: there is no such buffer", place);
  const size_t begin = expected.first.value_or(0);
  const size_t bytes = 4 * (begin + expected.words.size());
  if (found->bytes.size() < bytes || (!expected.first && found->bytes.size() != bytes)) {
    return format("{}: the buffer has {}, but {} words were expected", place,
                  Counted(found->bytes.size(), "byte"), begin + expected.words.size());
  }
  std::vector<uint32_t> words(expected.words.size());
  if (!words.empty()) std::memcpy(words.data(), found->bytes.data() + 4 * begin, 4 * words.size());
  size_t wrong = 0, first = 0;
  for (size_t i = words.size(); i-- > 0;) {
    if (words[i] == expected.words[i]) continue;
    ++wrong;
    first = i;
  }
  if (wrong == 0) return {};
  return format("{}: {} words are not as expected; the first is word {}: {} instead of {}", place,
                wrong, begin + first, words[first], expected.words[first]);
}

// How the first `channels` components of a pixel differ from a colour, as a text.
std::string PixelFault(const Image& picture, uint32_t x, uint32_t y, uint32_t wanted,
                       uint32_t channels) {
  const size_t at = 4 * (size_t{y} * picture.width + x);
  for (uint32_t i = 0; i < channels; ++i) {
    const uint8_t level = static_cast<uint8_t>(picture.pixels[at + i]);
    if (level == (wanted >> (8 * i) & 255)) continue;
    return format("image: component {} of pixel ({}, {}) is {} instead of {}", i, x, y, level,
                  wanted >> (8 * i) & 255);
  }
  return {};
}

std::string Fault(const ExpectedPicture& expected, const Image& picture) {
  const uint32_t tiles = (picture.width + expected.tile - 1) / expected.tile;
  const uint32_t rows = (picture.height + expected.tile - 1) / expected.tile;
  if (size_t{tiles} * rows != expected.colours.size()) {
    return format(
        "the image has {} by {} pixels, but {} tiles with a side of {} pixels were expected",
        picture.width, picture.height, expected.colours.size(), expected.tile);
  }
  for (uint32_t y = 0; y < picture.height; ++y) {
    for (uint32_t x = 0; x < picture.width; ++x) {
      const uint32_t wanted = expected.colours[y / expected.tile * tiles + x / expected.tile];
      if (std::string fault = PixelFault(picture, x, y, wanted, 4); !fault.empty()) return fault;
    }
  }
  return {};
}

std::string Fault(const ExpectedRegion& expected, const Image& picture) {
  if (uint64_t{expected.x} + expected.width > picture.width ||
      uint64_t{expected.y} + expected.height > picture.height) {
    return format(
        "the image has {} by {} pixels, but {} by {} pixels from ({}, {}) on were expected",
        picture.width, picture.height, expected.width, expected.height, expected.x, expected.y);
  }
  for (uint32_t y = expected.y; y < expected.y + expected.height; ++y) {
    for (uint32_t x = expected.x; x < expected.x + expected.width; ++x) {
      std::string fault = PixelFault(picture, x, y, expected.colour, expected.channels);
      if (!fault.empty()) return fault;
    }
  }
  return {};
}

}  // namespace

void CompareWithExpected(const ExpectedOutputs& expected, RunResult* result) {
  if (result->verdict != RunOutcome::kOk || result->outputs == Outputs()) return;
  std::string fault;
  if (expected.picture) fault = Fault(*expected.picture, ImageAtLocation0(result->outputs));
  for (const ExpectedRegion& region : expected.regions) {
    if (fault.empty()) fault = Fault(region, ImageAtLocation0(result->outputs));
  }
  result->wrong_image = !fault.empty();
  for (const ExpectedBuffer& buffer : expected.buffers) {
    if (fault.empty()) fault = Fault(buffer, result->outputs);
  }
  if (fault.empty()) return;
  result->verdict = RunOutcome::kUnexpected;
  result->detail = fault;
}

}  // namespace target
}  // namespace refract
