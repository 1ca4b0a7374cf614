// SPDX-License-Identifier: Apache-2.0
#include "engine/compare_runs.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/text.h"

namespace refract {
inline namespace engine {
namespace {

const char* NameOf(uint8_t shadow) {
  constexpr const char* kNames[] = {"exact", "approximate", "undefined", "undefined"};
  return kNames[shadow & 3];
}

uint8_t ShadowAt(const std::string& shadows, size_t i) {
  return i < shadows.size() ? static_cast<uint8_t>(shadows[i]) & 3 : 0;
}

// A difference between two outputs: the index of the part, and what differs.
struct Difference {
  size_t part = 0;
  std::string how;
};
// Compares the outputs in parts of `size` bytes. Each part has a shadow.
std::optional<Difference> FirstDifference(const std::string& before, const std::string& after,
                                          const std::string& shadows_before,
                                          const std::string& shadows_after, size_t size) {
  if (before.size() != after.size()) return Difference{0, "the two outputs have different sizes"};
  if (before == after && shadows_before == shadows_after) return std::nullopt;
  for (size_t i = 0; i < before.size() / size; ++i) {
    const uint8_t was = ShadowAt(shadows_before, i), is = ShadowAt(shadows_after, i);
    if (was >= 2) continue;  // undefined: any value is allowed
    if (is > was) {
      return Difference{
          i, format("it is {} in the original and {} in the variant", NameOf(was), NameOf(is))};
    }
    if (std::memcmp(before.data() + i * size, after.data() + i * size, size) == 0) continue;
    uint32_t words[2] = {};
    std::memcpy(&words[0], before.data() + i * size, std::min<size_t>(size, 4));
    std::memcpy(&words[1], after.data() + i * size, std::min<size_t>(size, 4));
    return Difference{
        i, format("it is {:#x} in the original and {:#x} in the variant", words[0], words[1])};
  }
  return std::nullopt;
}

std::optional<std::string> CompareTargets(const RunReport& before, const RunReport& after) {
  for (size_t i = 0; i < before.outputs.targets.size(); ++i) {
    const ColourTarget& was = before.outputs.targets[i];
    size_t j = 0;
    const auto& others = after.outputs.targets;
    while (j < others.size() && others[j].location != was.location) ++j;
    if (j == others.size() || others[j].format != was.format) {
      return format("the variant has no output at location {}", was.location);
    }
    const auto found = FirstDifference(was.texels, others[j].texels, before.target_shadows[i],
                                       after.target_shadows[j], TexelSize(was.format) / 4);
    if (!found) continue;
    const size_t pixel = found->part / 4;
    return format("pixel ({}, {}), component {} of the output at location {}: {}",
                  pixel % was.width, pixel / was.width, found->part % 4, was.location, found->how);
  }
  return std::nullopt;
}

std::optional<std::string> CompareBuffers(const RunReport& before, const RunReport& after) {
  for (size_t i = 0; i < before.outputs.buffers.size(); ++i) {
    const BoundBuffer& was = before.outputs.buffers[i];
    for (size_t j = 0; j < after.outputs.buffers.size(); ++j) {
      const BoundBuffer& is = after.outputs.buffers[j];
      if (is.set != was.set || is.binding != was.binding) continue;
      const auto found = FirstDifference(was.bytes, is.bytes, before.buffer_shadows[i],
                                         after.buffer_shadows[j], 1);
      if (!found) continue;
      return format("byte {} of the buffer at set {}, binding {}: {}", found->part, was.set,
                    was.binding, found->how);
    }
  }
  return std::nullopt;
}

std::optional<std::string> CompareImages(const RunReport& before, const RunReport& after) {
  for (size_t i = 0; i < before.outputs.images.size(); ++i) {
    const BoundImage& was = before.outputs.images[i];
    for (size_t j = 0; j < after.outputs.images.size(); ++j) {
      const BoundImage& is = after.outputs.images[j];
      if (is.set != was.set || is.binding != was.binding) continue;
      const auto found = FirstDifference(was.texels, is.texels, before.image_shadows[i],
                                         after.image_shadows[j], TexelSize(was.format));
      if (!found) continue;
      return format("texel {} of the image at set {}, binding {}: {}", found->part, was.set,
                    was.binding, found->how);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FindDifference(const RunReport& before, const RunReport& after,
                                          bool control) {
  CHECK(!before.trap);
  if (after.trap) {
    const uint32_t* who = after.trap->invocation;
    return format("{} in invocation ({}, {}, {})", after.trap->message, who[0], who[1], who[2]);
  }
  if (auto found = CompareTargets(before, after)) return found;
  if (auto found = CompareBuffers(before, after)) return found;
  if (auto found = CompareImages(before, after)) return found;
  if (control && after.approximate_control && !before.approximate_control) {
    return "an approximate value affects control flow or an address in the variant, but not in the "
           "original";
  }
  return std::nullopt;
}

}  // namespace engine
}  // namespace refract
