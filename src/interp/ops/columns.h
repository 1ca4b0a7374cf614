// SPDX-License-Identifier: Apache-2.0
// How handlers read and write rows. A Column is one scalar of all invocations as a C++ type. Map1
// and Map2 apply a function to columns and join the shadows. Private to this library.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "interp/machine.h"

namespace refract {
inline namespace interp {

template <class T>
constexpr uint32_t kRowsOf = sizeof(T) == 8 ? 2 : 1;

/// `T` is an integer of 8 to 64 bits, float or double.
template <class T>
class Column {
 public:
  Column(Machine& machine, uint32_t row)
      : low_(machine.Row(row)), high_(sizeof(T) == 8 ? machine.Row(row + 1) : nullptr) {}
  T Get(uint32_t lane) const {
    if constexpr (sizeof(T) == 8) {
      return std::bit_cast<T>(low_[lane] | uint64_t{high_[lane]} << 32);
    } else if constexpr (std::is_same_v<T, float>) {
      return std::bit_cast<float>(low_[lane]);
    } else {
      return static_cast<T>(low_[lane]);
    }
  }
  void Set(uint32_t lane, T value) const {
    if constexpr (sizeof(T) == 8) {
      const uint64_t bits = std::bit_cast<uint64_t>(value);
      low_[lane] = static_cast<uint32_t>(bits);
      high_[lane] = static_cast<uint32_t>(bits >> 32);
    } else if constexpr (std::is_same_v<T, float>) {
      low_[lane] = std::bit_cast<uint32_t>(value);
    } else {
      low_[lane] = static_cast<std::make_unsigned_t<T>>(value);
    }
  }

 private:
  uint32_t* low_;
  uint32_t* high_;
};

/// Sets the shadow of the result to the worst shadow of the operands.
inline void JoinShadows(Machine& machine, uint32_t result, uint32_t a) {
  if (!machine.IsShadowed(a)) {
    machine.ClearShadow(result);
    return;
  }
  const uint32_t* from = machine.ShadowRow(a);
  uint32_t* to = machine.MakeShadowed(result);
  machine.ForActive([&](uint32_t lane) { to[lane] = from[lane] & kShadowMask; });
}
inline void JoinShadows(Machine& machine, uint32_t result, uint32_t a, uint32_t b) {
  if (!machine.IsShadowed(b)) return JoinShadows(machine, result, a);
  if (!machine.IsShadowed(a)) return JoinShadows(machine, result, b);
  const uint32_t* from = machine.ShadowRow(a);
  const uint32_t* other = machine.ShadowRow(b);
  uint32_t* to = machine.MakeShadowed(result);
  machine.ForActive([&](uint32_t lane) { to[lane] = (from[lane] | other[lane]) & kShadowMask; });
}

/// Computes result = F(a) for each component.
template <class T, class R, class F>
void Map1(Machine& machine, const Op& op) {
  const F function{};
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t a = op.a + i * kRowsOf<T>, result = op.result + i * kRowsOf<R>;
    const Column<T> from(machine, a);
    const Column<R> to(machine, result);
    machine.ForActive(
        [&](uint32_t lane) { to.Set(lane, static_cast<R>(function(from.Get(lane)))); });
    JoinShadows(machine, result, a);
  }
}

/// Computes result = F(a, b) for each component.
template <class T, class R, class F>
void Map2(Machine& machine, const Op& op) {
  const F function{};
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t a = op.a + i * kRowsOf<T>, b = op.b + i * kRowsOf<T>;
    const uint32_t result = op.result + i * kRowsOf<R>;
    const Column<T> left(machine, a), right(machine, b);
    const Column<R> to(machine, result);
    machine.ForActive([&](uint32_t lane) {
      to.Set(lane, static_cast<R>(function(left.Get(lane), right.Get(lane))));
    });
    JoinShadows(machine, result, a, b);
  }
}

/// Map2 of an operation whose result one operand can determine: x & 0, x * 0, min(x, 0) or x < 0 of
/// unsigned integers. If an exact operand gives the same result with the lowest and with the
/// highest value of the other operand, the result is exact. F must then give this result for all
/// values between the two. `kOverUndefined`: also if the other operand is undefined; compilers fold
/// x & 0 first, but min(x, 0) of an undefined x to anything.
template <class T, class R, class F, bool kOverUndefined = false>
void Map2Absorbing(Machine& machine, const Op& op) {
  Map2<T, R, F>(machine, op);
  constexpr T kLowest = std::numeric_limits<T>::lowest(), kHighest = std::numeric_limits<T>::max();
  const F function{};
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t a = op.a + i * kRowsOf<T>, b = op.b + i * kRowsOf<T>;
    const uint32_t result = op.result + i * kRowsOf<R>;
    if (!machine.IsShadowed(result)) continue;
    const Column<T> left(machine, a), right(machine, b);
    const Column<R> to(machine, result);
    const auto settle = [&](uint32_t lane, uint32_t unsure, R one, R other) {
      if (one != other) return;
      if (!kOverUndefined && (machine.ShadowOf(unsure, lane) & kUndefinedBit) != 0) return;
      to.Set(lane, one);
      machine.SetShadow(result, lane, 0);
    };
    machine.ForActive([&](uint32_t lane) {
      if ((machine.ShadowOf(a, lane) & kShadowMask) == 0) {
        const T value = left.Get(lane);
        settle(lane, b, static_cast<R>(function(value, kLowest)),
               static_cast<R>(function(value, kHighest)));
      }
      if ((machine.ShadowOf(b, lane) & kShadowMask) == 0) {
        const T value = right.Get(lane);
        settle(lane, a, static_cast<R>(function(kLowest, value)),
               static_cast<R>(function(kHighest, value)));
      }
    });
  }
}

/// Chooses the instance of a handler template for a width and signedness:
/// `PickInteger(scalar, is_signed, [](auto zero) { return &Handler<decltype(zero)>; })`.
template <class Make>
Handler PickInteger(Scalar scalar, bool is_signed, Make make) {
  switch (scalar) {
    case Scalar::kInt8:
      return is_signed ? make(int8_t{}) : make(uint8_t{});
    case Scalar::kInt16:
      return is_signed ? make(int16_t{}) : make(uint16_t{});
    case Scalar::kInt64:
      return is_signed ? make(int64_t{}) : make(uint64_t{});
    default:
      return is_signed ? make(int32_t{}) : make(uint32_t{});
  }
}
template <class Make>
Handler PickUnsigned(Scalar scalar, Make make) {
  switch (scalar) {
    case Scalar::kInt8:
      return make(uint8_t{});
    case Scalar::kInt16:
      return make(uint16_t{});
    case Scalar::kInt64:
      return make(uint64_t{});
    default:
      return make(uint32_t{});
  }
}

}  // namespace interp
}  // namespace refract
