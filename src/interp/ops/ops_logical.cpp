// SPDX-License-Identifier: Apache-2.0
// Booleans, selection, copies, dynamic indices of vectors, and integer instructions with two
// results.
#include "interp/address_shadow.h"
#include "interp/math/float_shadow.h"
#include "interp/ops/columns.h"
#include "interp/ops/ops.h"

namespace refract {
inline namespace interp {
namespace {

struct LogicalEqual {
  uint32_t operator()(uint32_t a, uint32_t b) const { return a == b ? 1 : 0; }
};
struct LogicalNotEqual {
  uint32_t operator()(uint32_t a, uint32_t b) const { return a != b ? 1 : 0; }
};
struct Invert {
  uint32_t operator()(uint32_t a) const { return a ^ 1; }
};

// And, or: one operand may determine the result.
template <uint32_t kSettles>
void AndOr(Machine& machine, const Op& op) {
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t a = op.a + i, b = op.b + i, result = op.result + i;
    JoinShadows(machine, result, a, b);
    const uint32_t* left = machine.Row(a);
    const uint32_t* right = machine.Row(b);
    uint32_t* to = machine.Row(result);
    machine.ForActive([&](uint32_t lane) {
      to[lane] = kSettles == 0 ? left[lane] & right[lane] : left[lane] | right[lane];
    });
    if (!machine.IsShadowed(result)) continue;
    machine.ForActive([&](uint32_t lane) {
      const bool settled = (machine.ShadowOf(a, lane) == 0 && left[lane] == kSettles) ||
                           (machine.ShadowOf(b, lane) == 0 && right[lane] == kSettles);
      if (!settled) return;
      to[lane] = kSettles;
      machine.SetShadow(result, lane, 0);
    });
  }
}

template <uint32_t kSettles>
void AnyAll(Machine& machine, const Op& op) {
  uint32_t* to = machine.Row(op.result);
  machine.ClearShadow(op.result);
  machine.ForActive([&](uint32_t lane) {
    uint32_t value = 1 - kSettles, shadow = 0;
    bool settled = false;
    for (uint32_t i = 0; i < op.count; ++i) {
      const uint32_t part = machine.Row(op.a + i)[lane];
      const uint32_t part_shadow = machine.ShadowOf(op.a + i, lane) & kShadowMask;
      if (part == kSettles) value = kSettles;
      settled = settled || (part == kSettles && part_shadow == 0);
      shadow |= part_shadow;
    }
    to[lane] = value;
    machine.SetShadow(op.result, lane, settled ? 0 : shadow);
  });
}

// The two parts of a result, with `op.count` components each; b is the first row of the second
// part.
template <class T, class F>
void TwoResults(Machine& machine, const Op& op) {
  const F function{};
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t step = i * kRowsOf<T>;
    const Column<T> left(machine, op.a + step), right(machine, op.b + step);
    const Column<T> first(machine, op.result + step), second(machine, op.c + step);
    machine.ForActive([&](uint32_t lane) {
      const auto [one, two] = function(left.Get(lane), right.Get(lane));
      first.Set(lane, one);
      second.Set(lane, two);
    });
    JoinShadows(machine, op.result + step, op.a + step, op.b + step);
    JoinShadows(machine, op.c + step, op.a + step, op.b + step);
  }
}

template <class T>
struct ResultPair {
  T first, second;
};
struct AddCarry {
  template <class T>
  ResultPair<T> operator()(T a, T b) const {
    const T sum = static_cast<T>(a + b);
    return {sum, static_cast<T>(sum < a ? 1 : 0)};
  }
};
struct SubtractBorrow {
  template <class T>
  ResultPair<T> operator()(T a, T b) const {
    return {static_cast<T>(a - b), static_cast<T>(a < b ? 1 : 0)};
  }
};
struct MultiplyExtended {
  template <class T>
  ResultPair<T> operator()(T a, T b) const {
    using Product = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    const Product product = Product{a} * b;
    return {static_cast<T>(product), static_cast<T>(product >> (8 * sizeof(T)))};
  }
};

// Both halves of a product with zero are zero, regardless of the other operand.
template <class T>
void BothHalves(Machine& machine, const Op& op) {
  TwoResults<T, MultiplyExtended>(machine, op);
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t step = i * kRowsOf<T>;
    const uint32_t a = op.a + step, b = op.b + step;
    if (!machine.IsShadowed(op.result + step)) continue;
    const Column<T> left(machine, a), right(machine, b);
    machine.ForActive([&](uint32_t lane) {
      const auto is_zero = [&](const Column<T>& column, uint32_t row) {
        return (machine.ShadowOf(row, lane) & kShadowMask) == 0 && column.Get(lane) == 0;
      };
      if (!is_zero(left, a) && !is_zero(right, b)) return;
      for (uint32_t half : {op.result + step, op.c + step}) {
        machine.SetShadow(half, lane, 0);
        Column<T>(machine, half).Set(lane, 0);
      }
    });
  }
}

}  // namespace

