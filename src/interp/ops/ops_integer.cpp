// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic, bits, comparisons and conversions (SPIR-V 3.49.13, 3.49.11).
#include <limits>

#include "interp/ops/columns.h"
#include "interp/ops/ops.h"

namespace refract {
inline namespace interp {
namespace {

// The type in which the calculations cannot overflow a signed type.
template <class T>
using Wide = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Wide<T>{a} + Wide<T>{b});
  }
};
struct Subtract {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Wide<T>{a} - Wide<T>{b});
  }
};
struct Multiply {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Wide<T>{a} * Wide<T>{b});
  }
};
struct And {
  template <class T>
  T operator()(T a, T b) const {
    return a & b;
  }
};
struct Or {
  template <class T>
  T operator()(T a, T b) const {
    return a | b;
  }
};
struct Xor {
  template <class T>
  T operator()(T a, T b) const {
    return a ^ b;
  }
};
struct Negate {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(Wide<T>{0} - Wide<T>{a});
  }
};
struct Not {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(~a);
  }
};
struct Reverse {
  template <class T>
  T operator()(T a) const {
    T reversed = 0;
    for (size_t bit = 0; bit < 8 * sizeof(T); ++bit) {
      reversed = static_cast<T>(reversed << 1 | (a >> bit & 1));
    }
    return reversed;
  }
};
struct Count {
  template <class T>
  int operator()(T a) const {
    return std::popcount(a);
  }
};

struct Equal {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct NotEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a != b;
  }
};
struct Less {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct Greater {
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};
struct GreaterEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a >= b;
  }
};

struct Divide {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a / b);
  }
};
struct IntegerRemainder {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a % b);
  }
};
// "Behavior is undefined if Operand 2 is 0". For signed division also if the quotient does not fit,
// that is for the lowest value divided by -1.
template <class T, class F>
void Division(Machine& machine, const Op& op) {
  const F function{};
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t a = op.a + i * kRowsOf<T>, b = op.b + i * kRowsOf<T>;
    const uint32_t result = op.result + i * kRowsOf<T>;
    const Column<T> left(machine, a), right(machine, b), to(machine, result);
    machine.ForActive([&](uint32_t lane) {
      if (!machine.RequireDefined(op.instruction, b, lane, "the divisor")) return;
      const T divisor = right.Get(lane);
      if (divisor == 0) return machine.FailUndefined(op, lane, "division by zero");
      if constexpr (std::is_signed_v<T>) {
        if (divisor == -1) {
          if (!machine.RequireDefined(op.instruction, a, lane, "the dividend")) return;
          if (left.Get(lane) == std::numeric_limits<T>::min()) {
            return machine.FailUndefined(op, lane, "the lowest value is divided by -1");
          }
        }
      }
      to.Set(lane, function(left.Get(lane), divisor));
    });
    JoinShadows(machine, result, a, b);
  }
}

// OpSRem and OpSMod are the same where both are defined: "if either operand is negative the result
// is undefined" (Vulkan, "Precision and Operation of SPIR-V Instructions").
template <class T>
void SignedRemainder(Machine& machine, const Op& op) {
  Division<T, IntegerRemainder>(machine, op);
  for (uint32_t i = 0; i < op.count && !machine.stopped(); ++i) {
    const uint32_t result = op.result + i * kRowsOf<T>;
    const Column<T> left(machine, op.a + i * kRowsOf<T>), right(machine, op.b + i * kRowsOf<T>);
    machine.ForActive([&](uint32_t lane) {
      if (left.Get(lane) < 0 || right.Get(lane) < 0) {
        machine.SetShadow(result, lane, kUndefinedBit);
      }
    });
  }
}

// The result is undefined unless the shift is below the width. The shift may have any integer type.
enum class ShiftKind { kLeft, kLogical, kArithmetic };
template <class T, ShiftKind kKind>
void Shift(Machine& machine, const Op& op) {
  const Scalar by = static_cast<Scalar>(op.d);
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t a = op.a + i * kRowsOf<T>, b = op.b + i * RowsOf(by);
    const uint32_t result = op.result + i * kRowsOf<T>;
    const Column<T> left(machine, a), to(machine, result);
    JoinShadows(machine, result, a, b);
    machine.ForActive([&](uint32_t lane) {
      const uint64_t amount = machine.Get(b, by, lane);
      if (amount >= 8 * sizeof(T)) {
        to.Set(lane, 0);
        machine.SetShadow(result, lane, kUndefinedBit);
        return;
      }
      const T value = left.Get(lane);
      if constexpr (kKind == ShiftKind::kLeft) {
        to.Set(lane, static_cast<T>(Wide<T>{value} << amount));
      } else if constexpr (kKind == ShiftKind::kLogical) {
        to.Set(lane, static_cast<T>(value >> amount));
      } else {
        to.Set(lane, static_cast<T>(static_cast<std::make_signed_t<T>>(value) >> amount));
      }
    });
  }
}

