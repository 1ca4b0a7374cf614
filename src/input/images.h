// SPDX-License-Identifier: Apache-2.0
// Finds the images, samplers and acceleration structures that an entry point uses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/bindings.h"
#include "input/block_names.h"
#include "input/texels.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract {
inline namespace input {

struct ImageVariable {
  Id variable = Id::kNone;
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t element = 0;   ///< the number of the descriptor in the array
  bool in_array = false;  ///< the variable is an array of descriptors
  BoundImage::Kind kind = BoundImage::kCombined;
  spv::Dim dim = spv::Dim::Dim2D;
  bool arrayed = false;
  /// The type of a texel in the shader: kFloat, kInt or kUint.
  TexelFormat::Kind component = TexelFormat::kFloat;
  /// The format of a storage image, as its type gives it; Unknown if the type does not give one.
  spv::ImageFormat format = spv::ImageFormat::Unknown;
  bool read = true;    ///< false: the entry point only stores to it
  bool depth = false;  ///< combined with a sampler that compares depths
  bool multisampled = false;
  /// The entry point names levels of it: by a query, a level that is not 0, a bias or a gradient.
  bool by_level = false;
  uint32_t attachment = 0;  ///< of an input attachment: its InputAttachmentIndex

  /// The name of its kind in shader.json, such as "texture2D".
  std::string Func() const;
};

/// All images, samplers and acceleration structures that the entry point uses, one for each element
/// of an array of them, sorted by set, binding and element; variables at the same place keep the
/// order of the module. `constants` are the specialisation constants in lengths of arrays. The
/// error is kUnavailable for unsupported kinds: depth images that are not combined with a sampler,
/// unsupported formats, and acceleration structures that the shader makes from numbers.
Result<std::vector<ImageVariable>> ImagesOf(const Module& module, const EntryPoint& entry,
                                            const BlockNames& names,
                                            const std::vector<BoundConstant>& constants = {});

}  // namespace input
}  // namespace refract
