// SPDX-License-Identifier: Apache-2.0
#include "interp/ops/image_levels.h"

#include <algorithm>
#include <cmath>

#include "input/texels.h"
#include "interp/images.h"
#include "interp/math/elementary.h"

namespace refract {
inline namespace interp {
namespace {

using math::Absolute;
using math::kInfinity;
using math::Range;

constexpr double kLodPrecision = 0x1p-4;
constexpr double kScalePrecision = 0x1p-4;  // of a logarithm, in addition
constexpr double kLeastBiasLimit = 2;       // maxSamplerLodBias is at least this
constexpr double kRootOfTwo = 0x1.6a09e667f3bcdp+0;

Range RangeOf(const FloatValue& value) {
  if ((value.note.shadow & kUndefinedBit) != 0 || !math::IsFinite(value.value)) {
    return Range::Anything();
  }
  const double error = value.note.shadow != 0 ? value.note.error : 0;
  if (!math::IsFinite(error)) return Range::Anything();
  return {value.value - error, value.value + error};
}

Range Magnitude(const Range& range) {
  const double low = Absolute(range.low), high = Absolute(range.high);
  return {range.Contains(0) ? 0 : std::min(low, high), std::max(low, high)};
}

double Middle(const Range& range) {
  return range.IsFinite() ? (range.low + range.high) / 2 : 0;
}

double LogarithmOf(double scale) {
  return scale > 0 ? math::Log2(scale) : -kInfinity;
}

// The level of detail of one invocation.
class LodFinder {
 public:
  LodFinder(Machine& machine, const Op& op, const ImageOperands& form, uint32_t lane)
      : machine_(machine),
        op_(op),
        form_(form),
        lane_(lane),
        image_(machine.images().image(machine.Row(op.a)[lane])) {}

  bool Base(Range* lod, double* likely);
  // An operand that is a float; zero if the instruction lacks it. Returns false after a trap.
  bool Operand(uint32_t row, std::string_view what, Range* value);

 private:
  bool IsWhole() const;
  Range Component(uint32_t direction, uint32_t component) const;
  Range AcrossQuad(uint32_t direction, uint32_t component) const;
  void FromGradients(Range* lod, double* likely) const;
  void FindMagnitudes(uint32_t direction, Range (&sides)[3]) const;
  void FindOnFace(uint32_t direction, Range (&sides)[3]) const;
  Range OnFace(const CubeFace& face, uint32_t lane, uint32_t axis) const;

  Machine& machine_;
  const Op& op_;
  const ImageOperands& form_;
  const uint32_t lane_;
  const BoundImage& image_;
  const math::RangeArithmetic arithmetic_{32};
};

bool LodFinder::Operand(uint32_t row, std::string_view what, Range* value) {
  *value = Range::Exactly(0);
  if (row == kNoRow) return true;
  if (!machine_.RequireDefined(op_.instruction, row, lane_, what)) return false;
  *value = RangeOf(FloatColumn(machine_, row, Scalar::kFloat32).Get(lane_));
  return true;
}

// Whether all four invocations of the quad execute the instruction. Otherwise the derivatives are
// undefined.
bool LodFinder::IsWhole() const {
  const uint32_t first = lane_ & ~3u;
  for (uint32_t i = 0; i < 4; ++i) {
    if (!machine_.active().Has(first + i)) return false;
  }
  return true;
}

// Either row or column of the quad may be used (Vulkan, "Derivative Operations").
Range LodFinder::AcrossQuad(uint32_t direction, uint32_t component) const {
  const uint32_t first = lane_ & ~3u, step = direction == 0 ? 1 : 2, other = 3 - step;
  const auto along = [&](uint32_t from) {
    return arithmetic_.Sub(RangeOf(SampledCoordinate(machine_, form_, from + step, component)),
                           RangeOf(SampledCoordinate(machine_, form_, from, component)));
  };
  return Hull(along(first), along(first + other));
}

Range LodFinder::Component(uint32_t direction, uint32_t component) const {
  if (form_.grad[direction] == kNoRow) return AcrossQuad(direction, component);
  const uint32_t row = form_.grad[direction] + component;
  return RangeOf(FloatColumn(machine_, row, Scalar::kFloat32).Get(lane_));
}

// The place of an invocation on a face, from -0.5 to 0.5 on the face itself.
Range LodFinder::OnFace(const CubeFace& face, uint32_t lane, uint32_t axis) const {
  const Range major = RangeOf(SampledCoordinate(machine_, form_, lane, face.major));
  const Range along = RangeOf(SampledCoordinate(machine_, form_, lane, face.along[axis]));
  if (face.negative ? major.high >= 0 : major.low <= 0) return Range::Anything();
  return arithmetic_.Mul(Range::Exactly(0.5), arithmetic_.Div(along, Magnitude(major)));
}

// The derivatives on the face of a cube (Vulkan, "Cube Map Derivative Transformation"). Without a
// given gradient, the difference of the places on the face is taken into account, too.
void LodFinder::FindOnFace(uint32_t direction, Range (&sides)[3]) const {
  FloatValue parts[3];
  for (uint32_t i = 0; i < 3; ++i) parts[i] = SampledCoordinate(machine_, form_, lane_, i);
  const CubeFace face = FaceOf(parts);
  const Range major = Magnitude(RangeOf(parts[face.major]));
  Range slope = Component(direction, face.major);
  if (face.negative) slope = {-slope.high, -slope.low};
  const uint32_t first = lane_ & ~3u, step = direction == 0 ? 1 : 2, other = 3 - step;
  for (uint32_t axis = 0; axis < 2; ++axis) {
    const Range along = RangeOf(parts[face.along[axis]]);
    const Range top =
        arithmetic_.Sub(arithmetic_.Mul(major, Component(direction, face.along[axis])),
                        arithmetic_.Mul(along, slope));
    Range side =
        arithmetic_.Mul(Range::Exactly(0.5), arithmetic_.Div(top, arithmetic_.Mul(major, major)));
    for (const uint32_t from : {first, first + other}) {
      if (form_.grad[direction] != kNoRow) break;
      side = Hull(side, arithmetic_.Sub(OnFace(face, from + step, axis), OnFace(face, from, axis)));
    }
    sides[axis] = side;
  }
}

// The magnitudes of the derivatives in texels.
void LodFinder::FindMagnitudes(uint32_t direction, Range (&sides)[3]) const {
  const uint32_t sizes[3] = {image_.width, image_.height, image_.depth};
  std::fill_n(sides, 3, Range::Exactly(0));
  if (form_.cube != 0) {
    FindOnFace(direction, sides);
  } else {
    for (uint32_t i = 0; i < form_.axes; ++i) sides[i] = Component(direction, i);
  }
  for (uint32_t i = 0; i < form_.axes; ++i) {
    sides[i] = arithmetic_.Mul(Magnitude(sides[i]), Range::Exactly(sizes[i]));
  }
}

void LodFinder::FromGradients(Range* lod, double* likely) const {
  double least = 0, most = 0, scale = 0;
  for (uint32_t direction = 0; direction < 2; ++direction) {
    Range sides[3];
    FindMagnitudes(direction, sides);
    double sum = 0, squares = 0;
    for (const Range& side : sides) {
      if (!side.IsFinite()) {
        *lod = Range::Anything();
        *likely = 0;
        return;
      }
      least = std::max(least, side.low);
      sum += side.high;
      squares += Middle(side) * Middle(side);
    }
    most = std::max(most, kRootOfTwo * sum);
    scale = std::max(scale, std::sqrt(squares));
  }
  *lod = {LogarithmOf(least) - kScalePrecision, LogarithmOf(most) + kScalePrecision};
  *likely = LogarithmOf(scale);
}

bool LodFinder::Base(Range* lod, double* likely) {
  if (form_.lod != kNoRow) {
    if (!Operand(form_.lod, "the level of detail", lod)) return false;
    *likely = Middle(*lod);
    return true;
  }
  for (const uint32_t grad : form_.grad) {
    for (uint32_t i = 0; grad != kNoRow && i < form_.axes + form_.cube; ++i) {
      if (!machine_.RequireDefined(op_.instruction, grad + i, lane_, "a gradient")) return false;
    }
  }
  if (form_.grad[0] == kNoRow && !IsWhole()) {
    *lod = Range::Anything();
    *likely = 0;
  } else {
    FromGradients(lod, likely);
  }
  return true;
}

// What the accuracy makes of a level of detail. An integer is represented exactly.
Range Widened(const Range& lod) {
  if (lod.low == lod.high && std::floor(lod.low) == lod.low) return lod;
  return {lod.low - kLodPrecision, lod.high + kLodPrecision};
}

Range Clamped(const Range& range, const Range& least, const Range& most) {
  return {std::min(std::max(range.low, least.low), most.low),
          std::min(std::max(range.high, least.high), most.high)};
}

}  // namespace

FloatValue SampledCoordinate(Machine& machine, const ImageOperands& form, uint32_t lane,
                             uint32_t component) {
  const auto read = [&](uint32_t i) {
    return FloatColumn(machine, form.coordinate + i, Scalar::kFloat32).Get(lane);
  };
  FloatValue value = read(component);
  if (form.projective == 0) return value;
  const FloatValue divisor = read(form.axes + form.arrayed);
  const uint32_t undefined = (value.note.shadow | divisor.note.shadow) & kUndefinedBit;
  const double room = Absolute(divisor.value) - divisor.note.error;
  const double quotient = value.value / divisor.value, own = Absolute(quotient) * 0x1p-21;
  const double carried = value.note.error + Absolute(quotient) * divisor.note.error;
  value.value = quotient;
  value.note.shadow = kApproximateBit | undefined;
  value.note.error = room > 0 ? own + carried / room : kInfinity;
  return value;
}

CubeFace FaceOf(const FloatValue (&direction)[3]) {
  CubeFace face;  // z before y before x, if they are equal
  for (const uint32_t i : {1u, 0u}) {
    if (Absolute(direction[i].value) > Absolute(direction[face.major].value)) face.major = i;
  }
  face.negative = direction[face.major].value < 0;
  face.along[0] = face.major == 0 ? 2 : 0;
  face.along[1] = face.major == 1 ? 2 : 1;
  face.flipped[0] = face.major == 0 ? !face.negative : face.major == 2 && face.negative;
  face.flipped[1] = face.major == 1 ? face.negative : true;
  return face;
}

bool ChooseLevels(Machine& machine, const Op& op, const ImageOperands& form, uint32_t lane,
                  LevelChoice* choice) {
  const MipSampling& mip = machine.images().image(machine.Row(op.a + 1)[lane]).mip;
  const double last = machine.images().image(machine.Row(op.a)[lane]).levels - 1.0;
  LodFinder finder(machine, op, form, lane);
  Range base, bias, least;
  double likely = 0;
  if (!finder.Base(&base, &likely) || !finder.Operand(form.bias, "the bias", &bias) ||
      !finder.Operand(form.min_lod, "the least level of detail", &least)) {
    return false;
  }
  // The bias may be limited to that of the sampler, which the device supports, or to the limit that
  // every device has.
  const double limit = std::max(kLeastBiasLimit, Absolute(double{mip.bias}));
  bias = {bias.low + mip.bias, bias.high + mip.bias};
  likely += Middle(bias);
  bias = {std::min(bias.low, limit), std::max(bias.high, -limit)};
  choice->lod = {base.low + bias.low, base.high + bias.high};
  choice->likely_lod = likely;

  least = {std::max(least.low, double{mip.min_lod}), std::max(least.high, double{mip.min_lod})};
  const Range most = Range::Exactly(mip.max_lod), end = Range::Exactly(last);
  choice->is_undefined = least.high > most.low;
  const Range level =
      Clamped(Clamped(Widened(choice->lod), Widened(least), Widened(most)), Range::Exactly(0), end);
  choice->level = level;
  choice->likely_level =
      std::clamp(Clamped(Range::Exactly(likely), least, most).low, level.low, level.high);
  choice->mixes = mip.linear && IsFloat(op.scalar);
  if (choice->mixes) {
    choice->low = static_cast<uint32_t>(std::floor(level.low));
    choice->high = static_cast<uint32_t>(std::ceil(level.high));
    return true;
  }
  // A level half between two may become either.
  choice->low = static_cast<uint32_t>(std::max(0.0, std::ceil(level.low - 0.5)));
  choice->high = static_cast<uint32_t>(std::min(last, std::floor(level.high + 0.5)));
  return true;
}

}  // namespace interp
}  // namespace refract