// Bit fields: a is the base, b (for an insertion) the inserted value; words[list] has offset and
// count.
struct Field {
  uint64_t offset = 0, count = 0;
  bool defined = false;
};
template <class T>
Field FieldOf(Machine& machine, const Op& op, uint32_t lane) {
  const uint32_t* words = machine.code().words.data() + op.list;
  Field field;
  field.offset = machine.Get(words[0], static_cast<Scalar>(words[1]), lane);
  field.count = machine.Get(words[2], static_cast<Scalar>(words[3]), lane);
  constexpr uint64_t kBits = 8 * sizeof(T);
  field.defined = field.offset <= kBits && field.count <= kBits - field.offset;
  return field;
}
template <class T>
T Mask(uint64_t count) {
  return count >= 8 * sizeof(T) ? static_cast<T>(~T{0})
                                : static_cast<T>((Wide<T>{1} << count) - Wide<T>{1});
}
// Sets the shadow of the result. `shadow` is that of the bits that the result contains. Other bits
// do not affect it ("If Count is 0, the result is 0", or the base; or all of the base is replaced),
// as with absorbing operators.
void SetFieldShadow(Machine& machine, const Op& op, uint32_t result, uint32_t lane, bool defined,
                    uint32_t shadow) {
  const uint32_t* words = machine.code().words.data() + op.list;
  shadow |= machine.ShadowOf(words[0], lane) | machine.ShadowOf(words[2], lane) |
            (defined ? 0 : kUndefinedBit);
  machine.SetShadow(result, lane, shadow & kShadowMask);
}

template <class T, bool kSignExtend>
void ExtractField(Machine& machine, const Op& op) {
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t a = op.a + i * kRowsOf<T>, result = op.result + i * kRowsOf<T>;
    const Column<T> from(machine, a), to(machine, result);
    JoinShadows(machine, result, a);
    machine.ForActive([&](uint32_t lane) {
      const Field field = FieldOf<T>(machine, op, lane);
      const bool is_settled = field.defined && field.count == 0;
      SetFieldShadow(machine, op, result, lane, field.defined,
                     is_settled ? 0 : machine.ShadowOf(a, lane));
      if (!field.defined || field.count == 0) {
        to.Set(lane, 0);
        return;
      }
      T value = static_cast<T>(from.Get(lane) >> field.offset) & Mask<T>(field.count);
      const T top = static_cast<T>(Wide<T>{1} << (field.count - 1));
      if (kSignExtend && (value & top) != 0) value |= static_cast<T>(~Mask<T>(field.count));
      to.Set(lane, value);
    });
  }
}

template <class T>
void InsertField(Machine& machine, const Op& op) {
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t a = op.a + i * kRowsOf<T>, b = op.b + i * kRowsOf<T>;
    const uint32_t result = op.result + i * kRowsOf<T>;
    const Column<T> base(machine, a), insert(machine, b), to(machine, result);
    JoinShadows(machine, result, a, b);
    machine.ForActive([&](uint32_t lane) {
      const Field field = FieldOf<T>(machine, op, lane);
      const bool has_base = !field.defined || field.count < 8 * sizeof(T);
      const bool has_inserted = !field.defined || field.count != 0;
      SetFieldShadow(machine, op, result, lane, field.defined,
                     (has_base ? machine.ShadowOf(a, lane) : 0) |
                         (has_inserted ? machine.ShadowOf(b, lane) : 0));
      if (!field.defined || field.count == 0) {
        to.Set(lane, base.Get(lane));
        return;
      }
      const T mask = static_cast<T>(Wide<T>{Mask<T>(field.count)} << field.offset);
      const T moved = static_cast<T>(Wide<T>{insert.Get(lane)} << field.offset);
      to.Set(lane, static_cast<T>((base.Get(lane) & ~mask) | (moved & mask)));
    });
  }
}

struct Convert {
  template <class T>
  T operator()(T a) const {
    return a;
  }
};
template <class From>
Handler ConvertFrom(Scalar to) {
  // The types of the columns do the conversion: the value is read as signed or unsigned, and
  // truncated when it is written.
  return PickUnsigned(to,
                      [](auto zero) -> Handler { return &Map1<From, decltype(zero), Convert>; });
}

template <class F>
Handler Unsigned2(Scalar scalar) {
  return PickUnsigned(
      scalar, [](auto zero) -> Handler { return &Map2<decltype(zero), decltype(zero), F>; });
}
template <class F>
Handler Unsigned1(Scalar scalar) {
  return PickUnsigned(
      scalar, [](auto zero) -> Handler { return &Map1<decltype(zero), decltype(zero), F>; });
}
template <class F>
Handler Absorbing2(Scalar scalar) {
  return PickUnsigned(scalar, [](auto zero) -> Handler {
    return &Map2Absorbing<decltype(zero), decltype(zero), F, true>;
  });
}
template <class F>
Handler Equality(Scalar scalar) {
  return PickUnsigned(scalar,
                      [](auto zero) -> Handler { return &Map2<decltype(zero), uint32_t, F>; });
}
template <class F>
Handler Comparison(Scalar scalar, bool is_signed) {
  return PickInteger(scalar, is_signed, [](auto zero) -> Handler {
    return &Map2Absorbing<decltype(zero), uint32_t, F>;
  });
}
template <class F>
Handler Divisions(Scalar scalar, bool is_signed) {
  return PickInteger(scalar, is_signed,
                     [](auto zero) -> Handler { return &Division<decltype(zero), F>; });
}
template <ShiftKind kKind>
Handler Shifts(Scalar scalar) {
  return PickUnsigned(scalar, [](auto zero) -> Handler { return &Shift<decltype(zero), kKind>; });
}

