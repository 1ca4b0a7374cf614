// SPDX-License-Identifier: Apache-2.0
// Accesses to texels by integer coordinates and the number of a sample. Outside the image, a read
// is undefined and a write or atomic does nothing (Vulkan, "Integer Texel Coordinate Validation",
// without robustImageAccess).
#include "interp/ops/ops_image.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "interp/images.h"
#include "interp/ops/float_columns.h"

namespace refract {
inline namespace interp {

ImageOperands ImageOperandsOf(const Machine& machine, const Op& op) {
  std::array<uint32_t, kImageOperandsWords> words;
  std::copy_n(machine.code().words.data() + op.list, words.size(), words.begin());
  return std::bit_cast<ImageOperands>(words);
}

void PutTexelValue(Machine& machine, const Op& op, uint32_t component, uint32_t lane,
                   const TexelValue& value) {
  const uint32_t row = op.result + component;
  if (!IsFloat(op.scalar)) {
    machine.Row(row)[lane] = value.bits;
    machine.SetShadow(row, lane, value.shadow);
    return;
  }
  const FloatColumn to(machine, row, op.scalar);
  if ((value.shadow & kUndefinedBit) != 0) return to.PutUndefined(lane);
  const double size = math::Absolute(value.number);
  const bool open = value.normalised && size != 0 && size != 1;
  double own = value.extra_error + (open ? size * 0x1p-22 : 0);
  if (value.shadow != 0) own = math::kInfinity;
  const double number = math::RoundToWidth(value.number, 32);
  if (own == 0 && math::IsFinite(number)) return to.Put(lane, number, 0);
  to.PutApproximate(lane, number, own, 0);
}

void PutUndefinedTexel(Machine& machine, const Op& op, uint32_t lane) {
  for (uint32_t i = 0; i < op.count; ++i) {
    machine.Row(op.result + i)[lane] = 0;
    machine.SetShadow(op.result + i, lane, kUndefinedBit);
  }
}

namespace {

// Finds the texel at the integer coordinates of an instruction. Returns false after a trap.
bool FindTexel(Machine& machine, const Op& op, const ImageOperands& form, uint32_t lane,
               uint32_t* texel) {
  ImageMemory::Place at;
  uint64_t* const sides[] = {&at.x, &at.y, &at.z};
  for (uint32_t i = 0; i < form.axes + form.arrayed; ++i) {
    const uint32_t row = form.coordinate + i;
    if (!machine.RequireDefined(op.instruction, row, lane, "a coordinate")) return false;
    const uint32_t word = machine.Row(row)[lane];
    int64_t place = form.is_signed != 0 ? static_cast<int32_t>(word) : int64_t{word};
    if (form.offset != kNoRow && i < form.axes) {
      if (!machine.RequireDefined(op.instruction, form.offset + i, lane, "an offset")) return false;
      place += static_cast<int32_t>(machine.Row(form.offset + i)[lane]);
    }
    if (form.attachment != 0) place += i == 0 ? machine.batch().x[lane] : machine.batch().y[lane];
    *(i < form.axes ? sides[i] : &at.layer) = place < 0 ? UINT64_MAX : static_cast<uint64_t>(place);
  }
  if (form.lod != kNoRow) {
    if (!machine.RequireDefined(op.instruction, form.lod, lane, "the level")) return false;
    at.level = machine.Get(form.lod, static_cast<Scalar>(form.lod_scalar), lane);
  }
  if (form.sample != kNoRow) {
    if (!machine.RequireDefined(op.instruction, form.sample, lane, "the sample")) return false;
    at.sample = machine.Get(form.sample, static_cast<Scalar>(form.sample_scalar), lane);
  }
  *texel = machine.images().TexelAt(machine.Row(op.a)[lane], at);
  return true;
}

}  // namespace

void FetchTexel(Machine& machine, const Op& op) {
  const ImageOperands form = ImageOperandsOf(machine, op);
  ImageMemory& images = machine.images();
  machine.ForActive([&](uint32_t lane) {
    uint32_t texel = 0;
    if (machine.stopped() || !FindTexel(machine, op, form, lane, &texel)) return;
    if (texel == ImageMemory::kOutside) return PutUndefinedTexel(machine, op, lane);
    const uint32_t image = machine.Row(op.a)[lane];
    if (!machine.IsHelper(lane)) images.Access(machine, op, lane, image, texel, false, false);
    const TexelFormat::Kind kind = images.texel_format(image).kind;
    const bool normalised = kind == TexelFormat::kUnorm || kind == TexelFormat::kSnorm;
    Component components[4];
    images.Read(image, texel, components);
    // Draws fill a multisampled image. They may flush denormals, and lose the sign of a zero.
    const auto may_change = [&](const Component& component) {
      const bool negative_zero = component.number == 0 && std::signbit(component.number);
      return form.sample != kNoRow && kind == TexelFormat::kFloat &&
             (negative_zero ||
              math::IsDenormal(component.number,
                               static_cast<int>(images.texel_format(image).width)));
    };
    for (uint32_t i = 0; i < std::min(op.count, 4u); ++i) {
      PutTexelValue(
          machine, op, i, lane,
          {components[i].number, components[i].bits,
           images.shadow(image, texel) | (may_change(components[i]) ? kApproximateBit : 0),
           normalised, 0});
    }
  });
}

// --- writing

namespace {

struct Converted {
  uint32_t bits = 0, shadow = 0;
};

// Vulkan, "Conversion From Floating-Point to Normalized Fixed-Point": a value between two levels
// may become either, but a value close enough to one becomes that one.
Converted ToFixedPoint(const FloatValue& value, double least, double scale) {
  const auto scaled = [&](double v) { return scale * std::clamp(v, least, 1.0); };
  const double level = std::floor(scaled(value.value) + 0.5);
  const double low = scaled(value.value - value.note.error);
  const double high = scaled(value.value + value.note.error);
  const bool clear = low >= level - 0.25 && high <= level + 0.25;
  if (math::IsNan(value.value)) return {0, kApproximateBit};
  return {static_cast<uint32_t>(static_cast<int32_t>(level)), clear ? 0 : kApproximateBit};
}

Converted ConvertFloat(Machine& machine, const Op& op, uint32_t row, uint32_t lane,
                       const TexelFormat& format) {
  const FloatValue value = FloatColumn(machine, row, op.scalar).Get(lane);
  const double steps = std::exp2(format.width) - 1;
  if (format.kind == TexelFormat::kUnorm) return ToFixedPoint(value, 0, steps);
  if (format.kind == TexelFormat::kSnorm) return ToFixedPoint(value, -1, (steps - 1) / 2);
  uint32_t shadow = value.note.shadow;
  // The zero may have either sign.
  if ((machine.ShadowOf(row, lane) & kUnknownZeroSignBit) != 0) shadow |= kApproximateBit;
  if (format.width == 32) return {machine.Row(row)[lane], shadow};
  if (!math::IsRepresentable(value.value, 16) || math::IsDenormal(value.value, 16)) {
    shadow |= kApproximateBit;  // rounded in either direction, or flushed
  }
  return {math::HalfFromDouble(value.value), shadow};
}

// Vulkan ("Texel Output Format Conversion"): "The converted value of any integer that cannot be
// represented in the target format is undefined".
Converted ConvertInteger(Machine& machine, uint32_t row, uint32_t lane, const TexelFormat& format) {
  const uint32_t bits = machine.Row(row)[lane], shadow = machine.ShadowOf(row, lane) & kShadowMask;
  if (format.width == 32) return {bits, shadow};
  const uint32_t extended =
      format.kind == TexelFormat::kInt
          ? static_cast<uint32_t>(static_cast<int32_t>(bits << (32 - format.width)) >>
                                  (32 - format.width))
          : bits & ((uint32_t{1} << format.width) - 1);
  return {bits, extended == bits ? shadow : kUndefinedBit};
}

void WriteOne(Machine& machine, const Op& op, const ImageOperands& form, uint32_t lane) {
  uint32_t texel = 0;
  if (!FindTexel(machine, op, form, lane, &texel) || texel == ImageMemory::kOutside) return;
  ImageMemory& images = machine.images();
  const uint32_t image = machine.Row(op.a)[lane];
  if (images.image(image).kind != BoundImage::kStorage) return;
  const TexelFormat& format = images.texel_format(image);
  uint32_t bits[4] = {}, shadow = 0;
  for (uint32_t i = 0; i < format.components; ++i) {
    if (i >= op.count) {
      shadow |= kUndefinedBit;  // no rule defines its value
      continue;
    }
    const uint32_t row = op.c + i;
    if ((machine.ShadowOf(row, lane) & kUndefinedBit) != 0) {
      return machine.FailUndefined(
          op, lane, "an undefined value is stored to memory that other invocations can read");
    }
    const Converted converted = IsFloat(op.scalar) ? ConvertFloat(machine, op, row, lane, format)
                                                   : ConvertInteger(machine, row, lane, format);
    bits[i] = converted.bits;
    shadow |= converted.shadow;
  }
  images.Access(machine, op, lane, image, texel, true, false);
  images.Write(image, texel, bits, shadow);
}

}  // namespace

void WriteTexel(Machine& machine, const Op& op) {
  const ImageOperands form = ImageOperandsOf(machine, op);
  machine.ForActiveInOrder([&](uint32_t lane) {
    if (!machine.stopped() && !machine.IsHelper(lane)) WriteOne(machine, op, form, lane);
  });
}

void PointToTexel(Machine& machine, const Op& op) {
  const ImageOperands form = ImageOperandsOf(machine, op);
  machine.ClearShadow(op.result);
  machine.ForActive([&](uint32_t lane) {
    uint32_t texel = 0;
    if (machine.stopped() || !FindTexel(machine, op, form, lane, &texel)) return;
    machine.Row(op.result)[lane] = texel;
    machine.Row(op.result + 1)[lane] = machine.Row(op.a)[lane];
  });
}

void QueryImageSize(Machine& machine, const Op& op) {
  const ImageOperands form = ImageOperandsOf(machine, op);
  machine.ForActive([&](uint32_t lane) {
    const BoundImage& image = machine.images().image(machine.Row(op.a)[lane]);
    uint64_t level = 0;
    if (form.lod != kNoRow) {
      if (machine.stopped() ||
          !machine.RequireDefined(op.instruction, form.lod, lane, "the level")) {
        return;
      }
      level = machine.Get(form.lod, static_cast<Scalar>(form.lod_scalar), lane);
    }
    const bool exists = level < image.levels;
    const LevelSize size = SizeOfLevel(image, exists ? static_cast<uint32_t>(level) : 0);
    const uint32_t sizes[3] = {size.width, size.height, size.depth};
    for (uint32_t i = 0; i < op.count; ++i) {
      const uint32_t row = op.result + i * RowsOf(op.scalar);
      machine.Set(row, op.scalar, lane,
                  i < form.axes ? sizes[i] : image.layers / (form.cube != 0 ? 6 : 1));
      machine.SetShadow(row, lane, exists ? 0 : kUndefinedBit);
    }
  });
}

namespace {

// Sets the result to a number of the image.
void QueryNumber(Machine& machine, const Op& op, uint32_t BoundImage::*number) {
  machine.ClearShadow(op.result);
  machine.ForActive([&](uint32_t lane) {
    machine.Row(op.result)[lane] = machine.images().image(machine.Row(op.a)[lane]).*number;
  });
}

}  // namespace

void QueryImageLevels(Machine& machine, const Op& op) {
  QueryNumber(machine, op, &BoundImage::levels);
}

void QueryImageSamples(Machine& machine, const Op& op) {
  QueryNumber(machine, op, &BoundImage::samples);
}

}  // namespace interp
}  // namespace refract
