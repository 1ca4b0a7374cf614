// SPDX-License-Identifier: Apache-2.0
// The layouts of blocks that every implementation takes: Vulkan's "Offset and Stride Assignment"
// without any of the features that relax it (scalarBlockLayout, uniformBufferStandardLayout). What
// LayOut (layout.h) says of a block is where its data is; this is whether it may be there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/module.h"

namespace refract::inline input {

enum class LayoutRules : uint8_t {
  kUniform,       ///< arrays and structs are aligned to 16 bytes (std140)
  kPushConstant,  ///< they are aligned as what they are made of (std430)
};

/// One number of a layout as it would be: a decoration of a member of the struct `type` (Offset,
/// MatrixStride, or RowMajor: 1 for RowMajor, 0 for ColMajor) or of the array `type` (ArrayStride).
struct LayoutChange {
  Id type = Id::kNone;
  uint32_t member = 0;
  spv::Decoration decoration = spv::Decoration::Offset;
  uint32_t value = 0;
};

/// How much room something takes, and where it may begin.
struct Extent {
  uint64_t size = 0;  ///< of arrays, matrices and structs with what pads them at the end
  uint64_t alignment = 1;
};

/// How matrices lie below a member of a struct; stride 0: not said.
struct MatrixPlace {
  uint32_t stride = 0;
  bool row_major = false;
};
/// What the decorations of a member say.
MatrixPlace MatrixPlaceOf(const Module& module, Id type, uint32_t member);

/// The extent of a type in a block; nullopt if its layout breaks the rules, is not said in full, or
/// has a size that is not known (spec constants, runtime arrays) or is beyond reason.
std::optional<Extent> ExtentOf(const Module& module, Id type, LayoutRules rules, MatrixPlace matrix,
                               const LayoutChange* change = nullptr);
/// Of a number of so many bits, or of a vector of them.
Extent ExtentOfNumbers(uint32_t width, uint32_t count);

struct PlacedMember {
  uint64_t offset = 0;
  Extent extent;
};
/// The extent of a struct with these members, in any order; nullopt if one is not aligned or two
/// overlap.
std::optional<Extent> ExtentOfMembers(std::vector<PlacedMember> members, LayoutRules rules);

}  // namespace refract::inline input
