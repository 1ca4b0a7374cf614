// SPDX-License-Identifier: Apache-2.0
// Which mip levels a sample may read (Vulkan, "Scale Factor Operation, LOD Operation and Image
// Level(s) Selection"). Private to this library.
//
// HOW EXACT IT IS. A given level of detail has the accuracy of mipmapPrecisionBits, of which every
// device has at least 4, so it may be off by 1/16. A level of detail that is an integer without an
// error is exact. The scale factor of a gradient may be anything from the largest of its components
// to 1.41 times their sum, so a level of detail that is computed from one is a range.
#pragma once

#include "interp/math/range_arithmetic.h"
#include "interp/ops/float_columns.h"
#include "interp/ops/ops_image.h"

namespace refract {
inline namespace interp {

/// A component of the coordinate of a sample. If the instruction projects, it is divided by the
/// last component. Undefined if it or the divisor is.
FloatValue SampledCoordinate(Machine& machine, const ImageOperands& form, uint32_t lane,
                             uint32_t component);

/// The axes of a cube's face: coordinate / |major| is from -1 to 1 on the face.
struct CubeFace {
  uint32_t major = 2;                ///< the component that selects the face
  uint32_t along[2] = {0, 1};        ///< the components for s and t
  bool flipped[2] = {false, false};  ///< their signs change
  bool negative = false;
  uint32_t number() const { return 2 * major + (negative ? 1 : 0); }
};
CubeFace FaceOf(const FloatValue (&direction)[3]);

/// What decides about the levels of one sample.
struct LevelChoice {
  math::Range lod;        ///< before the limits of the sampler: the second result of a query
  double likely_lod = 0;  ///< in `lod`
  math::Range level;      ///< from 0 to the last level, before it is rounded
  double likely_level = 0;
  bool is_undefined = false;   ///< the least level of detail is above the largest one
  uint32_t low = 0, high = 0;  ///< all levels that may be read
  bool mixes = false;          ///< the sampler filters between levels
};

/// For a sample or a query of the level of detail. Returns false after a trap.
bool ChooseLevels(Machine& machine, const Op& op, const ImageOperands& form, uint32_t lane,
                  LevelChoice* choice);

}  // namespace interp
}  // namespace refract
