// SPDX-License-Identifier: Apache-2.0
// Floats of any width as doubles, with what is known about them, and how results are stored.
// Private to this library.
#pragma once

#include "interp/math/float_shadow.h"
#include "interp/math/precision.h"
#include "interp/ops/columns.h"

namespace refract {
inline namespace interp {

struct FloatValue {
  double value = 0;
  FloatShadow note;
};

class FloatColumn {
 public:
  FloatColumn(Machine& machine, uint32_t row, Scalar scalar)
      : machine_(machine), row_(row), scalar_(scalar), width_(static_cast<int>(WidthOf(scalar))) {}
  int width() const { return width_; }
  double Value(uint32_t lane) const;
  /// The value with what is known about it. A denormal that may be flushed is approximate.
  FloatValue Get(uint32_t lane) const;
  void Put(uint32_t lane, double value, uint32_t shadow) const {
    Bits(lane, value);
    machine_.SetShadow(row_, lane, shadow);
  }
  void PutUndefined(uint32_t lane) const { Put(lane, 0, kUndefinedBit); }
  /// A result of arithmetic. `rounded`: the exact result is not representable. `magnitude` and
  /// `grain`: see float_shadow.h.
  struct Arithmetic {
    double value = 0;
    bool rounded = false;
    double magnitude = 0;
    int grain = 0;
    double carried = 0;  ///< error that comes from the operands
    uint32_t shadow = 0;
  };
  void PutArithmetic(uint32_t lane, const Arithmetic& result, uint8_t flags) const;
  /// Stores a result with an error of up to `own`, plus `carried` from the errors of its operands.
  /// If both are 0, it is exact.
  void PutApproximate(uint32_t lane, double value, double own, double carried) const;
  bool preserves_special() const;
  bool preserves_denormals() const;

 private:
  void Bits(uint32_t lane, double value) const;
  double Perturbed(double value, double own) const;
  Machine& machine_;
  uint32_t row_;
  Scalar scalar_;
  int width_;
};

}  // namespace interp
}  // namespace refract
