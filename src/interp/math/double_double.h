// SPDX-License-Identifier: Apache-2.0
// Numbers as the unevaluated sum of two doubles, with about 106 bits (Dekker 1971). Argument
// reductions and the logarithm in Pow need them. Without cancellation, each operation has a
// relative error of a few units of 2^-104 (Joldes, Muller, Popescu 2017, "Tight and rigorous error
// bounds for basic building blocks of double-word arithmetic").
#pragma once

#include <cmath>

namespace refract {
inline namespace interp {
namespace math {

/// head + tail, where |tail| is at most half a unit in the last place of head.
struct Pair {
  double head = 0;
  double tail = 0;
  double Value() const { return head + tail; }
};

/// The exact a + b; requires |a| >= |b| or a = 0.
inline Pair FastTwoSum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// The exact a + b.
inline Pair TwoSum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

/// The exact a * b, unless it underflows.
inline Pair TwoProduct(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

inline Pair Negated(const Pair& a) {
  return {-a.head, -a.tail};
}

inline Pair PairSum(const Pair& a, const Pair& b) {
  const Pair heads = TwoSum(a.head, b.head);
  const Pair tails = TwoSum(a.tail, b.tail);
  const Pair middle = FastTwoSum(heads.head, heads.tail + tails.head);
  return FastTwoSum(middle.head, middle.tail + tails.tail);
}

inline Pair PairProduct(const Pair& a, const Pair& b) {
  const Pair heads = TwoProduct(a.head, b.head);
  return FastTwoSum(heads.head, heads.tail + (a.head * b.tail + a.tail * b.head));
}

inline Pair PairProduct(const Pair& a, double b) {
  const Pair heads = TwoProduct(a.head, b);
  return FastTwoSum(heads.head, std::fma(a.tail, b, heads.tail));
}

inline Pair PairQuotient(const Pair& a, const Pair& b) {
  const double first = a.head / b.head;
  const Pair rest = PairSum(a, Negated(PairProduct(b, first)));
  return FastTwoSum(first, rest.head / b.head);
}

}  // namespace math
}  // namespace interp
}  // namespace refract
