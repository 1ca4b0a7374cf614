// SPDX-License-Identifier: Apache-2.0
#include "interp/images.h"

#include <cstring>

#include "base/text.h"
#include "interp/describe.h"
#include "interp/float_formats.h"

namespace refract {

TexelFormat FormatOfTexels(spv::ImageFormat format) {
  using F = spv::ImageFormat;
  using K = TexelKind;
  switch (format) {
    case F::R8:
      return {1, 8, K::kUnorm};
    case F::R8ui:
      return {1, 8, K::kUint};
    case F::R8i:
      return {1, 8, K::kSint};
    case F::Rgba8:
      return {4, 8, K::kUnorm};
    case F::Rgba8Snorm:
      return {4, 8, K::kSnorm};
    case F::Rgba8ui:
      return {4, 8, K::kUint};
    case F::Rgba8i:
      return {4, 8, K::kSint};
    case F::R16f:
      return {1, 16, K::kFloat};
    case F::R16ui:
      return {1, 16, K::kUint};
    case F::R16i:
      return {1, 16, K::kSint};
    case F::Rgba16f:
      return {4, 16, K::kFloat};
    case F::Rgba16ui:
      return {4, 16, K::kUint};
    case F::Rgba16i:
      return {4, 16, K::kSint};
    case F::R32f:
      return {1, 32, K::kFloat};
    case F::R32ui:
      return {1, 32, K::kUint};
    case F::R32i:
      return {1, 32, K::kSint};
    case F::Rg32f:
      return {2, 32, K::kFloat};
    case F::Rg32ui:
      return {2, 32, K::kUint};
    case F::Rg32i:
      return {2, 32, K::kSint};
    case F::Rgba32f:
      return {4, 32, K::kFloat};
    case F::Rgba32ui:
      return {4, 32, K::kUint};
    case F::Rgba32i:
      return {4, 32, K::kSint};
    default:
      return {};
  }
}

ImageMemory::ImageMemory(const Program::Code& code)
    : code_(code), memories_(code.bindings.images.size()) {
  for (size_t i = 0; i < memories_.size(); ++i) {
    const BoundImage& image = code.bindings.images[i];
    if (image.kind != BoundImage::kStorage) continue;
    memories_[i].texels = image.texels;
    const uint32_t size = TexelSize(image.format);
    if (size != 0) memories_[i].races = RaceDetector(image.texels.size() / size);
  }
}

const std::string& ImageMemory::TexelsOf(uint32_t image) const {
  const BoundImage& bound = code_.bindings.images[image];
  return bound.kind == BoundImage::kStorage ? memories_[image].texels : bound.texels;
}

uint32_t ImageMemory::TexelAt(uint32_t image, uint64_t x, uint64_t y, uint64_t z,
                              uint64_t layer) const {
  const BoundImage& bound = code_.bindings.images[image];
  if (x >= bound.width || y >= bound.height || z >= bound.depth || layer >= bound.layers) {
    return kOutside;
  }
  const uint64_t slice = layer * bound.depth + z;
  const uint64_t texel = (slice * bound.height + y) * bound.width + x;
  const uint32_t size = TexelSize(bound.format);
  if (size == 0 || (texel + 1) * size > TexelsOf(image).size()) return kOutside;
  return static_cast<uint32_t>(texel);
}

namespace {

// Vulkan, "Conversion From Normalized Fixed-Point to Floating-Point".
double NumberOf(uint32_t bits, const TexelFormat& format) {
  const uint32_t sign = uint32_t{1} << (format.bits - 1);
  const double value = (bits & sign) != 0 ? bits - 2.0 * sign : bits;
  switch (format.kind) {
    case TexelKind::kUnorm:
      return bits / (2.0 * sign - 1);
    case TexelKind::kSnorm:
      return std::max(value / (sign - 1.0), -1.0);
    case TexelKind::kFloat:
      return format.bits == 16 ? math::DoubleFromHalf(static_cast<uint16_t>(bits))
                               : math::DoubleFromFloatBits(bits);
    default:
      return value;
  }
}

}  // namespace

void ImageMemory::Read(uint32_t image, uint32_t texel, Component (&components)[4]) const {
  const TexelFormat format = FormatOfTexels(code_.bindings.images[image].format);
  const bool whole = format.kind == TexelKind::kUint || format.kind == TexelKind::kSint;
  const uint32_t bytes = format.bits / 8;
  const char* from = TexelsOf(image).data() + size_t{texel} * bytes * format.components;
  for (uint32_t i = 0; i < 4; ++i) {
    if (i >= format.components) {
      components[i] = {i == 3 ? 1.0 : 0.0, i == 3 && whole ? 1u : 0u};
      continue;
    }
    uint32_t bits = 0;
    std::memcpy(&bits, from + size_t{i} * bytes, bytes);
    components[i].number = NumberOf(bits, format);
    const bool negative = format.kind == TexelKind::kSint && format.bits < 32 &&
                          (bits >> (format.bits - 1) & 1) != 0;
    components[i].bits = negative ? bits | ~0u << format.bits : bits;
  }
}

void ImageMemory::Write(uint32_t image, uint32_t texel, const uint32_t (&bits)[4],
                        uint32_t shadow) {
  const TexelFormat format = FormatOfTexels(code_.bindings.images[image].format);
  Memory& memory = memories_[image];
  const uint32_t bytes = format.bits / 8;
  char* to = memory.texels.data() + size_t{texel} * bytes * format.components;
  for (uint32_t i = 0; i < format.components; ++i) {
    std::memcpy(to + size_t{i} * bytes, &bits[i], bytes);
  }
  if (memory.shadows.empty()) {
    if (shadow == 0) return;
    memory.shadows.resize(memory.texels.size() / (size_t{bytes} * format.components));
  }
  memory.shadows[texel] = static_cast<char>(shadow & kShadowMask);
}

uint32_t ImageMemory::ReadBits(uint32_t image, uint32_t texel, uint32_t* about) const {
  uint32_t bits = 0;
  std::memcpy(&bits, TexelsOf(image).data() + size_t{texel} * 4, 4);
  *about = shadow(image, texel);
  return bits;
}

void ImageMemory::WriteBits(uint32_t image, uint32_t texel, uint32_t bits, uint32_t shadow) {
  const uint32_t components[4] = {bits, 0, 0, 0};
  Write(image, texel, components, shadow);
}

void ImageMemory::Access(Machine& machine, const Op& op, uint32_t lane, uint32_t image,
                         uint32_t texel, bool write, bool atomic) {
  const BoundImage& bound = code_.bindings.images[image];
  if (bound.kind != BoundImage::kStorage) return;
  if (write) machine.shared().Unfence(lane, MemoryClass::kImage);
  const RaceDetector::Who who = machine.shared().WhoIs(machine, lane, MemoryClass::kImage);
  RaceDetector& races = memories_[image].races;
  uint32_t other = 0;
  if (write ? races.Write(texel, who, atomic, &other) : races.Read(texel, who, atomic, &other)) {
    return;
  }
  machine.Fail(Trap::Kind::kRace, op.instruction, lane,
               format("{}: a data race with invocation {} at texel {} of the image of set {}, "
                      "binding {}",
                      Describe(*code_.module, op.instruction), other, texel, bound.set,
                      bound.binding));
}

void ImageMemory::ReadBack(RunReport* report) const {
  for (size_t i = 0; i < memories_.size(); ++i) {
    const BoundImage& image = code_.bindings.images[i];
    if (image.kind != BoundImage::kStorage) continue;
    report->outputs.images.push_back(image);
    report->outputs.images.back().texels = memories_[i].texels;
    report->image_shadows.push_back(memories_[i].shadows);
  }
}

}  // namespace refract
