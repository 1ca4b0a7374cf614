// SPDX-License-Identifier: Apache-2.0
#include "interp/images.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "interp/describe.h"
#include "interp/math/float_formats.h"

namespace refract {
inline namespace interp {

ImageMemory::ImageMemory(const Program::Code& code)
    : code_(code), memories_(code.bindings.images.size()) {
  for (size_t i = 0; i < memories_.size(); ++i) {
    const BoundImage& image = code.bindings.images[i];
    memories_[i].format = FindTexelFormat(image.format);
    if (image.kind != BoundImage::kStorage || memories_[i].format == nullptr) continue;
    memories_[i].texels = image.texels;
    memories_[i].races = RaceDetector(image.texels.size() / memories_[i].format->bytes());
  }
}

const std::string& ImageMemory::TexelsOf(uint32_t image) const {
  const BoundImage& bound = code_.bindings.images[image];
  return bound.kind == BoundImage::kStorage ? memories_[image].texels : bound.texels;
}

uint32_t ImageMemory::TexelAt(uint32_t image, const Place& place) const {
  const BoundImage& bound = code_.bindings.images[image];
  if (place.level >= bound.levels || place.layer >= bound.layers) return kOutside;
  if (place.sample >= bound.samples) return kOutside;
  const auto level = static_cast<uint32_t>(place.level);
  const LevelSize size = SizeOfLevel(bound, level);
  if (place.x >= size.width || place.y >= size.height || place.z >= size.depth) return kOutside;
  const uint64_t slice = place.layer * size.depth + place.z;
  const uint64_t in_level = (slice * size.height + place.y) * size.width + place.x;
  const uint64_t texel = TexelsBeforeLevel(bound, level) + in_level * bound.samples + place.sample;
  if ((texel + 1) * texel_format(image).bytes() > TexelsOf(image).size()) return kOutside;
  return static_cast<uint32_t>(texel);
}

namespace {

// Vulkan, "Conversion From Normalized Fixed-Point to Floating-Point".
double NumberOf(uint32_t bits, const TexelFormat& format) {
  const uint32_t sign = uint32_t{1} << (format.width - 1);
  const double value = (bits & sign) != 0 ? bits - 2.0 * sign : bits;
  switch (format.kind) {
    case TexelFormat::kUnorm:
      return bits / (2.0 * sign - 1);
    case TexelFormat::kSnorm:
      return std::max(value / (sign - 1.0), -1.0);
    case TexelFormat::kFloat:
      return format.width == 16 ? math::DoubleFromHalf(static_cast<uint16_t>(bits))
                                : math::DoubleFromFloatBits(bits);
    default:
      return value;
  }
}

}  // namespace

void ImageMemory::Read(uint32_t image, uint32_t texel, Component (&components)[4]) const {
  const TexelFormat& form = texel_format(image);
  const uint32_t bytes = form.width / 8;
  const char* from = TexelsOf(image).data() + size_t{texel} * form.bytes();
  for (uint32_t i = 0; i < 4; ++i) {
    if (i >= form.components) {
      components[i] = {i == 3 ? 1.0 : 0.0, i == 3 ? 1u : 0u};
      continue;
    }
    uint32_t bits = 0;
    std::memcpy(&bits, from + size_t{i} * bytes, bytes);
    components[i].number = NumberOf(bits, form);
    const bool negative =
        form.kind == TexelFormat::kInt && form.width < 32 && (bits >> (form.width - 1) & 1) != 0;
    components[i].bits = negative ? bits | ~0u << form.width : bits;
  }
}

void ImageMemory::Write(uint32_t image, uint32_t texel, const uint32_t (&bits)[4],
                        uint32_t shadow) {
  const TexelFormat& form = texel_format(image);
  Memory& memory = memories_[image];
  const uint32_t bytes = form.width / 8;
  char* to = memory.texels.data() + size_t{texel} * form.bytes();
  for (uint32_t i = 0; i < form.components; ++i) {
    std::memcpy(to + size_t{i} * bytes, &bits[i], bytes);
  }
  if (memory.shadows.empty()) {
    if (shadow == 0) return;
    memory.shadows.resize(memory.texels.size() / form.bytes());
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
  if (write) machine.shared().ClearFence(lane, MemoryClass::kImage);
  const RaceDetector::Accessor accessor =
      machine.shared().AccessorOf(machine, lane, MemoryClass::kImage);
  RaceDetector& races = memories_[image].races;
  uint32_t other = 0;
  if (write ? races.Write(texel, accessor, atomic, &other)
            : races.Read(texel, accessor, atomic, &other)) {
    return;
  }
  machine.Fail(Trap::Kind::kRace, op.instruction, lane,
               format("{}: a data race with {} at texel {} of the image of {}",
                      Describe(*code_.module, op.instruction), machine.NameOf(other), texel,
                      PlaceText(bound)));
}

// Draws read a multisampled image back. They may flush denormals, and lose the sign of a zero.
void ImageMemory::MarkLostBits(size_t image, std::string* shadows) const {
  const TexelFormat& form = *memories_[image].format;
  if (form.kind != TexelFormat::kFloat) return;
  const std::string& texels = memories_[image].texels;
  shadows->resize(texels.size() / form.bytes());
  for (size_t at = 0; at < texels.size(); at += form.width / 8) {
    uint32_t bits = 0;
    std::memcpy(&bits, texels.data() + at, form.width / 8);
    const double number = NumberOf(bits, form);
    if ((number == 0 && std::signbit(number)) ||
        math::IsDenormal(number, static_cast<int>(form.width))) {
      char& shadow = (*shadows)[at / form.bytes()];
      shadow = std::max(shadow, static_cast<char>(kApproximateBit));
    }
  }
}

void ImageMemory::ReadBack(RunReport* report) const {
  for (size_t i = 0; i < memories_.size(); ++i) {
    const BoundImage& image = code_.bindings.images[i];
    if (image.kind != BoundImage::kStorage) continue;
    report->outputs.images.push_back(image);
    report->outputs.images.back().texels = memories_[i].texels;
    report->image_shadows.push_back(memories_[i].shadows);
    if (image.samples > 1) MarkLostBits(i, &report->image_shadows.back());
  }
}

}  // namespace interp
}  // namespace refract
