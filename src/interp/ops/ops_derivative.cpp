// SPDX-License-Identifier: Apache-2.0
// Derivatives (Vulkan, "Derivative Operations"): differences within a quad. The invocations of a
// quad are four lanes, starting at a multiple of four, left before right and top before bottom.
//
// Fine derivatives use the invocation's own row or column. Coarse ones may use either row or
// column, and instructions that do not say which may do either. Their results are therefore exact
// only if both differences are equal. If an invocation of the quad is not active, the value is
// undefined.
#include <algorithm>

#include "interp/math/rounded_arithmetic.h"
#include "interp/ops/float_columns.h"
#include "interp/ops/ops_collective.h"

namespace refract {
inline namespace interp {
namespace {

using Arithmetic = FloatColumn::Arithmetic;
using math::Absolute;

Arithmetic Difference(const FloatValue& to, const FloatValue& from, int width) {
  Arithmetic result;
  result.value = math::Add(to.value, -from.value, width, &result.rounded);
  result.magnitude = to.note.magnitude + from.note.magnitude;
  result.grain = std::min(to.note.grain, from.note.grain);
  result.carried = to.note.error + from.note.error;
  result.shadow = to.note.shadow | from.note.shadow;
  return result;
}

// A difference, and how much an equally valid difference may differ from it.
struct Open {
  Arithmetic chosen;
  double off = 0;
};

class Quad {
 public:
  Quad(Machine& machine, const FloatColumn& column, uint32_t first)
      : width_(column.width()), fine_(machine.options().schedule.fine_derivatives) {
    for (uint32_t i = 0; i < 4; ++i) values_[i] = column.Get(first + i);
  }
  Open Of(uint32_t place, bool vertical, DerivativePrecision fineness) const {
    const uint32_t step = vertical ? 2 : 1, other = vertical ? 1 : 2;
    const bool fine =
        fineness == DerivativePrecision::kFine || (fineness == DerivativePrecision::kAny && fine_);
    const uint32_t line = fine ? place & other : 0;
    Open result;
    result.chosen = Along(line, step);
    if (fineness == DerivativePrecision::kFine) return result;
    const Arithmetic rest = Along(line ^ other, step);
    result.chosen.shadow |= rest.shadow;
    result.chosen.rounded = result.chosen.rounded || rest.rounded;
    result.chosen.magnitude = std::max(result.chosen.magnitude, rest.magnitude);
    result.chosen.grain = std::min(result.chosen.grain, rest.grain);
    result.chosen.carried = std::max(result.chosen.carried, rest.carried);
    result.off = Absolute(result.chosen.value - rest.value);
    if (!(result.off >= 0)) result.off = math::kInfinity;
    return result;
  }

 private:
  Arithmetic Along(uint32_t line, uint32_t step) const {
    return Difference(values_[line + step], values_[line], width_);
  }
  FloatValue values_[4];
  int width_;
  bool fine_;
};

Open Width(const Open& x, const Open& y, int width) {
  Open sum;
  bool rounded = false;
  sum.chosen.value = math::Add(Absolute(x.chosen.value), Absolute(y.chosen.value), width, &rounded);
  sum.chosen.rounded = rounded || x.chosen.rounded || y.chosen.rounded;
  sum.chosen.magnitude = x.chosen.magnitude + y.chosen.magnitude;
  sum.chosen.grain = std::min(x.chosen.grain, y.chosen.grain);
  sum.chosen.carried = x.chosen.carried + y.chosen.carried;
  sum.chosen.shadow = x.chosen.shadow | y.chosen.shadow;
  sum.off = x.off + y.off;
  return sum;
}

void Put(const FloatColumn& to, uint32_t lane, const Open& slope, uint8_t flags) {
  if (slope.off == 0 || (slope.chosen.shadow & kUndefinedBit) != 0) {
    return to.PutArithmetic(lane, slope.chosen, flags);
  }
  const int precision = math::FormatOf((flags & kRelaxed) != 0 ? 16 : to.width()).precision;
  const double roundings = 2 * slope.chosen.magnitude * PowerOfTwo(1 - precision);
  to.PutApproximate(lane, slope.chosen.value, slope.off + roundings, slope.chosen.carried);
}

bool IsWhole(const Machine& machine, uint32_t first) {
  for (uint32_t i = 0; i < 4; ++i) {
    if (!machine.active().Has(first + i)) return false;
  }
  return true;
}

}  // namespace

void Derivative(Machine& machine, const Op& op) {
  const auto fineness = static_cast<DerivativePrecision>(op.c);
  const uint32_t rows = RowsOf(op.scalar);
  for (uint32_t i = 0; i < op.count * rows; i += rows) {
    const FloatColumn from(machine, op.a + i, op.scalar), to(machine, op.result + i, op.scalar);
    for (uint32_t first = 0; first < machine.lanes(); first += 4) {
      const bool whole = IsWhole(machine, first);
      const Quad quad(machine, from, first);
      for (uint32_t place = 0; place < 4; ++place) {
        const uint32_t lane = first + place;
        if (!machine.active().Has(lane)) continue;
        if (!whole) {
          to.PutUndefined(lane);
          continue;
        }
        const Open x = quad.Of(place, false, fineness), y = quad.Of(place, true, fineness);
        const auto slope = static_cast<DerivativeAxis>(op.b);
        Put(to, lane,
            slope == DerivativeAxis::kX   ? x
            : slope == DerivativeAxis::kY ? y
                                          : Width(x, y, from.width()),
            op.flags);
      }
    }
  }
}

}  // namespace interp
}  // namespace refract
