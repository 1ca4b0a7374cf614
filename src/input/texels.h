// SPDX-License-Identifier: Apache-2.0
// The formats of images and colour targets, their texels in memory, and patterns with which to fill
// an image, which are easy to compute elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <string_view>

#include "input/bindings.h"

namespace refract {
inline namespace input {

struct ImageInput;

struct TexelFormat {
  /// How the shader sees a component n: kUnorm n/255, kSnorm max(n/127, -1), the others n itself.
  enum Kind : uint8_t { kUnorm, kSnorm, kFloat, kInt, kUint };

  spv::ImageFormat format = spv::ImageFormat::Unknown;
  std::string_view name;  ///< "rgba8", "r32f" and so on, as in GLSL's layout qualifiers
  uint32_t components = 4;
  Kind kind = kUnorm;
  uint32_t width = 8;  ///< bits of a component

  uint32_t bytes() const { return components * width / 8; }
  bool is_integer() const { return kind == kInt || kind == kUint; }
};

/// The format's row in the table; null for formats that images may not have.
const TexelFormat* FindTexelFormat(spv::ImageFormat format);
const TexelFormat* FindTexelFormat(std::string_view name);
/// All names, for messages: "r8, r8ui, ...".
std::string TexelFormatNames();

/// Sets sides, layers, levels and samples as the input gives them, or 16 for each side, 4 layers
/// and 2 cubes. `image` has its dimension and a default for its samples already.
void SetSides(const ImageInput* input, BoundImage* image);

/// The sides of one level of an image: each is half of that of the level before, rounded down, but
/// at least 1 (Vulkan, "Image Mip Level Sizing").
struct LevelSize {
  uint32_t width = 1, height = 1, depth = 1;
};
LevelSize SizeOfLevel(const BoundImage& image, uint32_t level);
/// How many texels the levels below `level` have. Each sample of a texel counts.
uint64_t TexelsBeforeLevel(const BoundImage& image, uint32_t level);
/// How many levels an image with these sides can have: the last one has sides of 1. A multisampled
/// image has one.
uint32_t MostLevels(const BoundImage& image);

/// How an image is filled. A pattern gives each component a level from 0 to 255 (PatternLevel).
enum class TexelPattern : uint8_t { kChecker, kGradient, kNoise };
/// The pattern named "checker", "gradient" or "noise". "DEFAULT", the only texture of GraphicsFuzz,
/// is the gradient.
std::optional<TexelPattern> TexelPatternByName(std::string_view name);

/// The level of component `component` (0-3) of the texel (x, y, z), where z is the slice or layer:
///   checker   255 if x + y + z is even, else 0; alpha 255
///   gradient  red floor(255 x / (width - 1)), green and blue the same for y and z; alpha 255
///   noise     the upper 8 bits of a hash of (seed, x, y, z, component): h = seed, and for each of
///             the four values h = (h ^ value) * 0x9e3779b1, h ^= h >> 15, modulo 2^32
/// `image` has the sides of the mip level.
uint32_t PatternLevel(TexelPattern pattern, uint32_t seed, const BoundImage& image, uint32_t x,
                      uint32_t y, uint32_t z, uint32_t component);

/// Fills `image->texels` according to its size, levels, samples and format. In mip level m, 37 m is
/// added to the level of each component, modulo 256, and in sample s, 37 s. A level n becomes n
/// (unorm and unsigned integers), n - 128 (signed integers; snorm: at least -127), or n / 256
/// (floats). Every format holds these values exactly.
void FillWithPattern(TexelPattern pattern, uint32_t seed, BoundImage* image);

}  // namespace input
}  // namespace refract
