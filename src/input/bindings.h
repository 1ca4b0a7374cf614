// SPDX-License-Identifier: Apache-2.0
// What a device needs besides the module: bytes for every buffer, texels for every image, push
// constants, values of specialisation constants, the size of the frame or dispatch. The input room
// fills it from shader.json and the module's layout; a harness copies it and asks no questions, so
// it knows neither names nor types. The interpreter is given the same.
#pragma once

#include <cstdint>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <vector>

namespace refract::inline input {

/// One buffer descriptor. `bytes` is the buffer's whole content, laid out as the module's block
/// says.
struct BoundBuffer {
  uint32_t set = 0;
  uint32_t binding = 0;
  bool storage = false;  ///< storage buffer; otherwise uniform buffer
  std::string bytes;

  friend bool operator==(const BoundBuffer&, const BoundBuffer&) = default;
};

/// One image descriptor, with one mip level; or a sampler without an image.
struct BoundImage {
  enum Kind : uint8_t {
    kSampled,   ///< an OpTypeImage with Sampled 1
    kCombined,  ///< an OpTypeSampledImage
    kSampler,   ///< an OpTypeSampler: nothing but `linear` and `repeat` counts
    kStorage,   ///< an OpTypeImage with Sampled 2
  };
  uint32_t set = 0;
  uint32_t binding = 0;
  Kind kind = kCombined;
  spv::Dim dim = spv::Dim::Dim2D;  ///< 1D, 2D, 3D or Cube
  bool arrayed = false;
  spv::ImageFormat format = spv::ImageFormat::Rgba8;  ///< how `texels` are to be read
  uint32_t width = 1;
  uint32_t height = 1;  ///< 1 of 1D images
  uint32_t depth = 1;   ///< of 3D images
  uint32_t layers = 1;  ///< of arrays and cubes: 6 for each cube
  bool linear = false;  ///< filter between texels; otherwise nearest
  bool repeat = true;   ///< coordinates outside wrap; otherwise they are clamped to the edge
  std::string texels;   ///< row by row, slice by slice, layer by layer, without padding

  friend bool operator==(const BoundImage&, const BoundImage&) = default;
};

/// Whether kind, sides, layers and texels of an image go together: at least one texel, none of the
/// sides above 2^16, and as many bytes as the format wants. Samplers always do.
bool IsSound(const BoundImage& image);

/// The value of a specialisation constant.
struct BoundConstant {
  uint32_t id = 0;     ///< SpecId
  uint32_t width = 0;  ///< bits: 8, 16, 32 or 64; booleans are 32 wide, 0 or 1 (VkBool32)
  uint64_t bits = 0;   ///< above `width`: 0

  friend bool operator==(const BoundConstant&, const BoundConstant&) = default;
};

/// The other shader of a pipeline: the vertex shader that feeds a fragment shader under test, or
/// the fragment shader behind a vertex shader under test. It stays as it is, whatever becomes of
/// that.
struct BoundCompanion {
  std::vector<uint32_t> spirv;  ///< empty: there is none
  std::string entry;
  std::vector<BoundConstant> constants;

  explicit operator bool() const { return !spirv.empty(); }
  friend bool operator==(const BoundCompanion&, const BoundCompanion&) = default;
};

/// All inputs of one run. Buffers and images are sorted by (set, binding) by who makes it, no pair
/// twice; constants by id.
struct Bindings {
  std::vector<BoundBuffer> buffers;
  std::vector<BoundImage> images;
  std::string push_constants;  ///< from offset 0; empty if the module has none
  std::vector<BoundConstant> constants;
  uint32_t width = 256;  ///< of the frame, in pixels
  uint32_t height = 256;
  /// What outputs of floats are drawn to: Rgba8, or Rgba32f to have them bit for bit.
  spv::ImageFormat float_target = spv::ImageFormat::Rgba8;
  uint32_t groups[3] = {1, 1, 1};  ///< workgroups of a dispatch
  BoundCompanion companion;        ///< buffers, images and push constants are of both
  uint32_t grid_columns = 1;       ///< cells of the grid that a vertex shader is given (grid.h)
  uint32_t grid_rows = 1;

  friend bool operator==(const Bindings&, const Bindings&) = default;
};

/// Frames that are run are at most this wide and high: every Vulkan implementation can do that.
constexpr uint32_t kMaxFrameSide = 4096;

/// Bytes of a texel of a format that images and targets may have; 0 for others.
uint32_t TexelSize(spv::ImageFormat format);

}  // namespace refract::inline input
