// SPDX-License-Identifier: Apache-2.0
// Parts of an image or dispatch that stand for the whole where that is too dear to interpret.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interp/interpreter.h"

namespace refract::inline target {

/// Quads of an image, workgroups of a dispatch: RunOptions::sample. At least 1.
uint64_t UnitsOf(const Program& program);
/// About `count` of them, ascending, spread evenly: the image or dispatch is cut into as many parts
/// of about one size, and of each part one unit is taken, always the same. Empty: all.
std::vector<uint32_t> SpreadSample(const Program& program, uint64_t count);

/// How much of a program was looked at: pixels of an image, workgroups of a dispatch.
struct Extent {
  uint64_t looked_at = 0;
  uint64_t all = 0;
  bool workgroups = false;  ///< else pixels

  bool is_whole() const { return looked_at == all; }
};
Extent ExtentOf(const Program& program, const std::vector<uint32_t>& sample);
/// "4,096 of 65,536 pixels", "all 65,536 pixels", "1 of 64 workgroups".
std::string ExtentText(const Extent& extent);

/// What `from` has where nothing was looked at, into `to`, which is of the same size: then only
/// what the sample drew can differ. For images only.
void CopyUnsampled(const std::vector<uint32_t>& sample, const Outputs& from, Outputs* to);

}  // namespace refract::inline target
