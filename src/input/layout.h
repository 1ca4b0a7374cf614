// SPDX-License-Identifier: Apache-2.0
// Where the scalars of a block lie in memory, as its Offset, ArrayStride, MatrixStride and RowMajor
// decorations say (SPIR-V 2.16.2, Vulkan's offset and stride assignment).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/bindings.h"
#include "ir/module.h"

namespace refract::inline input {

/// A scalar in memory.
struct LaidOutScalar {
  enum Kind : uint8_t { kFloat, kInteger };
  uint64_t offset = 0;
  uint32_t width = 32;  ///< bits
  Kind kind = kInteger;
  std::vector<uint32_t> path;  ///< indices from the block down, what an access chain would have
};

struct Layout {
  /// In the order of members, elements, columns and components: a matrix column by column.
  std::vector<LaidOutScalar> scalars;
  uint64_t size = 0;  ///< bytes: the end of the last scalar
  /// The path of the runtime array whose length was not known; it has no scalars then.
  std::vector<uint32_t> unsized;
  bool has_unsized = false;
};

/// The layout of `type`, a struct with explicit layout. A runtime array gets `runtime_length`
/// elements, an array sized by an OpSpecConstant as many as `constants` or its default say. Errors
/// (no file name) for types that have no size, or are too large to fill here.
Result<Layout> LayOut(const Module& module, Id type, uint32_t runtime_length,
                      const std::vector<BoundConstant>& constants = {});

struct RuntimeArrayPlace {
  uint64_t offset = 0;  ///< in bytes from the block's begin
  uint32_t stride = 1;
};
/// Where the runtime array of a block of struct type `type` lies; `layout` is the block's and has
/// one. An error if that is not the block's own last member.
Result<RuntimeArrayPlace> PlaceOfRuntimeArray(const Module& module, const Layout& layout, Id type);

}  // namespace refract::inline input