Handler LogicalHandler(const OpKey& key) {
  switch (key.opcode) {
    case spv::Op::OpLogicalEqual:
      return &Map2<uint32_t, uint32_t, LogicalEqual>;
    case spv::Op::OpLogicalNotEqual:
      return &Map2<uint32_t, uint32_t, LogicalNotEqual>;
    case spv::Op::OpLogicalNot:
      return &Map1<uint32_t, uint32_t, Invert>;
    case spv::Op::OpLogicalAnd:
      return &AndOr<0>;
    case spv::Op::OpLogicalOr:
      return &AndOr<1>;
    case spv::Op::OpAny:
      return &AnyAll<1>;
    case spv::Op::OpAll:
      return &AnyAll<0>;
    default:
      return nullptr;
  }
}

Handler ExtendedHandler(const OpKey& key) {
  switch (key.opcode) {
    case spv::Op::OpIAddCarry:
      return PickUnsigned(
          key.operand, [](auto zero) -> Handler { return &TwoResults<decltype(zero), AddCarry>; });
    case spv::Op::OpISubBorrow:
      return PickUnsigned(key.operand, [](auto zero) -> Handler {
        return &TwoResults<decltype(zero), SubtractBorrow>;
      });
    case spv::Op::OpUMulExtended:
    case spv::Op::OpSMulExtended:
      return PickInteger(key.operand, key.opcode == spv::Op::OpSMulExtended,
                         [](auto zero) -> Handler { return &BothHalves<decltype(zero)>; });
    default:
      return nullptr;
  }
}

void CopyRows(Machine& machine, const Op& op) {
  machine.Copy(op.result, op.a, op.count);
}

void GatherMoves(Machine& machine, const Op& op) {
  const uint32_t* rows = machine.code().words.data() + op.list;
  for (uint32_t i = 0; i < op.count; ++i) machine.Copy(op.result + i, rows[i], 1);
}

void MakeUndefined(Machine& machine, const Op& op) {
  for (uint32_t i = 0; i < op.count; ++i) {
    uint32_t* to = machine.Row(op.result + i);
    uint32_t* shadows = machine.MakeShadowed(op.result + i);
    machine.ForActive([&](uint32_t lane) {
      to[lane] = 0;
      shadows[lane] = kUndefinedBit;
    });
  }
}

void ZeroRows(Machine& machine, const Op& op) {
  for (uint32_t i = 0; i < op.count; ++i) {
    uint32_t* to = machine.Row(op.result + i);
    machine.ClearShadow(op.result + i);
    machine.ForActive([&](uint32_t lane) { to[lane] = 0; });
  }
}

// Concatenates the bits of all components, lowest first, and splits them into components of the new
// width.
void BitcastRows(Machine& machine, const Op& op) {
  const Scalar from = static_cast<Scalar>(op.c);
  const uint32_t from_width = WidthOf(from), to_width = WidthOf(op.scalar);
  const bool keeps_addresses = machine.code().has_addresses && !IsFloat(from) &&
                               !IsFloat(op.scalar) && std::min(from_width, to_width) >= 32;
  const auto part = [](uint64_t bits, uint32_t at, uint32_t width) {
    return width == 64 ? bits : bits >> at & ((uint64_t{1} << width) - 1);
  };
  machine.ForActive([&](uint32_t lane) {
    for (uint32_t i = 0; i < op.count; ++i) {
      // The smaller of two widths divides the larger one.
      const uint32_t step = std::min(from_width, to_width);
      uint64_t bits = 0;
      uint32_t shadow = 0, whole = 0;
      for (uint32_t bit = 0; bit < to_width; bit += step) {
        const uint32_t place = i * to_width + bit, component = place / from_width;
        if (component >= op.b) break;
        const uint32_t row = op.a + component * RowsOf(from);
        const uint64_t value = machine.Get(row, from, lane);
        const uint32_t about = machine.ShadowOf(row, lane);
        bits |= part(value, place % from_width, step) << bit;
        shadow |= about & kShadowMask;
        whole = bit == 0 ? about : JoinHalves(whole, about);
        if (to_width < from_width) {
          whole = HalfOf({value, about}, place % from_width != 0, machine.code());
        }
        // The bits of a zero whose sign is unknown.
        if (IsFloat(from) && (about & kUnknownZeroSignBit) != 0) shadow |= kApproximateBit;
      }
      const uint32_t row = op.result + i * RowsOf(op.scalar);
      machine.Set(row, op.scalar, lane, bits);
      const bool is_address = keeps_addresses && AddressIn(whole).has_value();
      machine.SetShadow(row, lane, is_address ? whole : shadow);
    }
  });
}

