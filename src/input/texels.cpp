// SPDX-License-Identifier: Apache-2.0
#include "input/texels.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/text.h"
#include "input/inputs.h"

namespace refract {
inline namespace input {
namespace {

using F = spv::ImageFormat;
using K = TexelFormat;

constexpr TexelFormat kFormats[] = {
    {F::R8, "r8", 1, K::kUnorm, 8},
    {F::R8Snorm, "r8_snorm", 1, K::kSnorm, 8},
    {F::R8i, "r8i", 1, K::kInt, 8},
    {F::R8ui, "r8ui", 1, K::kUint, 8},
    {F::R16, "r16", 1, K::kUnorm, 16},
    {F::R16Snorm, "r16_snorm", 1, K::kSnorm, 16},
    {F::R16f, "r16f", 1, K::kFloat, 16},
    {F::R16i, "r16i", 1, K::kInt, 16},
    {F::R16ui, "r16ui", 1, K::kUint, 16},
    {F::R32f, "r32f", 1, K::kFloat, 32},
    {F::R32i, "r32i", 1, K::kInt, 32},
    {F::R32ui, "r32ui", 1, K::kUint, 32},
    {F::Rg8, "rg8", 2, K::kUnorm, 8},
    {F::Rg8Snorm, "rg8_snorm", 2, K::kSnorm, 8},
    {F::Rg8i, "rg8i", 2, K::kInt, 8},
    {F::Rg8ui, "rg8ui", 2, K::kUint, 8},
    {F::Rg16, "rg16", 2, K::kUnorm, 16},
    {F::Rg16Snorm, "rg16_snorm", 2, K::kSnorm, 16},
    {F::Rg16f, "rg16f", 2, K::kFloat, 16},
    {F::Rg16i, "rg16i", 2, K::kInt, 16},
    {F::Rg16ui, "rg16ui", 2, K::kUint, 16},
    {F::Rg32f, "rg32f", 2, K::kFloat, 32},
    {F::Rg32i, "rg32i", 2, K::kInt, 32},
    {F::Rg32ui, "rg32ui", 2, K::kUint, 32},
    {F::Rgba8, "rgba8", 4, K::kUnorm, 8},
    {F::Rgba8Snorm, "rgba8_snorm", 4, K::kSnorm, 8},
    {F::Rgba8i, "rgba8i", 4, K::kInt, 8},
    {F::Rgba8ui, "rgba8ui", 4, K::kUint, 8},
    {F::Rgba16, "rgba16", 4, K::kUnorm, 16},
    {F::Rgba16Snorm, "rgba16_snorm", 4, K::kSnorm, 16},
    {F::Rgba16f, "rgba16f", 4, K::kFloat, 16},
    {F::Rgba16i, "rgba16i", 4, K::kInt, 16},
    {F::Rgba16ui, "rgba16ui", 4, K::kUint, 16},
    {F::Rgba32f, "rgba32f", 4, K::kFloat, 32},
    {F::Rgba32i, "rgba32i", 4, K::kInt, 32},
    {F::Rgba32ui, "rgba32ui", 4, K::kUint, 32},
};

// level / 256 as a float or half, for a level below 256. Its 8 bits fit into both exactly.
uint32_t LevelAsFloat(uint32_t level, uint32_t width) {
  if (level == 0) return 0;
  const auto top = static_cast<uint32_t>(std::bit_width(level)) - 1;  // 2^top <= level
  const uint32_t fraction = level ^ (1u << top);
  return width == 32 ? (top - 8 + 127) << 23 | fraction << (23 - top)
                     : (top - 8 + 15) << 10 | fraction << (10 - top);
}

uint32_t ComponentBits(const TexelFormat& format, uint32_t level) {
  switch (format.kind) {
    case TexelFormat::kUnorm:
    case TexelFormat::kUint:
      return level;
    case TexelFormat::kSnorm:
      return level == 0 ? static_cast<uint32_t>(-127) : level - 128;
    case TexelFormat::kInt:
      return level - 128;
    case TexelFormat::kFloat:
      return LevelAsFloat(level, format.width);
  }
  CHECK(false);
}

// Appends the bytes of a component, lowest first.
void AppendComponent(const TexelFormat& format, uint32_t level, std::string* texels) {
  const uint32_t bits = ComponentBits(format, level);
  for (uint32_t byte = 0; byte < format.width / 8; ++byte) {
    texels->push_back(static_cast<char>(bits >> (8 * byte)));
  }
}

constexpr uint32_t kSide = 16;  // of an image whose size is not given
constexpr uint32_t kLayers = 4;
constexpr uint32_t kCubes = 2;
constexpr uint32_t kStep = 37;  // odd, so that no two mip levels or samples get the same number

uint32_t Ramp(uint32_t at, uint32_t size) {
  return size < 2 ? 0 : static_cast<uint32_t>(uint64_t{255} * at / (size - 1));
}

}  // namespace

const TexelFormat* FindTexelFormat(spv::ImageFormat format) {
  for (const TexelFormat& row : kFormats) {
    if (row.format == format) return &row;
  }
  return nullptr;
}

const TexelFormat* FindTexelFormat(std::string_view name) {
  for (const TexelFormat& row : kFormats) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::string TexelFormatNames() {
  std::string names;
  for (const TexelFormat& row : kFormats) {
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

uint32_t TexelSize(spv::ImageFormat format) {
  const TexelFormat* row = FindTexelFormat(format);
  return row == nullptr ? 0 : row->bytes();
}

std::string PlaceText(uint32_t set, uint32_t binding, uint32_t element) {
  if (set == kAddressedSet) return format("addressed buffer {}", binding);
  const std::string text = format("set {}, binding {}", set, binding);
  return element == 0 ? text : text + format(", element {}", element);
}

void SetSides(const ImageInput* input, BoundImage* image) {
  const bool is_line = image->dim == spv::Dim::Dim1D || image->dim == spv::Dim::Buffer;
  const bool is_3d = image->dim == spv::Dim::Dim3D;
  const bool is_cube = image->dim == spv::Dim::Cube;
  image->width = kSide;
  image->height = is_line ? 1 : kSide;
  image->depth = is_3d ? kSide : 1;
  image->layers = !image->arrayed ? 1 : is_cube ? kCubes : kLayers;
  if (input != nullptr && !input->size.empty()) {
    image->width = input->size[0];
    if (!is_line) image->height = input->size[1];
    if (is_3d) image->depth = input->size[2];
    if (image->arrayed) image->layers = input->size.back();
  }
  if (is_cube) image->layers *= 6;
  if (input == nullptr) return;
  image->levels = input->levels;
  image->samples = input->samples;
}

LevelSize SizeOfLevel(const BoundImage& image, uint32_t level) {
  const auto side = [&](uint32_t base) { return level < 32 ? std::max(base >> level, 1u) : 1; };
  return {side(image.width), side(image.height), side(image.depth)};
}

uint64_t TexelsBeforeLevel(const BoundImage& image, uint32_t level) {
  uint64_t texels = 0;
  for (uint32_t i = 0; i < level; ++i) {
    const LevelSize size = SizeOfLevel(image, i);
    texels += uint64_t{size.width} * size.height * size.depth * image.layers;
  }
  return texels * image.samples;
}

uint32_t MostLevels(const BoundImage& image) {
  if (image.kind == BoundImage::kStorage || image.kind == BoundImage::kAttachment ||
      image.dim == spv::Dim::Buffer || image.samples > 1) {
    return 1;
  }
  const uint32_t side = std::max({image.width, image.height, image.depth});
  return static_cast<uint32_t>(std::bit_width(side));
}

namespace {

// Whether the sides and layers fit the dimension.
bool FitsDim(const BoundImage& image) {
  const bool is_cube = image.dim == spv::Dim::Cube;
  const bool is_3d = image.dim == spv::Dim::Dim3D;
  const bool is_line = image.dim == spv::Dim::Dim1D || image.dim == spv::Dim::Buffer;
  if (is_line && image.height != 1) return false;
  if (image.dim == spv::Dim::Buffer && (image.arrayed || image.kind == BoundImage::kCombined)) {
    return false;
  }
  if (is_cube && (image.layers % 6 != 0 || image.width != image.height)) return false;
  if (!is_3d && image.depth != 1) return false;
  if (image.kind == BoundImage::kAttachment && (image.dim != spv::Dim::Dim2D || image.arrayed)) {
    return false;
  }
  if (!image.arrayed && image.layers != (is_cube ? 6 : 1)) return false;
  return is_3d || is_cube || is_line || image.dim == spv::Dim::Dim2D;
}

bool HasSoundSamples(const BoundImage& image) {
  if (!std::has_single_bit(image.samples) || image.samples > kMaxSamples) return false;
  return image.samples == 1 ||
         (image.dim == spv::Dim::Dim2D && image.levels == 1 && image.compare == BoundImage::kNone);
}

bool IsSound(const MipSampling& mip) {
  return mip.min_lod >= 0 && mip.min_lod <= mip.max_lod && mip.max_lod <= MipSampling::kNoLimit &&
         mip.bias >= -MipSampling::kNoLimit && mip.bias <= MipSampling::kNoLimit;
}

// What coordinates in texels allow (Vulkan, VkSamplerCreateInfo, unnormalizedCoordinates).
bool HasSoundSampler(const BoundImage& image) {
  if (image.reduction > BoundImage::kMaximum) return false;
  if (image.reduction != BoundImage::kWeightedAverage &&
      (image.kind == BoundImage::kSampler || image.compare != BoundImage::kNone)) {
    return false;
  }
  if (!image.texel_coordinates) return true;
  const bool is_flat = image.dim == spv::Dim::Dim1D || image.dim == spv::Dim::Dim2D;
  return (image.wrap == BoundImage::kClamp || image.wrap == BoundImage::kBorder) && is_flat &&
         !image.arrayed && image.levels == 1 && image.compare == BoundImage::kNone &&
         !image.mip.linear;
}

}  // namespace

bool IsSound(const BoundImage& image) {
  if (!IsSound(image.mip) || !HasSoundSampler(image)) return false;
  if (image.kind > BoundImage::kScene || image.scene > BoundImage::kSteps) return false;
  if (!HasTexels(image.kind)) return true;
  if (image.compare > BoundImage::kAlways) return false;
  if (image.compare != BoundImage::kNone &&
      (image.kind != BoundImage::kCombined || image.format != F::R32f)) {
    return false;
  }
  constexpr uint32_t kMaxSide = 1u << 16;
  uint64_t bytes = TexelSize(image.format);
  if (bytes == 0) return false;
  for (const uint32_t side : {image.width, image.height, image.depth, image.layers}) {
    if (side == 0 || side > kMaxSide || bytes > image.texels.size()) return false;
    bytes *= side;
  }
  if (!HasSoundSamples(image)) return false;
  if (image.levels == 0 || image.levels > MostLevels(image)) return false;
  return FitsDim(image) &&
         TexelsBeforeLevel(image, image.levels) * TexelSize(image.format) == image.texels.size();
}

std::optional<TexelPattern> TexelPatternByName(std::string_view name) {
  if (name == "checker") return TexelPattern::kChecker;
  if (name == "gradient" || name == "DEFAULT") return TexelPattern::kGradient;
  if (name == "noise") return TexelPattern::kNoise;
  return std::nullopt;
}

uint32_t PatternLevel(TexelPattern pattern, uint32_t seed, const BoundImage& image, uint32_t x,
                      uint32_t y, uint32_t z, uint32_t component) {
  if (pattern == TexelPattern::kNoise) {
    uint32_t hash = seed;
    for (const uint32_t part : {x, y, z, component}) {
      hash = (hash ^ part) * 0x9e3779b1u;
      hash ^= hash >> 15;
    }
    return hash >> 24;
  }
  if (component == 3) return 255;
  if (pattern == TexelPattern::kChecker) return (x + y + z) % 2 == 0 ? 255 : 0;
  if (component == 0) return Ramp(x, image.width);
  return component == 1 ? Ramp(y, image.height) : Ramp(z, std::max(image.depth, image.layers));
}

void FillWithPattern(TexelPattern pattern, uint32_t seed, BoundImage* image) {
  const TexelFormat* format = FindTexelFormat(image->format);
  CHECK(format != nullptr);
  image->texels.clear();
  image->texels.reserve(TexelsBeforeLevel(*image, image->levels) * format->bytes());
  for (uint32_t mip = 0; mip < image->levels; ++mip) {
    const LevelSize size = SizeOfLevel(*image, mip);
    BoundImage sides;
    sides.layers = image->layers;
    sides.width = size.width;
    sides.height = size.height;
    sides.depth = size.depth;
    const uint32_t slices = std::max(sides.depth, sides.layers);
    for (uint32_t z = 0; z < slices; ++z) {
      for (uint32_t y = 0; y < sides.height; ++y) {
        for (uint32_t x = 0; x < sides.width; ++x) {
          for (uint32_t sample = 0; sample < image->samples; ++sample) {
            for (uint32_t c = 0; c < format->components; ++c) {
              const uint32_t level = PatternLevel(pattern, seed, sides, x, y, z, c);
              AppendComponent(*format, (level + kStep * (mip + sample)) % 256, &image->texels);
            }
          }
        }
      }
    }
  }
}

}  // namespace input
}  // namespace refract
