// SPDX-License-Identifier: Apache-2.0
// All data that a device needs besides the module: the bytes of every buffer, the texels of every
// image, push constants, values of specialisation constants, and the size of the frame or dispatch.
// This library computes it from shader.json and the layout of the module. The code that runs a
// module on a driver copies it without knowing names or types. The interpreter gets the same data.
#pragma once

#include <cstdint>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <utility>
#include <vector>

namespace refract {
inline namespace input {

/// The largest number of descriptors in an array.
constexpr uint32_t kMaxDescriptors = 1024;

/// The largest number of samples in a texel.
constexpr uint32_t kMaxSamples = 32;

/// One buffer descriptor. `bytes` is the whole content of the buffer, in the layout of the module's
/// block.
struct BoundBuffer {
  uint32_t set = 0;
  uint32_t binding = 0;
  bool storage = false;  ///< storage buffer; otherwise uniform buffer
  std::string bytes;
  uint32_t element = 0;  ///< the number of the descriptor in the array at the binding

  friend bool operator==(const BoundBuffer&, const BoundBuffer&) = default;
};

/// How a sampler chooses among the mip levels of an image, as in VkSamplerCreateInfo.
struct MipSampling {
  static constexpr float kNoLimit = 1000;  ///< above every level (VK_LOD_CLAMP_NONE)

  bool linear = false;  ///< filter between levels; otherwise nearest
  float min_lod = 0;
  float max_lod = kNoLimit;
  float bias = 0;

  friend bool operator==(const MipSampling&, const MipSampling&) = default;
};

/// One image descriptor, a sampler without an image, or an acceleration structure.
struct BoundImage {
  enum Kind : uint8_t {
    kSampled,     ///< an OpTypeImage with Sampled 1
    kCombined,    ///< an OpTypeSampledImage
    kSampler,     ///< an OpTypeSampler: only `linear`, `wrap` and `mip` matter
    kStorage,     ///< an OpTypeImage with Sampled 2
    kAttachment,  ///< an OpTypeImage with Dim SubpassData: of the size of the frame, with Dim2D
    kScene,       ///< an OpTypeAccelerationStructureKHR: only `scene` matters
  };
  /// What rays may hit (docs/inputs.md, "Scenes").
  enum Scene : uint8_t { kEmpty, kSteps };
  /// How a sampler compares a depth with a texel, in the order of VkCompareOp. kNone: it does not.
  enum Compare : uint8_t {
    kNone,
    kNever,
    kLess,
    kEqual,
    kLessOrEqual,
    kGreater,
    kNotEqual,
    kGreaterOrEqual,
    kAlways,
  };
  /// Which texel a sampler reads outside of the image, in the order of VkSamplerAddressMode.
  /// kBorder: none, but a colour.
  enum Wrap : uint8_t { kRepeat, kMirror, kClamp, kBorder, kMirrorClamp };
  /// The colour for kBorder: all 0; 0 and alpha 1; all 1.
  enum Border : uint8_t { kTransparent, kBlack, kWhite };
  /// What a sampler makes of the texels of a filter, in the order of VkSamplerReductionMode.
  enum Reduction : uint8_t { kWeightedAverage, kMinimum, kMaximum };
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t element = 0;  ///< the number of the descriptor in the array at the binding
  Kind kind = kCombined;
  spv::Dim dim = spv::Dim::Dim2D;  ///< 1D, 2D, 3D, Cube or Buffer
  bool arrayed = false;
  spv::ImageFormat format = spv::ImageFormat::Rgba8;  ///< the format of `texels`
  uint32_t width = 1;
  uint32_t height = 1;  ///< 1 for 1D images and texel buffers
  uint32_t depth = 1;   ///< for 3D images
  uint32_t layers = 1;  ///< for arrays and cubes: 6 for each cube
  bool linear = false;  ///< filter between texels; otherwise nearest
  Wrap wrap = kRepeat;  ///< of kCombined and kSampler; kBorder only of kCombined
  Border border = kTransparent;
  Reduction reduction = kWeightedAverage;  ///< of kCombined
  bool texel_coordinates = false;  ///< of kCombined and kSampler: coordinates are not normalised
  /// For kCombined. If it is not kNone, the image has depths from 0 to 1 of the format R32f.
  Compare compare = kNone;
  std::string texels;   ///< by level, layer, slice and row, without padding
  uint32_t levels = 1;  ///< mip levels of kSampled and kCombined; the sides are those of level 0
  uint32_t attachment = 0;  ///< of kAttachment: its InputAttachmentIndex
  MipSampling mip;          ///< of kCombined and kSampler
  /// More than 1: a multisampled image, which is 2D and has one level. Each texel then has this
  /// many values in `texels`, one after the other. It is a power of two.
  uint32_t samples = 1;
  Scene scene = kEmpty;  ///< of kScene

  friend bool operator==(const BoundImage&, const BoundImage&) = default;
};

/// Samplers and acceleration structures have no texels.
inline bool HasTexels(BoundImage::Kind kind) {
  return kind != BoundImage::kSampler && kind != BoundImage::kScene;
}

/// True if the kind, size, layers and texels of an image are consistent: at least one texel, no
/// side above 2^16, and as many bytes as the format needs. Always true without texels.
bool IsSound(const BoundImage& image);

/// Whether two descriptors, or what is known of them, have the same place.
template <class A, class B>
bool SamePlace(const A& a, const B& b) {
  return a.set == b.set && a.binding == b.binding && a.element == b.element;
}

/// "addressed buffer 2", "set 0, binding 3" or, for all but the first descriptor of an array, "set
/// 0, binding 3, element 2".
std::string PlaceText(uint32_t set, uint32_t binding, uint32_t element);
template <class Bound>
std::string PlaceText(const Bound& bound) {
  return PlaceText(bound.set, bound.binding, bound.element);
}

/// A buffer without a descriptor: shaders reach it only by its address. It is a storage buffer.
struct AddressedBuffer {
  std::string name;  ///< for messages
  std::string bytes;
  /// The byte offsets and widths in bits of the floats that shader.json gives.
  std::vector<std::pair<uint32_t, uint32_t>> floats = {};

  friend bool operator==(const AddressedBuffer&, const AddressedBuffer&) = default;
};

/// In outputs, an addressed buffer has this set, and its index in Bindings::addressed as binding.
constexpr uint32_t kAddressedSet = 0xffffffffu;

/// The addresses of addressed buffers are multiples of this number on every target.
constexpr uint32_t kAddressAlignment = 256;

/// The number that stands for an address in outputs, and in the interpreter: the same on every
/// target. `buffer` is an index in Bindings::addressed.
constexpr uint64_t AddressNumber(uint32_t buffer, uint32_t offset) {
  return (uint64_t{buffer} + 1) << 32 | offset;
}

/// A place in a buffer or in the push constants that holds an address. The 8 bytes there are
/// AddressNumber(target, target_offset).
struct BoundAddress {
  enum Memory : uint8_t { kBuffer, kPushConstants };
  Memory memory = kBuffer;
  uint32_t set = 0;  ///< of a buffer; kAddressedSet: an addressed buffer
  uint32_t binding = 0;
  uint32_t element = 0;
  uint32_t offset = 0;  ///< the place, in bytes
  uint32_t target = 0;  ///< index in Bindings::addressed
  uint32_t target_offset = 0;

  friend auto operator<=>(const BoundAddress&, const BoundAddress&) = default;
};

/// The depth target of a draw.
struct BoundDepth {
  /// How the depth of a fragment is compared with that in the target. kNone: there is no target.
  BoundImage::Compare compare = BoundImage::kNone;
  float clear = 1;  ///< the depth of all pixels before the draw

  explicit operator bool() const { return compare != BoundImage::kNone; }
  friend bool operator==(const BoundDepth&, const BoundDepth&) = default;
};

/// The value of a specialisation constant.
struct BoundConstant {
  uint32_t id = 0;     ///< the SpecId
  uint32_t width = 0;  ///< bits: 8, 16, 32 or 64; booleans are 32 wide, 0 or 1 (VkBool32)
  uint64_t bits = 0;   ///< above `width`: 0

  friend bool operator==(const BoundConstant&, const BoundConstant&) = default;
};

/// Another shader of the pipeline of the shader under test: for a fragment shader the vertex
/// shader, and the other way round. Transformations do not change it.
struct BoundCompanion {
  std::vector<uint32_t> spirv;  ///< empty: no companion
  std::string entry;
  std::vector<BoundConstant> constants;
  spv::ExecutionModel model = spv::ExecutionModel::Vertex;

  explicit operator bool() const { return !spirv.empty(); }
  friend bool operator==(const BoundCompanion&, const BoundCompanion&) = default;
};

/// One attribute of vertices: a scalar or vector for each vertex, or for each instance.
struct BoundAttribute {
  enum Kind : uint8_t { kFloat, kInt, kUint };
  uint32_t location = 0;
  Kind kind = kFloat;       ///< what the vertex shader reads
  uint32_t width = 32;      ///< bits of a number in `bytes`: 8, 16, 32 or 64
  uint32_t components = 1;  ///< 1 to 4
  bool per_instance = false;
  std::string bytes;  ///< without padding

  friend bool operator==(const BoundAttribute&, const BoundAttribute&) = default;
};

/// What a vertex shader draws (mesh.h).
struct BoundMesh {
  enum Topology : uint8_t { kTriangleList, kTriangleStrip, kTriangleFan };
  /// The vertices, their indices and the attribute at location 0 are those of the grid (grid.h),
  /// and are not stored here.
  bool is_grid = true;
  Topology topology = kTriangleList;
  uint32_t vertices = 0;
  uint32_t instances = 1;
  std::vector<uint32_t> indices;           ///< empty: the vertices in order
  std::vector<BoundAttribute> attributes;  ///< sorted by location, each location once

  friend bool operator==(const BoundMesh&, const BoundMesh&) = default;
};

/// All inputs of one run. Their maker sorts buffers and images by (set, binding, element), each
/// place at most once, and constants by id.
struct Bindings {
  std::vector<BoundBuffer> buffers;
  std::vector<BoundImage> images;
  std::string push_constants;  ///< from offset 0; empty if the module has none
  std::vector<AddressedBuffer> addressed;
  std::vector<BoundAddress> addresses;  ///< sorted, each place once
  std::vector<BoundConstant> constants;
  uint32_t width = 256;  ///< of the frame, in pixels
  uint32_t height = 256;
  /// The format of the images for outputs of floats: Rgba8, or Rgba32f for the exact bits.
  spv::ImageFormat float_target = spv::ImageFormat::Rgba8;
  BoundDepth depth;
  uint32_t samples = 1;     ///< of each pixel of the frame: 1, 2, 4 or 8, at the standard locations
  bool per_sample = false;  ///< the fragment shader runs for each sample, not for each pixel
  uint32_t groups[3] = {1, 1, 1};  ///< workgroups of a dispatch, or of a draw of mesh tasks
  /// `buffers`, `images` and `push_constants` also serve the companion.
  BoundCompanion companion;
  /// The shaders of a pipeline with tessellation, a geometry shader or a mesh shader that Refract
  /// made (pipeline/made_shaders.h).
  std::vector<BoundCompanion> built;
  uint32_t patch_vertices = 0;  ///< of each patch that is drawn; 0: no tessellation
  uint32_t grid_columns = 1;    ///< cells of the grid that a vertex shader draws (grid.h)
  uint32_t grid_rows = 1;
  BoundMesh mesh;

  friend bool operator==(const Bindings&, const Bindings&) = default;
};

/// The largest width and height of a frame that is run. Every Vulkan implementation supports it.
constexpr uint32_t kMaxFrameSide = 4096;

/// The width of a target in texels: the samples of a pixel are next to each other.
inline uint32_t TargetWidth(const Bindings& bindings) {
  return bindings.width * bindings.samples;
}

/// The invocations of the fragment shader for a pixel that is covered.
inline uint32_t InvocationsOfPixel(const Bindings& bindings) {
  return bindings.per_sample ? bindings.samples : 1;
}

/// The bytes of one texel of a format that images and colour targets may have; 0 for other formats.
uint32_t TexelSize(spv::ImageFormat format);

}  // namespace input
}  // namespace refract