Handler ArithmeticHandler(spv::Op opcode, Scalar scalar) {
  switch (opcode) {
    case spv::Op::OpIAdd:
      return Unsigned2<Add>(scalar);
    case spv::Op::OpISub:
      return Unsigned2<Subtract>(scalar);
    case spv::Op::OpIMul:
      return Absorbing2<Multiply>(scalar);
    case spv::Op::OpUDiv:
      return Divisions<Divide>(scalar, false);
    case spv::Op::OpSDiv:
      return Divisions<Divide>(scalar, true);
    case spv::Op::OpUMod:
      return Divisions<IntegerRemainder>(scalar, false);
    case spv::Op::OpSRem:
    case spv::Op::OpSMod:
      return PickUnsigned(scalar, [](auto zero) -> Handler {
        return &SignedRemainder<std::make_signed_t<decltype(zero)>>;
      });
    case spv::Op::OpSNegate:
      return Unsigned1<Negate>(scalar);
    default:
      return nullptr;
  }
}

Handler BitHandler(spv::Op opcode, Scalar scalar, Scalar result) {
  switch (opcode) {
    case spv::Op::OpBitwiseAnd:
      return Absorbing2<And>(scalar);
    case spv::Op::OpBitwiseOr:
      return Absorbing2<Or>(scalar);
    case spv::Op::OpBitwiseXor:
      return Unsigned2<Xor>(scalar);
    case spv::Op::OpNot:
      return Unsigned1<Not>(scalar);
    case spv::Op::OpBitReverse:
      return Unsigned1<Reverse>(scalar);
    case spv::Op::OpBitCount:
      return PickUnsigned(scalar, [&](auto zero) -> Handler {
        using T = decltype(zero);
        return RowsOf(result) == 2 ? &Map1<T, uint64_t, Count> : &Map1<T, uint32_t, Count>;
      });
    case spv::Op::OpShiftLeftLogical:
      return Shifts<ShiftKind::kLeft>(scalar);
    case spv::Op::OpShiftRightLogical:
      return Shifts<ShiftKind::kLogical>(scalar);
    case spv::Op::OpShiftRightArithmetic:
      return Shifts<ShiftKind::kArithmetic>(scalar);
    case spv::Op::OpBitFieldSExtract:
      return PickUnsigned(scalar,
                          [](auto zero) -> Handler { return &ExtractField<decltype(zero), true>; });
    case spv::Op::OpBitFieldUExtract:
      return PickUnsigned(
          scalar, [](auto zero) -> Handler { return &ExtractField<decltype(zero), false>; });
    case spv::Op::OpBitFieldInsert:
      return PickUnsigned(scalar,
                          [](auto zero) -> Handler { return &InsertField<decltype(zero)>; });
    default:
      return nullptr;
  }
}

Handler ComparisonHandler(spv::Op opcode, Scalar scalar) {
  switch (opcode) {
    case spv::Op::OpIEqual:
      return Equality<Equal>(scalar);
    case spv::Op::OpINotEqual:
      return Equality<NotEqual>(scalar);
    case spv::Op::OpULessThan:
      return Comparison<Less>(scalar, false);
    case spv::Op::OpSLessThan:
      return Comparison<Less>(scalar, true);
    case spv::Op::OpULessThanEqual:
      return Comparison<LessEqual>(scalar, false);
    case spv::Op::OpSLessThanEqual:
      return Comparison<LessEqual>(scalar, true);
    case spv::Op::OpUGreaterThan:
      return Comparison<Greater>(scalar, false);
    case spv::Op::OpSGreaterThan:
      return Comparison<Greater>(scalar, true);
    case spv::Op::OpUGreaterThanEqual:
      return Comparison<GreaterEqual>(scalar, false);
    case spv::Op::OpSGreaterThanEqual:
      return Comparison<GreaterEqual>(scalar, true);
    default:
      return nullptr;
  }
}

}  // namespace

Handler IntegerHandler(const OpKey& key) {
  if (const Handler found = ArithmeticHandler(key.opcode, key.operand)) return found;
  if (const Handler found = BitHandler(key.opcode, key.operand, key.result)) return found;
  if (const Handler found = ComparisonHandler(key.opcode, key.operand)) return found;
  switch (key.opcode) {
    case spv::Op::OpUConvert:
      return PickUnsigned(key.operand, [&](auto zero) -> Handler {
        return ConvertFrom<decltype(zero)>(key.result);
      });
    case spv::Op::OpSConvert:
      return PickInteger(key.operand, true, [&](auto zero) -> Handler {
        return ConvertFrom<decltype(zero)>(key.result);
      });
    default:
      return nullptr;
  }
}

}  // namespace interp
}  // namespace refract
