// SPDX-License-Identifier: Apache-2.0
// Where what two runs left behind differs, for everything but 8-bit pictures, which
// image/compare.h measures.
//
// Under rule exact every bit counts. Under the other rules, which are for shaders whose results
// vendors may round as they like, floats of 32 and 64 bits may be apart by a 65,536th of the larger
// one (of 16 bits: by a 256th), or both be smaller than the smallest normal number, and levels of
// unorm and snorm texels by 1. Integers are equal or not; a NaN equals the same bits only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "image/compare.h"
#include "input/layout.h"
#include "input/outputs.h"

namespace refract::inline target {

/// One output that is not the same in both.
struct Difference {
  std::string kind;       ///< "target", "buffer" or "image"
  std::string place;      ///< "location 1" or "set 0, binding 3"
  uint64_t elements = 0;  ///< components or words that differ; 0: only one run has such an output
  std::string element;    ///< the first of them: "texel (3, 4, 0), component 1" or "byte 12"
  std::string a, b;       ///< its values
};

/// What the scalars of a storage buffer are, so that floats can be told from other words.
struct BufferLayout {
  uint32_t set = 0;
  uint32_t binding = 0;
  Layout layout;
};

/// "location 1", "set 0, binding 3"
std::string PlaceOf(const ColourTarget& target);
std::string PlaceOf(const BoundBuffer& buffer);
std::string PlaceOf(const BoundImage& image);

/// All outputs that differ: targets, then buffers, then images. Of 8-bit targets only whether both
/// runs have them. A buffer without a layout is compared word by word.
std::vector<Difference> Differences(const Outputs& a, const Outputs& b, CompareRule rule,
                                    const std::vector<BufferLayout>& layouts = {});

}  // namespace refract::inline target
