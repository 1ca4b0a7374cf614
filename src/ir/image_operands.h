// SPDX-License-Identifier: Apache-2.0
// The image operands of an instruction that samples, fetches or gathers (SPIR-V 3.14): a mask, and
// the operands of its bits in the order of the bits.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/module.h"

namespace refract {
inline namespace ir {

struct ImageOperandList {
  static constexpr uint32_t kBias = 0x1, kLod = 0x2, kGrad = 0x4, kConstOffset = 0x8,
                            kOffset = 0x10, kConstOffsets = 0x20;
  static constexpr uint32_t kKnown = 0x3f;
  uint32_t mask = 0;
  Id bias = Id::kNone, lod = Id::kNone;
  Id grad[2] = {Id::kNone, Id::kNone};
  Id offset = Id::kNone;  ///< of kConstOffset, kOffset or kConstOffsets
  uint32_t at = 0;        ///< the index of the mask, present or not
};

/// The operands of a sample, fetch or gather. Nullopt for other instructions, and if the mask has
/// other bits than kKnown or several kinds of offsets.
std::optional<ImageOperandList> ImageOperandsOf(const Module& module, Inst inst);

/// True if the instruction names a level other than 0 of its image, or derives one from a gradient,
/// a bias or the coordinates of other invocations as a query does.
bool NamesLevel(const Module& module, Inst inst);

/// The operands before the mask, then `list`. An empty mask is left out.
Args WithImageOperands(const Module& module, Inst inst, const ImageOperandList& list);

/// Returns how many components a coordinate or offset of the type has: 1 for a scalar.
uint32_t ComponentsOf(const Module& module, Id type);

/// True if the instruction compares a depth with texels.
bool IsDepthComparison(spv::Op opcode);

/// What an image instruction accesses. `axes` is 0 for multisampled images and for dimensions that
/// have no levels.
struct AccessedImage {
  spv::Dim dim = spv::Dim::Dim2D;
  uint32_t axes = 0;  ///< components of a coordinate without layer; 3 for a cube
  bool arrayed = false;
};
/// The image that operand 0, an image or a sampled image, refers to.
AccessedImage AccessedImageOf(const Module& module, Inst inst);

}  // namespace ir
}  // namespace refract
