// SPDX-License-Identifier: Apache-2.0
// Samples: parts of an image or dispatch that are interpreted instead of the whole, if that takes
// too long.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interp/interpreter.h"

namespace refract {
inline namespace target {

/// The number of 2x2 quads of an image, or of workgroups of a dispatch (RunOptions::sample). At
/// least 1.
uint64_t CountSampleUnits(const Program& program);
/// About `count` units in ascending order, spread evenly: the image or dispatch is cut into `count`
/// parts of similar size, and one unit is taken from each part, always the same one. Empty: all
/// units.
std::vector<uint32_t> SpreadSample(const Program& program, uint64_t count);

/// How much of a program was interpreted: pixels of an image, or workgroups of a dispatch.
struct Extent {
  uint64_t looked_at = 0;
  uint64_t all = 0;
  bool workgroups = false;  ///< else pixels

  bool is_whole() const { return looked_at == all; }
};
Extent ExtentOf(const Program& program, const std::vector<uint32_t>& sample);
/// "4,096 of 65,536 pixels", "all 65,536 pixels", "1 of 64 workgroups".
std::string ExtentText(const Extent& extent);

/// Copies the pixels that the sample does not have from `from` into `to`, which has the same size,
/// so that only pixels of the sample can differ. For images only. A pixel has `samples` samples.
void CopyUnsampled(const std::vector<uint32_t>& sample, const Outputs& from, uint32_t samples,
                   Outputs* to);

}  // namespace target
}  // namespace refract
