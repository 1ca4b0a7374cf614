// SPDX-License-Identifier: Apache-2.0
#include "interp/target_bounds.h"

#include <algorithm>
#include <string>

#include "input/texels.h"

namespace refract {
inline namespace interp {

TargetBounds::TargetBounds(const std::vector<ColourTarget>& targets, bool known) {
  for (const ColourTarget& target : targets) {
    LevelBounds& bounds = bounds_.emplace_back();
    uncertain_.resize(size_t{target.width} * target.height);
    if (target.format != spv::ImageFormat::Rgba8) continue;
    bounds.lowest = known ? target.texels : std::string(target.texels.size(), '\0');
    bounds.highest = known ? target.texels : std::string(target.texels.size(), '\xff');
  }
}

void TargetBounds::SetToTexels(const std::vector<ColourTarget>& targets, size_t pixel) {
  for (size_t i = 0; i < bounds_.size(); ++i) {
    if (bounds_[i].empty()) continue;
    const char* texel = targets[i].texels.data() + 4 * pixel;
    std::copy_n(texel, 4, bounds_[i].lowest.data() + 4 * pixel);
    std::copy_n(texel, 4, bounds_[i].highest.data() + 4 * pixel);
  }
}

void TargetBounds::Set(size_t target, size_t component, const Level& level) {
  bounds_[target].lowest[component] = static_cast<char>(level.lowest);
  bounds_[target].highest[component] = static_cast<char>(level.highest);
}

std::vector<LevelBounds> TargetBounds::Take(bool nothing) {
  for (LevelBounds& bounds : bounds_) {
    if (bounds.empty()) continue;
    for (size_t pixel = 0; pixel < uncertain_.size(); ++pixel) {
      if (!nothing && !uncertain_[pixel]) continue;
      std::fill_n(bounds.lowest.data() + 4 * pixel, 4, '\0');
      std::fill_n(bounds.highest.data() + 4 * pixel, 4, '\xff');
    }
  }
  return std::move(bounds_);
}

}  // namespace interp
}  // namespace refract