// `op.d`: the rows of a value whose equality matters as a whole, such as the two of a 64-bit
// scalar.
void SelectRows(Machine& machine, const Op& op) {
  const uint32_t* condition = machine.Row(op.a);
  const auto are_equal = [&](uint32_t i, uint32_t lane) {
    const uint32_t first = i - i % op.d;
    for (uint32_t k = first; k < std::min(first + op.d, op.count); ++k) {
      if (machine.ShadowOf(op.b + k, lane) != 0 || machine.ShadowOf(op.c + k, lane) != 0 ||
          machine.Row(op.b + k)[lane] != machine.Row(op.c + k)[lane]) {
        return false;
      }
    }
    return true;
  };
  const bool unsure = machine.IsShadowed(op.a);
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t* yes = machine.Row(op.b + i);
    const uint32_t* no = machine.Row(op.c + i);
    uint32_t* to = machine.Row(op.result + i);
    machine.ForActive(
        [&](uint32_t lane) { to[lane] = condition[lane] != 0 ? yes[lane] : no[lane]; });
    if (!unsure && !machine.IsShadowed(op.b + i) && !machine.IsShadowed(op.c + i)) {
      machine.ClearShadow(op.result + i);
      continue;
    }
    machine.ForActive([&](uint32_t lane) {
      const uint32_t mine = machine.ShadowOf(condition[lane] != 0 ? op.b + i : op.c + i, lane);
      uint32_t about = machine.ShadowOf(op.a, lane) & kShadowMask;
      const uint32_t other = machine.ShadowOf(condition[lane] != 0 ? op.c + i : op.b + i, lane);
      // If both values are equal, the shadow of the condition does not matter.
      if (about != 0 && are_equal(i, lane)) about = 0;
      // If the condition is approximate or undefined, the error of the result is unknown.
      machine.SetShadow(op.result + i, lane,
                        about == 0 ? mine : ((mine | other | about) & kShadowMask));
    });
  }
}

void RelaxIntegers(Machine& machine, const Op& op) {
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t row = op.result + i * RowsOf(op.scalar);
    machine.ForActive([&](uint32_t lane) {
      const uint32_t bits = machine.Row(row)[lane];
      const int32_t value = static_cast<int32_t>(bits);
      const bool fits =
          (op.flags & kSigned) != 0 ? value >= INT16_MIN && value <= INT16_MAX : bits <= UINT16_MAX;
      if (fits) return;
      machine.SetShadow(row, lane, machine.ShadowOf(row, lane) | kApproximateBit);
    });
  }
}

void ExtractDynamic(Machine& machine, const Op& op) {
  const uint32_t rows = RowsOf(op.scalar);
  machine.ForActive([&](uint32_t lane) {
    if (!machine.RequireDefined(op.instruction, op.b, lane, "the index")) return;
    const uint64_t index = machine.Get(op.b, static_cast<Scalar>(op.list), lane);
    if (index >= op.d) return machine.FailUndefined(op, lane, "the index is out of range");
    const uint32_t place = static_cast<uint32_t>(index) * rows;
    for (uint32_t i = 0; i < rows; ++i) {
      machine.Row(op.result + i)[lane] = machine.Row(op.a + place + i)[lane];
    }
    machine.SetShadow(op.result, lane, machine.ShadowOf(op.a + place, lane));
  });
}

void InsertDynamic(Machine& machine, const Op& op) {
  const uint32_t rows = RowsOf(op.scalar);
  machine.Copy(op.result, op.a, op.d * rows);
  machine.ForActive([&](uint32_t lane) {
    if (!machine.RequireDefined(op.instruction, op.c, lane, "the index")) return;
    const uint64_t index = machine.Get(op.c, static_cast<Scalar>(op.list), lane);
    if (index >= op.d) return machine.FailUndefined(op, lane, "the index is out of range");
    const uint32_t place = op.result + static_cast<uint32_t>(index) * rows;
    for (uint32_t i = 0; i < rows; ++i) {
      machine.Row(place + i)[lane] = machine.Row(op.b + i)[lane];
    }
    machine.SetShadow(place, lane, machine.ShadowOf(op.b, lane));
  });
}

void CallFunction(Machine& machine, const Op& op) {
  const uint32_t* words = machine.code().words.data() + op.list;
  const FunctionCode& callee = machine.code().functions[op.a];
  for (size_t i = 0; i < callee.parameters.size(); ++i) {
    machine.Copy(callee.parameters[i], words[i], callee.parameter_rows[i]);
  }
  machine.Call(op.a);
  if (machine.stopped() || machine.active_count() == 0) return;
  machine.Copy(op.result, callee.result, callee.result_rows);
}

}  // namespace interp
}  // namespace refract
