// SPDX-License-Identifier: Apache-2.0
// Products of vectors and matrices, decoded to the multiplications and additions that define them.
#include "interp/decode/decode.h"

namespace refract {
inline namespace interp {

// Emits the sum of products of scalars. The products get separate rows.
void Decoder::EmitDot(const Form& form, Scalar scalar, uint32_t result,
                      const std::vector<std::pair<uint32_t, uint32_t>>& products) {
  Op multiply = MakeOp(form.inst, FloatHandler({spv::Op::OpFMul, scalar, scalar}));
  multiply.scalar = scalar;
  Op add = multiply;
  add.run = FloatHandler({spv::Op::OpFAdd, scalar, scalar});
  uint32_t sum = 0;
  for (size_t i = 0; i < products.size(); ++i) {
    const bool only = products.size() == 1, last = i + 1 == products.size();
    multiply.a = products[i].first;
    multiply.b = products[i].second;
    multiply.result = only ? result : NewRows(RowsOf(scalar));
    Emit(multiply);
    if (i > 0) {
      add.a = sum;
      add.b = multiply.result;
      add.result = last ? result : NewRows(RowsOf(scalar));
      Emit(add);
    }
    sum = i == 0 ? multiply.result : add.result;
  }
}

namespace {

// A vector or matrix as columns and rows of scalars.
struct Shape {
  uint32_t row = 0, columns = 1, components = 1, each = 1;
  uint32_t At(uint32_t column, uint32_t component) const {
    return row + (column * components + component) * each;
  }
};

}  // namespace

Status Decoder::DecodeLinear(const Form& form, bool* done) {
  *done = true;
  Shape shapes[2];
  bool is_matrix[2] = {};
  switch (form.opcode) {
    case spv::Op::OpDot:
    case spv::Op::OpVectorTimesScalar:
    case spv::Op::OpMatrixTimesScalar:
    case spv::Op::OpVectorTimesMatrix:
    case spv::Op::OpMatrixTimesVector:
    case spv::Op::OpMatrixTimesMatrix:
    case spv::Op::OpOuterProduct:
      break;
    default:
      *done = false;
      return {};
  }
  for (uint32_t i = 0; i < 2; ++i) {
    const Result<uint32_t> row = RowOf(form.inst, OperandId(form, i));
    if (!row) return row.error();
    const Result<const TypeInfo*> type = OperandType(form, i);
    if (!type) return type.error();
    shapes[i].row = *row;
    shapes[i].each = RowsOf((*type)->scalar);
    is_matrix[i] = (*type)->opcode == spv::Op::OpTypeMatrix;
    shapes[i].columns = is_matrix[i] ? (*type)->parts : 1;
    shapes[i].components =
        static_cast<uint32_t>((*type)->rows) / shapes[i].each / shapes[i].columns;
  }
  uint32_t result = 0;
  const TypeInfo* type = nullptr;
  if (Status status = ResultRows(form, &result, &type); !status) return status;
  const Shape& a = shapes[0];
  const Shape& b = shapes[1];
  const auto emit = [&](const std::vector<std::pair<uint32_t, uint32_t>>& products) {
    EmitDot(form, type->scalar, result, products);
    result += a.each;
  };
  std::vector<std::pair<uint32_t, uint32_t>> products;
  switch (form.opcode) {
    case spv::Op::OpDot:
      for (uint32_t i = 0; i < a.components; ++i) products.emplace_back(a.At(0, i), b.At(0, i));
      emit(products);
      return {};
    case spv::Op::OpVectorTimesScalar:
    case spv::Op::OpMatrixTimesScalar:
      for (uint32_t c = 0; c < a.columns; ++c) {
        for (uint32_t i = 0; i < a.components; ++i) emit({{a.At(c, i), b.row}});
      }
      return {};
    case spv::Op::OpVectorTimesMatrix:
      for (uint32_t c = 0; c < b.columns; ++c) {
        products.clear();
        for (uint32_t i = 0; i < a.components; ++i) products.emplace_back(a.At(0, i), b.At(c, i));
        emit(products);
      }
      return {};
    case spv::Op::OpOuterProduct:
      for (uint32_t c = 0; c < b.components; ++c) {
        for (uint32_t i = 0; i < a.components; ++i) emit({{a.At(0, i), b.At(0, c)}});
      }
      return {};
    default:  // a matrix times each column of a matrix, or times one vector
      for (uint32_t c = 0; c < b.columns; ++c) {
        for (uint32_t i = 0; i < a.components; ++i) {
          products.clear();
          for (uint32_t k = 0; k < a.columns; ++k) products.emplace_back(a.At(k, i), b.At(c, k));
          emit(products);
        }
      }
      return {};
  }
}

}  // namespace interp
}  // namespace refract
