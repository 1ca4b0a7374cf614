// SPDX-License-Identifier: Apache-2.0
// Finds the differences between the outputs of two runs, except in 8-bit images, which
// image/compare.h compares.
//
// Under the rule exact, every bit counts. The other rules are for shaders whose results may be
// rounded differently by each driver. Under them, 32-bit and 64-bit floats may differ by a 65,536th
// of the larger one (16-bit floats by a 256th), or both may be smaller than the smallest normal
// number, and unorm and snorm texels may differ by 1. Integers must be equal. A NaN equals only the
// same bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "image/compare.h"
#include "input/layout.h"
#include "input/outputs.h"

namespace refract {
inline namespace target {

/// An output that differs between the runs, or that only one of them has.
struct Difference {
  std::string kind;       ///< "target", "buffer" or "image"
  std::string place;      ///< "location 1" or "set 0, binding 3"
  uint64_t elements = 0;  ///< how many differ; 0: the sizes differ, or one is missing
  std::string element;    ///< the first of them: "texel (3, 4, 0), component 1" or "byte 12"
  std::string a, b;       ///< its values
};

/// The layout of a storage buffer, which tells which words are floats.
struct BufferLayout {
  uint32_t set = 0;
  uint32_t binding = 0;
  Layout layout;
  uint32_t element = 0;
};

/// Adds what is known of the layouts of addressed buffers.
void AddAddressedLayouts(const Bindings& bindings, std::vector<BufferLayout>* layouts);

/// "location 1", "set 0, binding 3"
std::string PlaceOf(const ColourTarget& target);
std::string PlaceOf(const BoundBuffer& buffer);
std::string PlaceOf(const BoundImage& image);

/// All outputs that differ: colour targets, then buffers, then images. For 8-bit targets it only
/// checks that both runs have them. A buffer without a layout is compared word by word.
std::vector<Difference> Differences(const Outputs& a, const Outputs& b, CompareRule rule,
                                    const std::vector<BufferLayout>& layouts = {});

}  // namespace target
}  // namespace refract
