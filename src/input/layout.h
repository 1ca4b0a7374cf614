// SPDX-License-Identifier: Apache-2.0
// Computes where the scalars of a block lie in memory, from its Offset, ArrayStride, MatrixStride
// and RowMajor decorations (SPIR-V 2.16.2, Vulkan's offset and stride assignment).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/bindings.h"
#include "ir/module.h"

namespace refract {
inline namespace input {

/// A scalar in memory.
struct LaidOutScalar {
  /// kAddress: a pointer to PhysicalStorageBuffer, 64 bits.
  enum Kind : uint8_t { kFloat, kInteger, kAddress };
  uint64_t offset = 0;
  uint32_t width = 32;  ///< bits
  Kind kind = kInteger;
  std::vector<uint32_t> path;  ///< indices from the block down, as in an access chain
};

struct Layout {
  /// In the order of members, elements, columns and components; a matrix is column by column.
  std::vector<LaidOutScalar> scalars;
  uint64_t size = 0;  ///< bytes up to the end of the last scalar
  /// The path of a runtime array whose length is not known; it has no scalars.
  std::vector<uint32_t> unsized;
  bool has_unsized = false;
};

/// The layout of `type`, a struct with explicit layout. A runtime array gets `runtime_length`
/// elements. An array whose length is an OpSpecConstant gets its length from `constants`, or from
/// the default of that constant. Errors (without a file name) for types that have no size or are
/// too large.
Result<Layout> LayOut(const Module& module, Id type, uint32_t runtime_length,
                      const std::vector<BoundConstant>& constants = {});

/// The number of descriptors of a variable whose type is the array `type`; an error if it is not
/// constant, if the elements are arrays, or if it is above kMaxDescriptors. An OpSpecConstant has
/// the value that LayOut gives it.
Result<uint32_t> DescriptorCount(const Module& module, Id type,
                                 const std::vector<BoundConstant>& constants = {});

struct RuntimeArrayPlace {
  uint64_t offset = 0;  ///< bytes from the start of the block
  uint32_t stride = 1;
};
/// Where the runtime array of the block with struct type `type` lies. `layout` is the layout of
/// that block and has a runtime array. An error if the array is not a direct member of the block.
Result<RuntimeArrayPlace> PlaceOfRuntimeArray(const Module& module, const Layout& layout, Id type);

}  // namespace input
}  // namespace refract
