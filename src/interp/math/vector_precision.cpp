// SPDX-License-Identifier: Apache-2.0
// The rows of "Precision of GLSL.std.450 Instructions" for vectors, and OpDot.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.h"
#include "interp/math/precision.h"

namespace refract {
inline namespace interp {
namespace math {
namespace {

using Values = std::span<const double>;
using Ranges = std::vector<Range>;

Ranges Operands(const RangeArithmetic& r, Values values) {
  Ranges ranges;
  for (const double value : values) ranges.push_back(r.Operand(value));
  return ranges;
}

// The sum of `terms` in any order, because the formula of a dot product may be rearranged. Each of
// the n - 1 additions has an error of at most one unit u in the last place of a partial sum, and
// all of them together at most ((1 + u)^(n-1) - 1) times the sum of magnitudes (Higham 2002,
// Accuracy and Stability of Numerical Algorithms, section 4.2, there with half a unit). Partial
// sums may also be flushed.
Range SumInAnyOrder(const RangeArithmetic& r, const Ranges& terms) {
  Range sum = {0, 0};
  double magnitudes = 0;
  std::vector<double> values;
  for (const Range& term : terms) {
    if (!term.IsFinite()) return Range::Anything();
    sum = {sum.low + term.low, sum.high + term.high};
    magnitudes += std::max(Absolute(term.low), Absolute(term.high));
    if (term.low == term.high) values.push_back(term.low);
  }
  if (terms.size() == 1) return terms[0];
  const Format& format = FormatOf(r.width());
  if (values.size() == terms.size() && ExactInAnyOrder(values, 1, magnitudes, r.width())) {
    return sum;
  }
  const double unit = std::ldexp(1.0, 1 - format.precision);
  double growth = 1;
  double error = 0;
  for (size_t i = 1; i < terms.size(); ++i) {
    growth *= 1 + unit;
    error += format.min_normal;
  }
  error += (growth - 1) * magnitudes;
  // Above the largest number, a partial sum may have overflowed.
  if (!(magnitudes + error <= format.max)) return Range::Anything();
  return {sum.low - error, sum.high + error};
}

Range Dot(const RangeArithmetic& r, const Ranges& x, const Ranges& y) {
  Ranges products;
  for (size_t i = 0; i < x.size(); ++i) products.push_back(r.Mul(x[i], y[i]));
  return SumInAnyOrder(r, products);
}

// The dot product of a vector with itself: a sum of squares, which is never negative.
Range DotSelf(const RangeArithmetic& r, const Ranges& x) {
  Ranges squares;
  for (const Range& component : x) squares.push_back(r.Square(component));
  const Range sum = SumInAnyOrder(r, squares);
  return sum.IsFinite() ? Range{std::max(sum.low, 0.0), sum.high} : sum;
}

}  // namespace

Range DotRange(Values x, Values y, int width, bool may_flush) {
  CHECK(x.size() == y.size() && !x.empty());
  const RangeArithmetic r(width, may_flush);
  return Dot(r, Operands(r, x), Operands(r, y));
}

// sqrt(dot(x, x))
Range LengthRange(Values x, int width, bool may_flush) {
  CHECK(!x.empty());
  const RangeArithmetic r(width, may_flush);
  return r.Sqrt(DotSelf(r, Operands(r, x)));
}

// length(x - y)
Range DistanceRange(Values x, Values y, int width, bool may_flush) {
  CHECK(x.size() == y.size() && !x.empty());
  const RangeArithmetic r(width, may_flush);
  Ranges differences;
  for (size_t i = 0; i < x.size(); ++i) {
    differences.push_back(r.Sub(r.Operand(x[i]), r.Operand(y[i])));
  }
  return r.Sqrt(DotSelf(r, differences));
}

// x * inversesqrt(dot(x, x))
Ranges NormalizeRanges(Values x, int width, bool may_flush) {
  CHECK(!x.empty());
  const RangeArithmetic r(width, may_flush);
  const Ranges operands = Operands(r, x);
  const Range factor = r.InverseSqrt(DotSelf(r, operands));
  Ranges result;
  for (const Range& component : operands) result.push_back(r.Mul(component, factor));
  return result;
}

// OpFSub(OpFMul, OpFMul)
Ranges CrossRanges(Values x, Values y, int width, bool may_flush) {
  CHECK(x.size() == 3 && y.size() == 3);
  const RangeArithmetic r(width, may_flush);
  const Ranges a = Operands(r, x);
  const Ranges b = Operands(r, y);
  Ranges result;
  for (size_t i = 0; i < 3; ++i) {
    const size_t j = (i + 1) % 3;
    const size_t k = (i + 2) % 3;
    result.push_back(r.Sub(r.Mul(a[j], b[k]), r.Mul(b[j], a[k])));
  }
  return result;
}

// dot(NRef, I) < 0.0 ? N : -N
Ranges FaceForwardRanges(Values n, Values i, Values reference, int width, bool may_flush) {
  CHECK(n.size() == i.size() && n.size() == reference.size() && !n.empty());
  const RangeArithmetic r(width, may_flush);
  const Range dot = Dot(r, Operands(r, reference), Operands(r, i));
  Ranges result;
  for (const Range& as_is : Operands(r, n)) {
    const Range turned = {-as_is.high, -as_is.low};
    result.push_back(dot.high < 0 ? as_is : dot.low >= 0 ? turned : Hull(as_is, turned));
  }
  return result;
}

// x - 2.0 * dot(y, x) * y
Ranges ReflectRanges(Values i, Values n, int width, bool may_flush) {
  CHECK(i.size() == n.size() && !i.empty());
  const RangeArithmetic r(width, may_flush);
  const Ranges incident = Operands(r, i);
  const Ranges normal = Operands(r, n);
  const Range twice = r.Mul(Range::Exactly(2), Dot(r, normal, incident));
  Ranges result;
  for (size_t c = 0; c < i.size(); ++c) {
    result.push_back(r.Sub(incident[c], r.Mul(twice, normal[c])));
  }
  return result;
}

// k < 0.0 ? 0.0 : eta * I - (eta * dot(N, I) + sqrt(k)) * N,
// where k = 1 - eta * eta * (1.0 - dot(N, I) * dot(N, I))
Ranges RefractRanges(Values i, Values n, double eta, int width, bool may_flush) {
  CHECK(i.size() == n.size() && !i.empty());
  const RangeArithmetic r(width, may_flush);
  const Ranges incident = Operands(r, i);
  const Ranges normal = Operands(r, n);
  const Range ratio = r.Operand(eta);
  const Range one = Range::Exactly(1);
  const Range dot = Dot(r, normal, incident);
  Ranges result(i.size(), Range::Exactly(0));
  if (!dot.IsFinite() || !ratio.IsFinite()) return Ranges(i.size(), Range::Anything());
  const Range k = r.Sub(one, r.Mul(r.Square(ratio), r.Sub(one, r.Square(dot))));
  if (k.high < 0) return result;
  const Range root = r.Sqrt({std::max(k.low, 0.0), k.high});
  const Range along = r.Add(r.Mul(ratio, dot), root);
  for (size_t c = 0; c < i.size(); ++c) {
    const Range bent = r.Sub(r.Mul(ratio, incident[c]), r.Mul(along, normal[c]));
    result[c] = k.low < 0 ? Hull(result[c], bent) : bent;
  }
  return result;
}

}  // namespace math
}  // namespace interp
}  // namespace refract
