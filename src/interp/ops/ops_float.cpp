// SPDX-License-Identifier: Apache-2.0
// Float arithmetic, comparisons and conversions.
#include <limits>

#include "interp/math/rounded_arithmetic.h"
#include "interp/ops/float_blocks.h"
#include "interp/ops/float_columns.h"
#include "interp/ops/ops.h"

namespace refract {
inline namespace interp {
namespace {

using Arithmetic = FloatColumn::Arithmetic;
using math::FloatOp;
using math::kInfinity;

uint32_t Joined(const FloatValue& a, const FloatValue& b) {
  return a.note.shadow | b.note.shadow;
}

struct AddFloats {
  static constexpr auto kLoops = &FloatLoops::add;
  Arithmetic operator()(const FloatValue& a, const FloatValue& b, int width) const {
    Arithmetic sum;
    sum.value = math::Add(a.value, b.value, width, &sum.rounded);
    sum.magnitude = a.note.magnitude + b.note.magnitude;
    sum.grain = std::min(a.note.grain, b.note.grain);
    sum.carried = a.note.error + b.note.error;
    sum.shadow = Joined(a, b);
    return sum;
  }
};
struct SubtractFloats {
  static constexpr auto kLoops = &FloatLoops::subtract;
  Arithmetic operator()(const FloatValue& a, FloatValue b, int width) const {
    b.value = -b.value;
    return AddFloats()(a, b, width);
  }
};
struct MultiplyFloats {
  static constexpr auto kLoops = &FloatLoops::multiply;
  Arithmetic operator()(const FloatValue& a, const FloatValue& b, int width) const {
    Arithmetic product;
    product.value = math::Mul(a.value, b.value, width, &product.rounded);
    product.magnitude = a.note.magnitude * b.note.magnitude;
    product.grain = a.note.grain + b.note.grain;
    product.shadow = Joined(a, b);
    if (product.shadow != 0) {
      product.carried = a.note.magnitude * b.note.error + b.note.magnitude * a.note.error +
                        a.note.error * b.note.error;
      if (!(product.carried >= 0)) product.carried = kInfinity;
    }
    return product;
  }
};

template <class F>
void Arithmetic2(Machine& machine, const Op& op) {
  const F function{};
  const uint32_t rows = RowsOf(op.scalar);
  const bool has_loop = HasFloatLoop(machine, op.scalar);
  for (uint32_t i = 0; i < op.count * rows; i += rows) {
    const FloatColumn a(machine, op.a + i, op.scalar), b(machine, op.b + i, op.scalar);
    const FloatColumn to(machine, op.result + i, op.scalar);
    const auto put = [&](uint32_t lane) {
      to.PutArithmetic(lane, function(a.Get(lane), b.Get(lane), a.width()), op.flags);
    };
    if (!has_loop) {
      machine.ForActive(put);
      continue;
    }
    // A relaxed operation may be rearranged, so NoContraction does not apply to it.
    const bool alone = (op.flags & kNoContraction) != 0 && (op.flags & kRelaxed) == 0;
    RunFloatLoop(machine, (FloatLoopsOfThisMachine().*F::kLoops)[alone ? 1 : 0],
                 RulesOf(machine, op.flags), op.result + i, op.a + i, op.b + i, put);
  }
}

// The result may be off by up to 2.5 ULP even if the quotient is representable.
void DivideFloats(Machine& machine, const Op& op) {
  const uint32_t rows = RowsOf(op.scalar);
  for (uint32_t i = 0; i < op.count * rows; i += rows) {
    const FloatColumn a(machine, op.a + i, op.scalar), b(machine, op.b + i, op.scalar);
    const FloatColumn to(machine, op.result + i, op.scalar);
    const auto put = [&](uint32_t lane) {
      const FloatValue x = a.Get(lane), y = b.Get(lane);
      if ((Joined(x, y) & kUndefinedBit) != 0) return to.PutUndefined(lane);
      const double value = math::Div(x.value, y.value, a.width());
      double own = math::AllowedError(FloatOp::kDiv, a.width(), value, x.value, y.value);
      if ((op.flags & kRelaxed) != 0) own += math::Absolute(value) * 0x1p-8;
      double carried = 0;
      if (Joined(x, y) != 0) {
        const double room = math::Absolute(y.value) - y.note.error;
        carried =
            room > 0 ? (x.note.error + math::Absolute(value) * y.note.error) / room : kInfinity;
      }
      // A quotient of a sum may be rearranged to a sum of quotients.
      if (x.note.magnitude > math::Absolute(x.value) && y.value != 0) {
        own += x.note.magnitude / math::Absolute(y.value) *
               PowerOfTwo(3 - math::FormatOf(a.width()).precision);
      }
      to.PutApproximate(lane, value, own, carried);
    };
    if (HasFloatLoop(machine, op.scalar)) {
      RunFloatLoop(machine, FloatLoopsOfThisMachine().divide, RulesOf(machine, op.flags),
                   op.result + i, op.a + i, op.b + i, put);
    } else {
      machine.ForActive(put);
    }
  }
}

template <FloatOp kOp>
void Remainder(Machine& machine, const Op& op) {
  const uint32_t rows = RowsOf(op.scalar);
  for (uint32_t i = 0; i < op.count * rows; i += rows) {
    const FloatColumn a(machine, op.a + i, op.scalar), b(machine, op.b + i, op.scalar);
    const FloatColumn to(machine, op.result + i, op.scalar);
    machine.ForActive([&](uint32_t lane) {
      const FloatValue x = a.Get(lane), y = b.Get(lane);
      if ((Joined(x, y) & kUndefinedBit) != 0 ||
          !math::IsDefined(kOp, a.width(), x.value, y.value)) {
        return to.PutUndefined(lane);
      }
      double value = std::fmod(x.value, y.value);  // exact by definition
      if (kOp == FloatOp::kMod && value != 0 && (value < 0) != (y.value < 0)) value += y.value;
      value = math::RoundToWidth(value, a.width());
      const double own = math::AllowedError(kOp, a.width(), value, x.value, y.value);
      to.PutApproximate(lane, value, own, Joined(x, y) != 0 ? kInfinity : 0);
    });
  }
}

void NegateFloats(Machine& machine, const Op& op) {
  const uint32_t rows = RowsOf(op.scalar);
  for (uint32_t i = 0; i < op.count * rows; i += rows) {
    const FloatColumn a(machine, op.a + i, op.scalar), to(machine, op.result + i, op.scalar);
    machine.ForActive([&](uint32_t lane) {
      const double value = a.Value(lane);
      uint32_t shadow = machine.ShadowOf(op.a + i, lane);
      if (math::IsDenormal(value, a.width()) && !a.preserves_denormals() &&
          (shadow & kUndefinedBit) == 0) {
        return to.PutApproximate(lane, -value, 0, a.Get(lane).note.error);
      }
      if (value == 0 && !a.preserves_special()) shadow |= kUnknownZeroSignBit;
      to.Put(lane, -value, shadow);
    });
  }
}

// --- comparisons

enum class Relation { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

template <Relation kRelation>
bool Holds(double a, double b) {
  switch (kRelation) {
    case Relation::kEqual:
      return a == b;
    case Relation::kNotEqual:
      return a != b;
    case Relation::kLess:
      return a < b;
    case Relation::kLessEqual:
      return a <= b;
    case Relation::kGreater:
      return a > b;
    case Relation::kGreaterEqual:
      return a >= b;
  }
  return false;
}

FloatLoop LoopOf(Relation relation) {
  const FloatLoops& loops = FloatLoopsOfThisMachine();
  switch (relation) {
    case Relation::kEqual:
      return loops.equal;
    case Relation::kNotEqual:
      return loops.not_equal;
    case Relation::kLess:
      return loops.less;
    case Relation::kLessEqual:
      return loops.less_equal;
    case Relation::kGreater:
      return loops.greater;
    case Relation::kGreaterEqual:
      return loops.greater_equal;
  }
  return nullptr;
}

template <Relation kRelation, bool kUnordered>
void Compare(Machine& machine, const Op& op) {
  const Scalar scalar = static_cast<Scalar>(op.d);
  const uint32_t rows = RowsOf(scalar);
  for (uint32_t i = 0; i < op.count; ++i) {
    const FloatColumn a(machine, op.a + i * rows, scalar), b(machine, op.b + i * rows, scalar);
    const auto put = [&](uint32_t lane) {
      const FloatValue x = a.Get(lane), y = b.Get(lane);
      const bool nan = math::IsNan(x.value) || math::IsNan(y.value);
      machine.Row(op.result + i)[lane] =
          nan ? (kUnordered ? 1 : 0) : Holds<kRelation>(x.value, y.value);
      uint32_t shadow = Joined(x, y);
      // If the values differ by more than both errors, the result is the same for all possible
      // values.
      const bool clear = math::Absolute(x.value - y.value) > x.note.error + y.note.error;
      if (shadow == kApproximateBit && clear) shadow = 0;
      machine.SetShadow(op.result + i, lane, shadow);
    };
    if (HasFloatLoop(machine, scalar)) {
      RunFloatLoop(machine, LoopOf(kRelation), {}, op.result + i, op.a + i, op.b + i, put);
    } else {
      machine.ForActive(put);
    }
  }
}

template <bool kNan>
void IsSpecial(Machine& machine, const Op& op) {
  const Scalar scalar = static_cast<Scalar>(op.d);
  for (uint32_t i = 0; i < op.count; ++i) {
    const FloatColumn a(machine, op.a + i * RowsOf(scalar), scalar);
    machine.ForActive([&](uint32_t lane) {
      const FloatValue x = a.Get(lane);
      const bool is = kNan ? math::IsNan(x.value) : math::IsInfinite(x.value);
      machine.Row(op.result + i)[lane] = is ? 1 : 0;
      uint32_t shadow = x.note.shadow;
      if (shadow == kApproximateBit && x.note.error < 0x1p60) shadow = 0;
      machine.SetShadow(op.result + i, lane, shadow);
    });
  }
}

// --- conversions; d: the Scalar of the operand; `scalar`: that of the result

template <bool kSignedResult>
void ToInteger(Machine& machine, const Op& op) {
  const Scalar from = static_cast<Scalar>(op.d);
  const int width = static_cast<int>(WidthOf(op.scalar));
  const double low = kSignedResult ? -PowerOfTwo(width - 1) : 0;
  const double high = kSignedResult ? PowerOfTwo(width - 1) : PowerOfTwo(width);
  for (uint32_t i = 0; i < op.count; ++i) {
    const FloatColumn a(machine, op.a + i * RowsOf(from), from);
    const uint32_t row = op.result + i * RowsOf(op.scalar);
    machine.ForActive([&](uint32_t lane) {
      const FloatValue x = a.Get(lane);
      uint32_t shadow = x.note.shadow;
      const double whole = std::trunc(x.value);
      if (shadow == kApproximateBit && std::trunc(x.value - x.note.error) == whole &&
          std::trunc(x.value + x.note.error) == whole) {
        shadow = 0;
      }
      uint64_t bits = 0;
      if (whole >= low && whole < high) {
        bits = whole < 0 ? static_cast<uint64_t>(static_cast<int64_t>(whole))
                         : static_cast<uint64_t>(whole);
        if (width < 64) bits &= (uint64_t{1} << width) - 1;
      } else {
        shadow = kUndefinedBit;
      }
      machine.Set(row, op.scalar, lane, bits);
      machine.SetShadow(row, lane, shadow);
    });
  }
}

template <bool kSignedOperand>
void FromInteger(Machine& machine, const Op& op) {
  const Scalar from = static_cast<Scalar>(op.d);
  const uint32_t width = WidthOf(from);
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t row = op.a + i * RowsOf(from);
    const FloatColumn to(machine, op.result + i * RowsOf(op.scalar), op.scalar);
    machine.ForActive([&](uint32_t lane) {
      const uint32_t shadow = machine.ShadowOf(row, lane) & kShadowMask;
      if ((shadow & kUndefinedBit) != 0) return to.PutUndefined(lane);
      uint64_t bits = machine.Get(row, from, lane);
      bool negative = false;
      if (kSignedOperand && (bits >> (width - 1) & 1) != 0) {
        negative = true;
        bits = width == 64 ? ~bits + 1 : (uint64_t{1} << width) - bits;
      }
      bool rounded = false;
      const double size = math::FromUnsigned(bits, to.width(), &rounded);
      const double result = negative ? -size : size;
      if (shadow == 0 && !rounded) {
        // f(int(x)) may be replaced with trunc(x), which keeps the sign of values that become zero.
        const bool open = result == 0 && !to.preserves_special();
        return to.Put(lane, result, open ? kUnknownZeroSignBit : 0);
      }
      to.PutApproximate(lane, result, rounded ? math::NeighbourGap(result, to.width()) : 0,
                        shadow != 0 ? kInfinity : 0);
    });
  }
}

void ConvertFloats(Machine& machine, const Op& op) {
  const Scalar from = static_cast<Scalar>(op.d);
  for (uint32_t i = 0; i < op.count; ++i) {
    const FloatColumn a(machine, op.a + i * RowsOf(from), from);
    const FloatColumn to(machine, op.result + i * RowsOf(op.scalar), op.scalar);
    machine.ForActive([&](uint32_t lane) {
      const FloatValue x = a.Get(lane);
      if ((x.note.shadow & kUndefinedBit) != 0) return to.PutUndefined(lane);
      bool rounded = false;
      const double value = math::Convert(x.value, to.width(), &rounded);
      to.PutApproximate(lane, value, rounded ? math::NeighbourGap(value, to.width()) : 0,
                        x.note.error);
    });
  }
}

// Rounds to 16 bits and back; results that are denormal in 16 bits become zero.
void Quantize(Machine& machine, const Op& op) {
  for (uint32_t i = 0; i < op.count; ++i) {
    const FloatColumn a(machine, op.a + i, op.scalar), to(machine, op.result + i, op.scalar);
    machine.ForActive([&](uint32_t lane) {
      const FloatValue x = a.Get(lane);
      if ((x.note.shadow & kUndefinedBit) != 0) return to.PutUndefined(lane);
      bool rounded = false;
      const double value = math::QuantizeToHalf(x.value, &rounded);
      to.PutApproximate(lane, value, rounded ? math::NeighbourGap(value, 16) : 0,
                        x.note.error == 0 ? 0 : kInfinity);
    });
  }
}

}  // namespace

Handler FloatHandler(const OpKey& key) {
  using R = Relation;
  switch (key.opcode) {
    case spv::Op::OpFAdd:
      return &Arithmetic2<AddFloats>;
    case spv::Op::OpFSub:
      return &Arithmetic2<SubtractFloats>;
    case spv::Op::OpFMul:
      return &Arithmetic2<MultiplyFloats>;
    case spv::Op::OpFDiv:
      return &DivideFloats;
    case spv::Op::OpFRem:
      return &Remainder<FloatOp::kRem>;
    case spv::Op::OpFMod:
      return &Remainder<FloatOp::kMod>;
    case spv::Op::OpFNegate:
      return &NegateFloats;
    case spv::Op::OpFOrdEqual:
      return &Compare<R::kEqual, false>;
    case spv::Op::OpFUnordEqual:
      return &Compare<R::kEqual, true>;
    case spv::Op::OpFOrdNotEqual:
      return &Compare<R::kNotEqual, false>;
    case spv::Op::OpFUnordNotEqual:
      return &Compare<R::kNotEqual, true>;
    case spv::Op::OpFOrdLessThan:
      return &Compare<R::kLess, false>;
    case spv::Op::OpFUnordLessThan:
      return &Compare<R::kLess, true>;
    case spv::Op::OpFOrdGreaterThan:
      return &Compare<R::kGreater, false>;
    case spv::Op::OpFUnordGreaterThan:
      return &Compare<R::kGreater, true>;
    case spv::Op::OpFOrdLessThanEqual:
      return &Compare<R::kLessEqual, false>;
    case spv::Op::OpFUnordLessThanEqual:
      return &Compare<R::kLessEqual, true>;
    case spv::Op::OpFOrdGreaterThanEqual:
      return &Compare<R::kGreaterEqual, false>;
    case spv::Op::OpFUnordGreaterThanEqual:
      return &Compare<R::kGreaterEqual, true>;
    case spv::Op::OpIsNan:
      return &IsSpecial<true>;
    case spv::Op::OpIsInf:
      return &IsSpecial<false>;
    case spv::Op::OpConvertFToS:
      return &ToInteger<true>;
    case spv::Op::OpConvertFToU:
      return &ToInteger<false>;
    case spv::Op::OpConvertSToF:
      return &FromInteger<true>;
    case spv::Op::OpConvertUToF:
      return &FromInteger<false>;
    case spv::Op::OpFConvert:
      return &ConvertFloats;
    case spv::Op::OpQuantizeToF16:
      return &Quantize;
    default:
      return nullptr;
  }
}

}  // namespace interp
}  // namespace refract
