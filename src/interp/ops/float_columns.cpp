// SPDX-License-Identifier: Apache-2.0
#include "interp/ops/float_columns.h"

#include "base/random.h"

namespace refract {
inline namespace interp {

using math::kInfinity;

namespace {

size_t PlaceOfWidth(int width) {
  return width == 16 ? 0 : width == 32 ? 1 : 2;
}

}  // namespace

bool FloatColumn::preserves_special() const {
  return machine_.code().preserves_signed_zero[PlaceOfWidth(width_)];
}
bool FloatColumn::preserves_denormals() const {
  return machine_.code().preserves_denormals[PlaceOfWidth(width_)];
}

double FloatColumn::Value(uint32_t lane) const {
  const uint64_t bits = machine_.Get(row_, scalar_, lane);
  if (width_ == 32) return math::DoubleFromFloatBits(static_cast<uint32_t>(bits));
  if (width_ == 16) return math::DoubleFromHalf(static_cast<uint16_t>(bits));
  return std::bit_cast<double>(bits);
}

void FloatColumn::Bits(uint32_t lane, double value) const {
  if (scalar_ == Scalar::kFloat32 && value == value) {
    machine_.Row(row_)[lane] = std::bit_cast<uint32_t>(static_cast<float>(value));
    return;
  }
  uint64_t bits = std::bit_cast<uint64_t>(value);
  if (width_ == 32) bits = math::FloatBitsFromDouble(value);
  if (width_ == 16) bits = math::HalfFromDouble(value);
  machine_.Set(row_, scalar_, lane, bits);
}

FloatValue FloatColumn::Get(uint32_t lane) const {
  FloatValue got;
  if (scalar_ == Scalar::kFloat32) {
    const uint32_t bits = machine_.Row(row_)[lane], size = bits & 0x7fffffffu;
    if (size == 0 || size - 0x00800000u < 0x7f000000u) {  // neither denormal nor special
      got.value = std::bit_cast<float>(bits);
      got.note = ReadFloatShadow(machine_.ShadowOf(row_, lane), got.value);
      return got;
    }
  }
  got.value = Value(lane);
  got.note = ReadFloatShadow(machine_.ShadowOf(row_, lane), got.value);
  if ((got.note.shadow & kUndefinedBit) != 0) return got;
  if (!math::IsFinite(got.value)) {
    if (!preserves_special()) {
      got.note.shadow |= kApproximateBit;
      got.note.error = kInfinity;
    }
  } else if (math::IsDenormal(got.value, width_) && !preserves_denormals()) {
    got.note.shadow |= kApproximateBit;
    got.note.error = math::Absolute(got.value) + got.note.error;
  }
  return got;
}

void FloatColumn::PutApproximate(uint32_t lane, double value, double own, double carried) const {
  const bool special = !math::IsFinite(value) && !preserves_special();
  const bool flushed = math::IsDenormal(value, width_) && !preserves_denormals();
  if (special) own = kInfinity;
  if (flushed) own = std::max(own, math::Absolute(value));
  if (own == 0 && carried == 0) return Put(lane, value, value == 0 ? kUnknownZeroSignBit : 0);
  if (machine_.options().perturb != 0 && own > 0) value = Perturbed(value, own);
  const double magnitude = math::Absolute(value);
  Put(lane, value, ApproximateFloatShadow(value, magnitude, own + carried));
}

// A number of this width within `own` of the value; any other number if the error is unknown.
double FloatColumn::Perturbed(double value, double own) const {
  Random& random = machine_.random();
  const double share = static_cast<double>(random.Next() >> 11) * 0x1p-52 - 1;  // [-1, 1)
  if (own < kInfinity) return math::RoundToWidth(value + share * own, width_);
  switch (random.Below(4)) {
    case 0:
      return 0;
    case 1:
      return math::FormatOf(width_).max;
    case 2:
      return math::IsFinite(value) ? math::RoundToWidth(value * share, width_) : share;
    default:
      return value;
  }
}

void FloatColumn::PutArithmetic(uint32_t lane, const Arithmetic& result, uint8_t flags) const {
  if ((result.shadow & kUndefinedBit) != 0) return PutUndefined(lane);
  const bool finite = math::IsFinite(result.value);
  int precision = math::FormatOf(width_).precision;
  int lowest = math::FormatOf(width_).min_exponent;
  if (preserves_denormals()) lowest -= precision - 1;  // multiples of the smallest denormal
  double highest = math::FormatOf(width_).max;
  if ((flags & kRelaxed) != 0 && width_ != 16) {
    precision = math::FormatOf(16).precision;
    lowest = math::FormatOf(16).min_exponent;
    highest = math::FormatOf(16).max;
  }
  const bool fits = result.magnitude <= highest && result.grain >= lowest &&
                    result.magnitude <= PowerOfTwo(precision + result.grain);
  const bool alone = (flags & kNoContraction) != 0 && (flags & kRelaxed) == 0;
  const bool flushed = math::IsDenormal(result.value, width_) && !preserves_denormals();
  if (result.shadow == 0 && finite && !flushed) {
    if (alone && !result.rounded) {
      return Put(lane, result.value, result.value == 0 ? kUnknownZeroSignBit : 0);
    }
    if (!alone && fits && !result.rounded) {
      return Put(lane, result.value,
                 ExactFloatShadow(result.value, result.magnitude, result.grain));
    }
  }
  if (!finite && preserves_special() && result.shadow == 0 && !result.rounded) {
    return Put(lane, result.value, 0);
  }
  // The error of one rounding for each partial result, doubled because another order may have more
  // partial results.
  double own = 2 * result.magnitude * PowerOfTwo(1 - precision);
  if (alone) own = result.rounded ? math::NeighbourGap(result.value, width_) : 0;
  if (flushed) own += math::Absolute(result.value);
  if (!finite || result.magnitude > highest) own = kInfinity;
  double value = result.value;
  if (machine_.options().perturb != 0 && own > 0) value = Perturbed(value, own);
  Put(lane, value, ApproximateFloatShadow(value, result.magnitude, own + result.carried));
}

}  // namespace interp
}  // namespace refract
