// SPDX-License-Identifier: Apache-2.0
// Handlers of image instructions. Inside this room only.
//
// An image or sampler is one row, its number in Bindings::images; a sampled image is two, image and
// sampler. What an op needs of the operands lies in Code::words as an ImageForm.
#pragma once

#include <spirv/unified1/spirv.hpp11>

#include "interp/code.h"
#include "interp/machine.h"

namespace refract::inline interp {

constexpr uint32_t kNoRow = 0xffffffffu;

/// The operands of an image instruction, as they lie in Code::words from Op::list on.
struct ImageForm {
  uint32_t coordinate = 0;  ///< first row
  uint32_t scalar = 0;      ///< Scalar of the coordinate and of offsets
  uint32_t is_signed = 0;   ///< of integer coordinates
  uint32_t axes = 0;        ///< 1 to 3; the layer of arrays follows in the coordinate
  uint32_t arrayed = 0;
  uint32_t projective = 0;   ///< the coordinate's last component divides the others
  uint32_t offset = kNoRow;  ///< ConstOffset or Offset
  uint32_t offset_scalar = 0;
  uint32_t offsets = kNoRow;  ///< ConstOffsets: four pairs
  uint32_t lod = kNoRow;      ///< of fetches and size queries
  uint32_t lod_scalar = 0;
  uint32_t component = kNoRow;  ///< of gathers
  uint32_t component_scalar = 0;
};
constexpr uint32_t kImageFormWords = sizeof(ImageForm) / 4;

// a: the row of the image (and, one further, of the sampler). The result has `count` components of
// `scalar`.
void FetchTexel(Machine& machine, const Op& op);   ///< OpImageFetch, OpImageRead
void WriteTexel(Machine& machine, const Op& op);   ///< c: first row of the texel
void SampleImage(Machine& machine, const Op& op);  ///< whichever the level: there is one
void GatherTexels(Machine& machine, const Op& op);
/// Result: two rows, the texel's number and the image's.
void PointToTexel(Machine& machine, const Op& op);
/// `count` components of `scalar`.
void QueryImageSize(Machine& machine, const Op& op);

/// What an op's list says.
ImageForm ImageFormOf(const Machine& machine, const Op& op);

/// A component of a texel on its way to a result.
struct TexelValue {
  double number = 0;        ///< where the result is a float
  uint32_t bits = 0;        ///< where it is an integer
  uint32_t shadow = 0;      ///< of the texel, kApproximateBit also of integers that may be others
  bool normalised = false;  ///< the conversion from fixed point may round in any way
  double off = 0;           ///< how far off a float may be beside that
};
void PutTexelValue(Machine& machine, const Op& op, uint32_t component, uint32_t lane,
                   const TexelValue& value);
/// All components of the result become undefined.
void PutNoTexel(Machine& machine, const Op& op, uint32_t lane);

}  // namespace refract::inline interp
