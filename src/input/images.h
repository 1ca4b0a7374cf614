// SPDX-License-Identifier: Apache-2.0
// The images and samplers of a module, as one entry point sees them.
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

namespace refract::inline input {

struct ImageVariable {
  Id variable = Id::kNone;
  uint32_t set = 0;
  uint32_t binding = 0;
  BoundImage::Kind kind = BoundImage::kCombined;
  spv::Dim dim = spv::Dim::Dim2D;
  bool arrayed = false;
  /// What a texel is to the shader: kFloat, kInt or kUint.
  TexelFormat::Kind component = TexelFormat::kFloat;
  /// Of storage images, as the type has it; Unknown: the shader does not say.
  spv::ImageFormat format = spv::ImageFormat::Unknown;
  bool read = true;  ///< false: the entry point only stores to it

  /// "texture2D" and the like: what its entry in shader.json is called.
  std::string Func() const;
};

/// All single images and samplers that the entry point uses, sorted by set and binding; variables
/// that share one stay in the order of the module. kUnavailable for kinds that cannot be provided:
/// multisampled, depth, buffer and subpass images, and formats that no image may have here.
Result<std::vector<ImageVariable>> ImagesOf(const Module& module, const EntryPoint& entry,
                                            const BlockNames& names);

}  // namespace refract::inline input
