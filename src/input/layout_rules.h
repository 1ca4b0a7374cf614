// SPDX-License-Identifier: Apache-2.0
// Checks whether the layout of a block is one that every implementation supports: Vulkan's "Offset
// and Stride Assignment" without the features that relax it (scalarBlockLayout,
// uniformBufferStandardLayout). LayOut (layout.h) says where the data of a block is; this says
// whether it may be there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/module.h"

namespace refract {
inline namespace input {

enum class LayoutRules : uint8_t {
  kUniform,       ///< arrays and structs are aligned to 16 bytes (std140)
  kPushConstant,  ///< arrays and structs are aligned as their parts are (std430)
};

/// A change of one number of a layout: a decoration of a member of the struct `type` (Offset,
/// MatrixStride, or RowMajor: 1 for RowMajor, 0 for ColMajor) or of the array `type` (ArrayStride).
struct LayoutChange {
  Id type = Id::kNone;
  uint32_t member = 0;
  spv::Decoration decoration = spv::Decoration::Offset;
  uint32_t value = 0;
};

/// The size and the alignment of something in a block.
struct Extent {
  uint64_t size = 0;  ///< for arrays, matrices and structs with the padding at the end
  uint64_t alignment = 1;
};

/// How the matrices in a member of a struct lie in memory; stride 0: there is no decoration.
struct MatrixLayout {
  uint32_t stride = 0;
  bool row_major = false;
};
/// The matrix layout that the decorations of a member give.
MatrixLayout MatrixLayoutOf(const Module& module, Id type, uint32_t member);

/// The extent of a type in a block. nullopt if its layout breaks the rules or is incomplete, or if
/// its size is unknown (specialisation constants, runtime arrays) or too large.
std::optional<Extent> ExtentOf(const Module& module, Id type, LayoutRules rules,
                               MatrixLayout matrix, const LayoutChange* change = nullptr);
/// The extent of a number of `width` bits, or of a vector of `count` of them.
Extent ExtentOfNumbers(uint32_t width, uint32_t count);

struct PlacedMember {
  uint64_t offset = 0;
  Extent extent;
};
/// The extent of a struct with these members, in any order; nullopt if a member is not aligned or
/// two members overlap.
std::optional<Extent> ExtentOfMembers(std::vector<PlacedMember> members, LayoutRules rules);

}  // namespace input
}  // namespace refract
