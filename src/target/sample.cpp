// SPDX-License-Identifier: Apache-2.0
#include "target/sample.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "base/text.h"
#include "interp/code.h"

namespace refract {
inline namespace target {
namespace {

std::string Grouped(uint64_t number) {
  std::string text = format("{}", number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

struct Grid {
  uint64_t columns = 0, rows = 0;
};
// The arrangement of the units. A dispatch is one row.
Grid GridOf(const Program::Code& code) {
  const Bindings& bindings = code.bindings;
  if (code.is_compute) {
    return {uint64_t{bindings.groups[0]} * bindings.groups[1] * bindings.groups[2], 1};
  }
  return {(uint64_t{bindings.width} + 1) / 2, (uint64_t{bindings.height} + 1) / 2};
}

uint64_t PixelsOf(uint64_t quad, const Bindings& bindings, uint64_t columns) {
  const uint64_t x = quad % columns * 2, y = quad / columns * 2;
  return std::min<uint64_t>(2, bindings.width - x) * std::min<uint64_t>(2, bindings.height - y);
}

}  // namespace

uint64_t CountSampleUnits(const Program& program) {
  const Grid grid = GridOf(program.code());
  return std::max<uint64_t>(1, grid.columns * grid.rows);
}

std::vector<uint32_t> SpreadSample(const Program& program, uint64_t count) {
  if (count >= CountSampleUnits(program)) return {};
  const Grid grid = GridOf(program.code());
  // The parts are as near to squares as possible.
  const double aspect = static_cast<double>(grid.columns) / static_cast<double>(grid.rows);
  const auto wide =
      static_cast<uint64_t>(std::lround(std::sqrt(static_cast<double>(count) * aspect)));
  const uint64_t across = std::clamp<uint64_t>(wide, 1, std::min(grid.columns, count));
  const uint64_t down = std::clamp<uint64_t>(count / across, 1, grid.rows);
  std::vector<uint32_t> sample;
  for (uint64_t j = 0; j < down; ++j) {
    const uint64_t top = grid.rows * j / down, bottom = grid.rows * (j + 1) / down;
    for (uint64_t i = 0; i < across; ++i) {
      const uint64_t left = grid.columns * i / across, right = grid.columns * (i + 1) / across;
      Random random(Mix(Mix(count, j), i));
      const uint64_t row = top + random.Below(bottom - top);
      const uint64_t column = left + random.Below(right - left);
      sample.push_back(static_cast<uint32_t>(row * grid.columns + column));
    }
  }
  std::sort(sample.begin(), sample.end());
  return sample;
}

Extent ExtentOf(const Program& program, const std::vector<uint32_t>& sample) {
  const Program::Code& code = program.code();
  const Grid grid = GridOf(code);
  if (code.is_compute) {
    const uint64_t all = grid.columns * grid.rows;
    return {sample.empty() ? all : sample.size(), all, true};
  }
  const uint64_t all = uint64_t{code.bindings.width} * code.bindings.height;
  Extent extent{sample.empty() ? all : 0, all, false};
  for (const uint32_t quad : sample) {
    extent.looked_at += PixelsOf(quad, code.bindings, grid.columns);
  }
  return extent;
}

std::string ExtentText(const Extent& extent) {
  const char* unit = extent.workgroups ? "workgroup" : "pixel";
  const char* plural = extent.all == 1 ? "" : "s";
  if (extent.is_whole()) return format("all {} {}{}", Grouped(extent.all), unit, plural);
  return format("{} of {} {}{}", Grouped(extent.looked_at), Grouped(extent.all), unit, plural);
}

void CopyUnsampled(const std::vector<uint32_t>& sample, const Outputs& from, uint32_t samples,
                   Outputs* to) {
  if (sample.empty()) return;
  for (ColourTarget& target : to->targets) {
    const auto is_same = [&](const ColourTarget& other) {
      return other.location == target.location && other.format == target.format &&
             other.width == target.width && other.height == target.height;
    };
    const auto other = std::find_if(from.targets.begin(), from.targets.end(), is_same);
    if (other == from.targets.end()) continue;
    const size_t size = TexelSize(target.format), pixels = target.width / samples;
    const size_t columns = (pixels + 1) / 2;
    std::string merged = other->texels;
    for (const uint32_t quad : sample) {
      const size_t x = quad % columns * 2, y = quad / columns * 2;
      const size_t across = std::min<size_t>(2, pixels - x) * samples;
      for (size_t row = y; row < std::min<size_t>(y + 2, target.height); ++row) {
        const size_t at = (row * target.width + x * samples) * size;
        std::copy_n(target.texels.data() + at, across * size, merged.data() + at);
      }
    }
    target.texels = std::move(merged);
  }
}

}  // namespace target
}  // namespace refract
