// SPDX-License-Identifier: Apache-2.0
// The loops of float_lanes.h, which are compiled for several instruction sets. Everything here is
// local to the including file and uses nothing from the standard library, so that no AVX2 code can
// get into files for all machines. float_shadow.h and float_columns.cpp define the results; a test
// compares the two (tests/interp).
#include "interp/ops/float_lanes.h"

namespace refract {
inline namespace interp {
namespace {

#define LANE_INLINE static inline __attribute__((always_inline))

constexpr double kUnknownError = __builtin_inf();

LANE_INLINE float FloatOf(uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
LANE_INLINE uint32_t BitsOf(float value) {
  return __builtin_bit_cast(uint32_t, value);
}
/// The double with this upper word and a lower word of zero.
LANE_INLINE double DoubleOfUpper(uint32_t upper) {
  return __builtin_bit_cast(double, uint64_t{upper} << 32);
}
LANE_INLINE uint32_t Select(uint32_t condition, uint32_t yes, uint32_t no) {
  return condition != 0 ? yes : no;
}
/// True for a float that is neither denormal, infinite nor NaN.
LANE_INLINE uint32_t IsPlain(uint32_t size) {
  return static_cast<uint32_t>(size == 0) | static_cast<uint32_t>(size - 0x00800000u < 0x7f000000u);
}
/// The exponent of the lowest set bit of a plain float.
LANE_INLINE int32_t OwnGrain(uint32_t size) {
  const uint32_t significand = (size & 0x7fffffu) | 0x800000u;
  const auto lowest = static_cast<int32_t>(significand & (0u - significand));
  const auto place = static_cast<int32_t>(BitsOf(static_cast<float>(lowest)) >> 23) - 127;
  const int32_t grain = static_cast<int32_t>(size >> 23) - 150 + place;
  return size == 0 ? 95 : grain;
}

struct LaneOperand {
  uint32_t size = 0;  // bits without the sign
  uint32_t shadow = 0;
  uint32_t slow = 0;
  int32_t grain = 0;
  float value = 0;
  double magnitude = 0;
  double error = 0;
};

LANE_INLINE LaneOperand ReadLane(uint32_t bits, uint32_t word) {
  LaneOperand x;
  x.size = bits & 0x7fffffffu;
  x.shadow = word & 3;
  x.slow = (IsPlain(x.size) ^ 1u) | (word & 2);
  x.value = FloatOf(bits);
  const uint32_t magnitude = word >> 8 & 0xffffu, code = word >> 24;
  x.magnitude = static_cast<double>(FloatOf(Select(magnitude, magnitude << 15, x.size)));
  x.grain = code == 0 ? OwnGrain(x.size) : static_cast<int32_t>(code) - 160;
  const uint32_t unknown = static_cast<uint32_t>(code == 0) | static_cast<uint32_t>(code == 255);
  const uint32_t known = ((code + 862u) << 20) + (((word >> 3 & 31u) + 1u) << 15);
  const uint32_t upper = Select(unknown, 0x7ff00000u, known);
  x.error = DoubleOfUpper(Select(x.shadow, upper, 0));
  return x;
}

LANE_INLINE uint32_t MagnitudeWord(double magnitude, double size) {
  const uint32_t cut = ((BitsOf(static_cast<float>(magnitude)) >> 15) + 2) << 8;
  const uint32_t fits = magnitude >= 0x1p127 ? 0xff0000u : cut;
  return magnitude == size ? 0 : fits;
}

LANE_INLINE uint32_t ErrorWord(double error) {
  const double kept = error > 0x1p-150 ? error : 0x1p-150;
  const auto upper = static_cast<uint32_t>(__builtin_bit_cast(uint64_t, kept) >> 32);
  const uint32_t known = ((upper >> 20) - 1022u + 160u) << 24 | (upper >> 15 & 31u) << 3;
  return 1u | (error < 0x1p90 ? known : 255u << 24);
}

template <bool kAlone>
LANE_INLINE uint32_t ArithmeticWord(float result, uint32_t rounded, double magnitude, int32_t grain,
                                    double carried, uint32_t shadow, const FloatRules& rules) {
  const uint32_t size_bits = BitsOf(result) & 0x7fffffffu;
  const auto size = static_cast<double>(FloatOf(size_bits));
  const uint32_t zero = size_bits == 0 ? 4u : 0u;
  const double window = DoubleOfUpper(static_cast<uint32_t>(grain + rules.precision + 1023) << 20);
  const uint32_t fits = static_cast<uint32_t>(magnitude <= rules.highest) &
                        static_cast<uint32_t>(grain >= rules.lowest) &
                        static_cast<uint32_t>(magnitude <= window);
  const uint32_t about_size = MagnitudeWord(magnitude, size);
  const int32_t low = grain + 160 < 1 ? 1 : grain + 160;
  const uint32_t code = static_cast<uint32_t>(low > 255 ? 255 : low) << 24;
  const uint32_t about_grain = grain == OwnGrain(size_bits) ? 0 : code;
  const uint32_t exact = kAlone ? zero : zero | about_size | about_grain;
  const double unit = DoubleOfUpper(static_cast<uint32_t>(1 - rules.precision + 1023) << 20);
  const uint32_t exponent = size_bits >> 23;
  const double gap = DoubleOfUpper(((exponent == 0 ? 1u : exponent) + (1023u - 127u - 23u)) << 20);
  double own = kAlone ? (rounded != 0 ? gap : 0.0) : 2 * magnitude * unit;
  own = magnitude > rules.highest ? kUnknownError : own;
  const uint32_t approximate = about_size | ErrorWord(own + carried);
  const uint32_t is_exact = static_cast<uint32_t>(shadow == 0) &
                            static_cast<uint32_t>(rounded == 0) &
                            (static_cast<uint32_t>(kAlone) | fits);
  return Select(is_exact, exact, approximate);
}

template <bool kAlone, uint32_t kFlip>
void AddLanes(FloatBlock& block, const FloatRules& given) {
  const FloatRules rules = given;
  const uint32_t* __restrict a = block.a;
  const uint32_t* __restrict b = block.b;
  const uint32_t* __restrict a_notes = block.a_notes;
  const uint32_t* __restrict b_notes = block.b_notes;
  for (uint32_t i = 0; i < kLaneBlock; ++i) {
    const LaneOperand x = ReadLane(a[i], a_notes[i]), y = ReadLane(b[i] ^ kFlip, b_notes[i]);
    // Rounding the sum first to double is harmless, because 53 >= 2 * 24 + 2 (Figueroa 1995).
    const auto p = static_cast<double>(x.value), q = static_cast<double>(y.value);
    const double sum = p + q;
    const double part = sum - p;
    const double tail = (p - (sum - part)) + (q - part);
    const auto result = static_cast<float>(sum);
    const uint32_t rounded = static_cast<uint32_t>(static_cast<double>(result) != sum) |
                             static_cast<uint32_t>(tail != 0);
    const int32_t grain = x.grain < y.grain ? x.grain : y.grain;
    block.result[i] = BitsOf(result);
    block.notes[i] = ArithmeticWord<kAlone>(result, rounded, x.magnitude + y.magnitude, grain,
                                            x.error + y.error, x.shadow | y.shadow, rules);
    block.slow[i] = x.slow | y.slow | (IsPlain(BitsOf(result) & 0x7fffffffu) ^ 1u);
  }
}

template <bool kAlone>
void MultiplyLanes(FloatBlock& block, const FloatRules& given) {
  const FloatRules rules = given;
  const uint32_t* __restrict a = block.a;
  const uint32_t* __restrict b = block.b;
  const uint32_t* __restrict a_notes = block.a_notes;
  const uint32_t* __restrict b_notes = block.b_notes;
  for (uint32_t i = 0; i < kLaneBlock; ++i) {
    const LaneOperand x = ReadLane(a[i], a_notes[i]), y = ReadLane(b[i], b_notes[i]);
    const double product = static_cast<double>(x.value) * static_cast<double>(y.value);
    const auto result = static_cast<float>(product);
    const auto rounded = static_cast<uint32_t>(static_cast<double>(result) != product);
    const double magnitude = x.magnitude * y.magnitude;
    const double sum = x.magnitude * y.error + y.magnitude * x.error + x.error * y.error;
    const double carried = sum >= 0 ? sum : kUnknownError;
    block.result[i] = BitsOf(result);
    block.notes[i] = ArithmeticWord<kAlone>(result, rounded, magnitude, x.grain + y.grain, carried,
                                            x.shadow | y.shadow, rules);
    // An infinite magnitude times 0 is NaN.
    block.slow[i] = x.slow | y.slow | (IsPlain(BitsOf(result) & 0x7fffffffu) ^ 1u) |
                    static_cast<uint32_t>(magnitude != magnitude);
  }
}

// Handles quotients that are not powers of two and not near the limits of the format, as QuickError
// of precision.cpp does.
void DivideLanes(FloatBlock& block, const FloatRules& given) {
  const double relaxed = given.relaxed ? 0x1p-8 : 0.0;
  const uint32_t* __restrict a = block.a;
  const uint32_t* __restrict b = block.b;
  const uint32_t* __restrict a_notes = block.a_notes;
  const uint32_t* __restrict b_notes = block.b_notes;
  for (uint32_t i = 0; i < kLaneBlock; ++i) {
    const LaneOperand x = ReadLane(a[i], a_notes[i]), y = ReadLane(b[i], b_notes[i]);
    const float result = x.value / y.value;
    const uint32_t size_bits = BitsOf(result) & 0x7fffffffu;
    const auto size = static_cast<double>(FloatOf(size_bits));
    const auto divisor = static_cast<double>(FloatOf(y.size));
    const double ulp = DoubleOfUpper(((size_bits >> 23) + (1023u - 127u - 23u)) << 20);
    double own = 2.5 * ulp + ulp / 2;
    own += size * relaxed;
    const double of_sum = x.magnitude / divisor * 0x1p-21;
    own += x.magnitude > static_cast<double>(FloatOf(x.size)) ? of_sum : 0.0;
    const double room = divisor - y.error;
    const double moved = (x.error + size * y.error) / room;
    const double carried = room > 0 ? moved : kUnknownError;
    const uint32_t shadow = x.shadow | y.shadow;
    block.result[i] = BitsOf(result);
    block.notes[i] = ErrorWord(own + (shadow != 0 ? carried : 0.0));
    const uint32_t quick =
        static_cast<uint32_t>(size > 0x1p-125) & static_cast<uint32_t>(size < 0x1.fffffep125) &
        static_cast<uint32_t>((size_bits & 0x7fffffu) != 0) & static_cast<uint32_t>(y.size != 0) &
        static_cast<uint32_t>(y.size <= 0x7e800000u);  // 2^126
    block.slow[i] = x.slow | y.slow | (quick ^ 1u);
  }
}

enum class LaneRelation { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

template <LaneRelation kRelation>
LANE_INLINE bool LaneHolds(float a, float b) {
  if constexpr (kRelation == LaneRelation::kEqual) return a == b;
  if constexpr (kRelation == LaneRelation::kNotEqual) return a != b;
  if constexpr (kRelation == LaneRelation::kLess) return a < b;
  if constexpr (kRelation == LaneRelation::kLessEqual) return a <= b;
  if constexpr (kRelation == LaneRelation::kGreater) return a > b;
  if constexpr (kRelation == LaneRelation::kGreaterEqual) return a >= b;
}

template <LaneRelation kRelation>
void CompareLanes(FloatBlock& block, const FloatRules&) {
  const uint32_t* __restrict a = block.a;
  const uint32_t* __restrict b = block.b;
  const uint32_t* __restrict a_notes = block.a_notes;
  const uint32_t* __restrict b_notes = block.b_notes;
  for (uint32_t i = 0; i < kLaneBlock; ++i) {
    const LaneOperand x = ReadLane(a[i], a_notes[i]), y = ReadLane(b[i], b_notes[i]);
    const double apart = static_cast<double>(x.value) - static_cast<double>(y.value);
    const double distance = apart < 0 ? -apart : apart;
    const uint32_t open = distance > x.error + y.error ? 0u : 1u;
    block.result[i] = LaneHolds<kRelation>(x.value, y.value) ? 1u : 0u;
    block.notes[i] = (x.shadow | y.shadow) & open;
    block.slow[i] = x.slow | y.slow;
  }
}

void Blend(uint32_t* __restrict to, const uint32_t* __restrict from,
           const uint32_t* __restrict mask) {
  for (uint32_t i = 0; i < kLaneBlock; ++i) to[i] = (from[i] & mask[i]) | (to[i] & ~mask[i]);
}

BlockSum SumOf(const FloatBlock& block, const uint32_t* mask) {
  uint32_t notes = 0, slow = 0;
  for (uint32_t i = 0; i < kLaneBlock; ++i) {
    notes |= block.notes[i] & mask[i];
    slow |= block.slow[i] & mask[i];
  }
  return {notes, slow};
}

constexpr uint32_t kSign = 0x80000000u;
constexpr FloatLoops kLoops = {Blend,
                               SumOf,
                               {AddLanes<false, 0>, AddLanes<true, 0>},
                               {AddLanes<false, kSign>, AddLanes<true, kSign>},
                               {MultiplyLanes<false>, MultiplyLanes<true>},
                               DivideLanes,
                               CompareLanes<LaneRelation::kEqual>,
                               CompareLanes<LaneRelation::kNotEqual>,
                               CompareLanes<LaneRelation::kLess>,
                               CompareLanes<LaneRelation::kLessEqual>,
                               CompareLanes<LaneRelation::kGreater>,
                               CompareLanes<LaneRelation::kGreaterEqual>};

}  // namespace
}  // namespace interp
}  // namespace refract
