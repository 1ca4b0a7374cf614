// SPDX-License-Identifier: Apache-2.0
// Products of vectors and matrices, decoded to the multiplications and additions that define them.
#include "interp/decode/opcode_table.h"
#include "interp/ops/ops.h"

namespace refract {
inline namespace interp {
namespace {

// Emits the sum of products of scalars. The products get separate rows.
void EmitDot(Decoder& decoder, const Operation& operation, Scalar scalar, uint32_t result,
             const std::vector<std::pair<uint32_t, uint32_t>>& products) {
  Op multiply =
      decoder.writer.MakeOp(operation.inst, FloatHandler({spv::Op::OpFMul, scalar, scalar}));
  multiply.scalar = scalar;
  Op add = multiply;
  add.run = FloatHandler({spv::Op::OpFAdd, scalar, scalar});
  uint32_t sum = 0;
  for (size_t i = 0; i < products.size(); ++i) {
    const bool only = products.size() == 1, last = i + 1 == products.size();
    multiply.a = products[i].first;
    multiply.b = products[i].second;
    multiply.result = only ? result : decoder.rows.Allocate(RowsOf(scalar));
    decoder.writer.Emit(multiply);
    if (i > 0) {
      add.a = sum;
      add.b = multiply.result;
      add.result = last ? result : decoder.rows.Allocate(RowsOf(scalar));
      decoder.writer.Emit(add);
    }
    sum = i == 0 ? multiply.result : add.result;
  }
}

// The rows of a vector or matrix. A vector is one column.
struct MatrixRows {
  uint32_t row = 0, columns = 1, components = 1, each = 1;
  uint32_t At(uint32_t column, uint32_t component) const {
    return row + (column * components + component) * each;
  }
};

Status DecodeLinear(Decoder& decoder, const Operation& operation) {
  MatrixRows matrices[2];
  for (uint32_t i = 0; i < 2; ++i) {
    const Result<uint32_t> row = decoder.writer.OperandRow(operation, i);
    if (!row) return row.error();
    const Result<const TypeInfo*> type = decoder.writer.OperandType(operation, i);
    if (!type) return type.error();
    matrices[i].row = *row;
    matrices[i].each = RowsOf((*type)->scalar);
    matrices[i].columns = (*type)->opcode == spv::Op::OpTypeMatrix ? (*type)->parts : 1;
    matrices[i].components =
        static_cast<uint32_t>((*type)->rows) / matrices[i].each / matrices[i].columns;
  }
  uint32_t result = 0;
  const TypeInfo* type = nullptr;
  if (Status status = decoder.writer.ResultRows(operation, &result, &type); !status) return status;
  const MatrixRows& a = matrices[0];
  const MatrixRows& b = matrices[1];
  const auto emit = [&](const std::vector<std::pair<uint32_t, uint32_t>>& products) {
    EmitDot(decoder, operation, type->scalar, result, products);
    result += a.each;
  };
  std::vector<std::pair<uint32_t, uint32_t>> products;
  switch (operation.opcode) {
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

}  // namespace

std::span<const OpcodeRow> LinearOpcodes() {
  using enum spv::Op;
  static constexpr OpcodeRow kRows[] = {
      {OpDot, DecodeLinear},
      {OpVectorTimesScalar, DecodeLinear},
      {OpMatrixTimesScalar, DecodeLinear},
      {OpVectorTimesMatrix, DecodeLinear},
      {OpMatrixTimesVector, DecodeLinear},
      {OpMatrixTimesMatrix, DecodeLinear},
      {OpOuterProduct, DecodeLinear},
  };
  return kRows;
}

}  // namespace interp
}  // namespace refract
