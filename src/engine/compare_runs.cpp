// SPDX-License-Identifier: Apache-2.0
#include "engine/compare_runs.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/text.h"
#include "image/comparison_rule.h"

namespace refract {
inline namespace engine {
namespace {

// A certificate allows what the comparison rule `bounded` allows by default. By `slack` levels the
// colours of a certified variant may leave the bounds of an original that is not exact, because one
// more rounding moves a bound across the border of a level in some pixel. Bounds that are more than
// `narrow` levels apart are not enough for that rule.
constexpr Thresholds kThresholds;

const char* ShadowName(uint8_t shadow) {
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
      return Difference{i, format("it is {} in the original and {} in the variant", ShadowName(was),
                                  ShadowName(is))};
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

// The place of a component of a colour target: "pixel (3, 4), component 2 of the output at location
// 0".
std::string PlaceOf(const ColourTarget& target, size_t component) {
  const size_t pixel = component / 4;
  return format("pixel ({}, {}), component {} of {}", pixel % target.width, pixel / target.width,
                component % 4, TargetText(target.location));
}

// The colour target of `report` that corresponds to `wanted`; its number of targets if there is
// none.
size_t FindTarget(const RunReport& report, const ColourTarget& wanted) {
  const auto& targets = report.outputs.targets;
  size_t i = 0;
  while (i < targets.size() && targets[i].location != wanted.location) ++i;
  return i < targets.size() && targets[i].format == wanted.format ? i : targets.size();
}

// Compares component `at` of two 8-bit targets by their bounds. `widening`: by how many levels the
// variant may leave the bounds of the original.
std::optional<std::string> CompareLevels(const LevelBounds& was, const LevelBounds& is,
                                         bool same_level, size_t at, int widening) {
  const auto level = [at](const std::string& levels) {
    return int{static_cast<uint8_t>(levels[at])};
  };
  const int lowest = level(was.lowest), highest = level(was.highest);
  if (highest - lowest > static_cast<int>(kThresholds.narrow)) {
    if (same_level) return std::nullopt;
    return "its bounds are far apart in the original, and the variant has another level";
  }
  if (level(is.lowest) >= lowest - widening && level(is.highest) <= highest + widening) {
    return std::nullopt;
  }
  return format("its levels are from {} to {} in the original and from {} to {} in the variant",
                lowest, highest, level(is.lowest), level(is.highest));
}

std::optional<std::string> CompareTarget(const RunReport& before, size_t i, const RunReport& after,
                                         size_t j) {
  const ColourTarget& target = before.outputs.targets[i];
  const auto found =
      FirstDifference(target.texels, after.outputs.targets[j].texels, before.target_shadows[i],
                      after.target_shadows[j], TexelSize(target.format) / 4);
  if (!found) return std::nullopt;
  return format("{}: {}", PlaceOf(target, found->part), found->how);
}

// CompareTarget for 8-bit targets with bounds.
std::optional<std::string> CompareTargetByBounds(const RunReport& before, size_t i,
                                                 const RunReport& after, size_t j) {
  const ColourTarget& was = before.outputs.targets[i];
  const ColourTarget& is = after.outputs.targets[j];
  const LevelBounds& bounds = before.target_bounds[i];
  if (was.texels.size() != is.texels.size() || bounds.lowest.size() != was.texels.size() ||
      after.target_bounds[j].lowest.size() != is.texels.size()) {
    return "the two outputs have different sizes";
  }
  const int widening = before.Exact() ? 0 : static_cast<int>(kThresholds.slack);
  for (size_t at = 0; at < was.texels.size(); ++at) {
    if (ShadowAt(before.target_shadows[i], at) >= 2) continue;  // undefined: any value is allowed
    if (ShadowAt(after.target_shadows[j], at) >= 2) {
      return format("{}: it is undefined in the variant", PlaceOf(was, at));
    }
    const auto how = CompareLevels(bounds, after.target_bounds[j], was.texels[at] == is.texels[at],
                                   at, widening);
    if (how) return format("{}: {}", PlaceOf(was, at), *how);
  }
  return std::nullopt;
}

std::optional<std::string> CompareTargets(const RunReport& before, const RunReport& after,
                                          bool by_bounds) {
  for (size_t i = 0; i < before.outputs.targets.size(); ++i) {
    const size_t j = FindTarget(after, before.outputs.targets[i]);
    if (j == after.outputs.targets.size()) {
      return format("the variant does not have {}", TargetText(before.outputs.targets[i].location));
    }
    const bool has_bounds = by_bounds && !before.target_bounds[i].empty();
    auto found = has_bounds ? CompareTargetByBounds(before, i, after, j)
                            : CompareTarget(before, i, after, j);
    if (found) return found;
  }
  return std::nullopt;
}

// The bytes of the addressed buffers among the outputs, by their numbers.
std::vector<uint64_t> AddressedSizes(const RunReport& report) {
  std::vector<uint64_t> sizes;
  for (const BoundBuffer& buffer : report.outputs.buffers) {
    if (buffer.set == kAddressedSet) sizes.push_back(buffer.bytes.size());
  }
  return sizes;
}

// `shadows` of `is`, in which an address counts as exact where `was` has the same one. A variant
// may compute it in a way that the interpreter does not follow, such as by sums of its halves.
std::string WithExactAddresses(const std::vector<uint64_t>& sizes, const std::string& was,
                               const std::string& is, std::string shadows) {
  for (size_t at = 0; at + 8 <= std::min({was.size(), is.size(), shadows.size()}); at += 4) {
    uint64_t number = 0;
    std::memcpy(&number, was.data() + at, sizeof number);
    const uint64_t buffer = (number >> 32) - 1;
    if (number >> 32 == 0 || buffer >= sizes.size() || (number & 0xffffffff) > sizes[buffer] ||
        is.compare(at, 8, was, at, 8) != 0) {
      continue;
    }
    for (size_t i = at; i < at + 8; ++i) {
      if (shadows[i] == static_cast<char>(Shadow::kApproximate)) shadows[i] = 0;
    }
  }
  return shadows;
}

std::optional<std::string> CompareBuffers(const RunReport& before, const RunReport& after) {
  const std::vector<uint64_t> sizes = AddressedSizes(before);
  for (size_t i = 0; i < before.outputs.buffers.size(); ++i) {
    const BoundBuffer& was = before.outputs.buffers[i];
    for (size_t j = 0; j < after.outputs.buffers.size(); ++j) {
      const BoundBuffer& is = after.outputs.buffers[j];
      if (!SamePlace(is, was)) continue;
      const auto found = FirstDifference(
          was.bytes, is.bytes, before.buffer_shadows[i],
          sizes.empty() ? after.buffer_shadows[j]
                        : WithExactAddresses(sizes, was.bytes, is.bytes, after.buffer_shadows[j]),
          1);
      if (!found) continue;
      return format("byte {} of the buffer at {}: {}", found->part, PlaceText(was), found->how);
    }
  }
  return std::nullopt;
}

std::optional<std::string> CompareImages(const RunReport& before, const RunReport& after) {
  for (size_t i = 0; i < before.outputs.images.size(); ++i) {
    const BoundImage& was = before.outputs.images[i];
    for (size_t j = 0; j < after.outputs.images.size(); ++j) {
      const BoundImage& is = after.outputs.images[j];
      if (!SamePlace(is, was)) continue;
      const auto found = FirstDifference(was.texels, is.texels, before.image_shadows[i],
                                         after.image_shadows[j], TexelSize(was.format));
      if (!found) continue;
      return format("texel {} of the image at {}: {}", found->part, PlaceText(was), found->how);
    }
  }
  return std::nullopt;
}

std::optional<std::string> CompareRuns(const RunReport& before, const RunReport& after,
                                       bool by_bounds) {
  CHECK(!before.trap);
  if (after.trap) {
    const uint32_t* who = after.trap->invocation;
    return format("{} in invocation ({}, {}, {})", after.trap->message, who[0], who[1], who[2]);
  }
  if (auto found = CompareTargets(before, after, by_bounds)) return found;
  if (auto found = CompareBuffers(before, after)) return found;
  if (auto found = CompareImages(before, after)) return found;
  // The variant may compute an address in a way that the interpreter does not follow.
  const bool has_addresses = !AddressedSizes(before).empty();
  if (!has_addresses && after.approximate_control && !before.approximate_control) {
    return "an approximate value affects control flow or an address in the variant, but not in the "
           "original";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FindDifference(const RunReport& before, const RunReport& after) {
  return CompareRuns(before, after, false);
}

std::optional<std::string> FindUncertified(const RunReport& before, const RunReport& after) {
  return CompareRuns(before, after, true);
}

}  // namespace engine
}  // namespace refract
