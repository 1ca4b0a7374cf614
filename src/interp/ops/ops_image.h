// SPDX-License-Identifier: Apache-2.0
// Handlers of image instructions. Private to this library.
//
// An image or sampler is one row with its index in Bindings::images. A sampled image is two rows,
// image and sampler. The operands of an op are in Code::words, as an ImageOperands.
#pragma once

#include <spirv/unified1/spirv.hpp11>

#include "interp/code.h"
#include "interp/machine.h"

namespace refract {
inline namespace interp {

constexpr uint32_t kNoRow = 0xffffffffu;

/// The operands of an image instruction, stored in Code::words from Op::list on.
struct ImageOperands {
  uint32_t coordinate = 0;  ///< the first row
  uint32_t scalar = 0;      ///< Scalar of the coordinate and of offsets
  uint32_t is_signed = 0;   ///< for integer coordinates
  /// 1 to 3; for arrays the layer is the next component of the coordinate.
  uint32_t axes = 0;
  uint32_t arrayed = 0;
  /// A cube that is sampled or asked for its size: `axes` is 2, but a coordinate is a direction of
  /// three components. Texels of cubes are accessed as those of an array of faces.
  uint32_t cube = 0;
  uint32_t attachment = 0;   ///< coordinates begin at the pixel of the fragment
  uint32_t sample = kNoRow;  ///< for fetches from multisampled images: the number of the sample
  uint32_t sample_scalar = 0;
  uint32_t projective = 0;   ///< the last component of the coordinate divides the others
  uint32_t offset = kNoRow;  ///< ConstOffset or Offset
  uint32_t offset_scalar = 0;
  uint32_t offsets = kNoRow;  ///< ConstOffsets: four pairs
  uint32_t lod = kNoRow;      ///< an integer for fetches and size queries, else a float
  uint32_t lod_scalar = 0;
  uint32_t component = kNoRow;  ///< for gathers
  uint32_t component_scalar = 0;
  uint32_t reference = kNoRow;  ///< the depth that is compared with the texels
  uint32_t bias = kNoRow, min_lod = kNoRow;
  uint32_t grad[2] = {kNoRow, kNoRow};  ///< the first rows of the gradients for x and y
};
constexpr uint32_t kImageOperandsWords = sizeof(ImageOperands) / 4;

// a: the row of the image (the next row is that of the sampler). The result has `count` components
// of `scalar`.
void FetchTexel(Machine& machine, const Op& op);  ///< OpImageFetch, OpImageRead
void WriteTexel(Machine& machine, const Op& op);  ///< c: the first row of the texel
void SampleImage(Machine& machine, const Op& op);
void GatherTexels(Machine& machine, const Op& op);
/// The result has two rows: the number of the texel and the index of the image.
void PointToTexel(Machine& machine, const Op& op);
/// The result has `count` components of `scalar`.
void QueryImageSize(Machine& machine, const Op& op);
void QueryImageLevels(Machine& machine, const Op& op);
void QueryImageSamples(Machine& machine, const Op& op);
/// OpImageQueryLod: the level that a sample would read, and its level of detail.
void QueryImageLod(Machine& machine, const Op& op);

/// Reads the ImageOperands of an op.
ImageOperands ImageOperandsOf(const Machine& machine, const Op& op);

/// A component of a texel, before it is stored to a result.
struct TexelValue {
  double number = 0;        ///< if the result is a float
  uint32_t bits = 0;        ///< if the result is an integer
  uint32_t shadow = 0;      ///< of the texel; kApproximateBit also for integers that may differ
  bool normalised = false;  ///< the conversion from fixed point may round in either direction
  double extra_error = 0;   ///< additional error of a float
};
void PutTexelValue(Machine& machine, const Op& op, uint32_t component, uint32_t lane,
                   const TexelValue& value);
/// Sets all components of the result to undefined.
void PutUndefinedTexel(Machine& machine, const Op& op, uint32_t lane);

}  // namespace interp
}  // namespace refract
