// SPDX-License-Identifier: Apache-2.0
// Subgroup operations: OpGroupNonUniform*, and the older OpSubgroup*KHR with the same meaning.
#include <bit>

#include "interp/decode/opcode_table.h"
#include "interp/ops/ops_collective.h"

namespace refract {
inline namespace interp {
namespace {

// The older instructions have no scope operand.
spv::Op NewFormOf(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpSubgroupBallotKHR:
      return spv::Op::OpGroupNonUniformBallot;
    case spv::Op::OpSubgroupFirstInvocationKHR:
      return spv::Op::OpGroupNonUniformBroadcastFirst;
    case spv::Op::OpSubgroupAllKHR:
      return spv::Op::OpGroupNonUniformAll;
    case spv::Op::OpSubgroupAnyKHR:
      return spv::Op::OpGroupNonUniformAny;
    case spv::Op::OpSubgroupAllEqualKHR:
      return spv::Op::OpGroupNonUniformAllEqual;
    default:
      return opcode;
  }
}

// True if the result is the value of the operand whenever all participants have the same value.
bool GivesTheSame(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpGroupNonUniformAll:
    case spv::Op::OpGroupNonUniformAny:
    case spv::Op::OpGroupNonUniformAllEqual:
    case spv::Op::OpGroupNonUniformBroadcastFirst:
    case spv::Op::OpGroupNonUniformSMin:
    case spv::Op::OpGroupNonUniformUMin:
    case spv::Op::OpGroupNonUniformSMax:
    case spv::Op::OpGroupNonUniformUMax:
    case spv::Op::OpGroupNonUniformBitwiseAnd:
    case spv::Op::OpGroupNonUniformBitwiseOr:
    case spv::Op::OpGroupNonUniformLogicalAnd:
    case spv::Op::OpGroupNonUniformLogicalOr:
      return true;
    default:
      return false;
  }
}

// True if the result is the same whichever invocations take part, because all invocations of the
// draw have the same operand. Not for an exclusive scan, whose first invocation has no operand.
bool IsSameForAll(Decoder& decoder, const Operation& operation, spv::Op opcode) {
  if (decoder.code.is_compute || !GivesTheSame(opcode) || operation.operand_count == 0) {
    return false;
  }
  const bool is_reduction =
      opcode >= spv::Op::OpGroupNonUniformIAdd && opcode <= spv::Op::OpGroupNonUniformLogicalXor;
  if (is_reduction &&
      operation.WordAt(0) == static_cast<uint32_t>(spv::GroupOperation::ExclusiveScan)) {
    return false;
  }
  const Id value = operation.IdAt(is_reduction ? 1 : 0);
  return decoder.module.Divergence().Seen(decoder.module, value,
                                          decoder.module.BlockOf(operation.inst)) <=
         DivergenceClass::kDraw;
}

// Checks the operation and makes its op. `*operands` are those after the scope.
Status BeginSubgroupOp(Decoder& decoder, const Operation& operation, Handler handler,
                       Operation* operands, Op* op) {
  const spv::Op opcode = NewFormOf(operation.opcode);
  *operands = operation;
  if (opcode == operation.opcode && opcode != spv::Op::OpSubgroupReadInvocationKHR) {
    const std::optional<uint64_t> scope = decoder.ConstantValue(operation.IdAt(0));
    if (!scope || *scope != static_cast<uint64_t>(spv::Scope::Subgroup)) {
      return decoder.Cannot(operation.inst, "only the scope Subgroup is supported");
    }
    ++operands->first_operand;
    --operands->operand_count;
  }
  // Without pixels, quads are not defined (Vulkan, "Quad Operations").
  if (decoder.code.is_vertex && (opcode == spv::Op::OpGroupNonUniformQuadBroadcast ||
                                 opcode == spv::Op::OpGroupNonUniformQuadSwap)) {
    return decoder.Cannot(operation.inst, "quad operations are not supported in vertex shaders");
  }
  decoder.code.has_collectives = true;
  decoder.code.has_subgroups = true;
  *op = decoder.writer.MakeOp(operation.inst, handler);
  op->list = static_cast<uint32_t>(opcode);
  const TypeInfo* type = nullptr;
  Status status = decoder.writer.ResultRows(operation, &op->result, &type);
  if (!status) return status;
  if (IsSameForAll(decoder, *operands, opcode)) op->flags |= kSameForAll;
  op->scalar = type->scalar;
  op->count = type->parts;
  return {};
}

Status DecodeBallot(Decoder& decoder, const Operation& operation) {
  Operation operands;
  Op op;
  Status status = BeginSubgroupOp(decoder, operation, SubgroupBallot, &operands, &op);
  if (!status) return status;
  const Result<uint32_t> value = decoder.writer.OperandRow(operands, 0);
  if (!value) return value.error();
  op.a = *value;
  decoder.writer.Emit(op);
  return {};
}

Status DecodeSubgroupShuffle(Decoder& decoder, const Operation& operation) {
  Operation operands;
  Op op;
  Status status = BeginSubgroupOp(decoder, operation, SubgroupShuffle, &operands, &op);
  if (!status) return status;
  const Result<uint32_t> value = decoder.writer.OperandRow(operands, 0);
  if (!value) return value.error();
  op.a = *value;
  op.count = static_cast<uint32_t>((*decoder.writer.ResultType(operation))->rows);
  if (operands.operand_count > 1) {
    const Result<uint32_t> id = decoder.writer.OperandRow(operands, 1);
    if (!id) return id.error();
    const Result<const TypeInfo*> id_type = decoder.writer.OperandType(operands, 1);
    if (!id_type) return id_type.error();
    op.b = *id;
    op.c = static_cast<uint32_t>((*id_type)->scalar);
  }
  decoder.writer.Emit(op);
  return {};
}

Status DecodeVote(Decoder& decoder, const Operation& operation) {
  Operation operands;
  Op op;
  Status status = BeginSubgroupOp(decoder, operation, SubgroupVote, &operands, &op);
  if (!status) return status;
  op.count = 1;
  if (operands.operand_count > 0) {
    const Result<uint32_t> value = decoder.writer.OperandRow(operands, 0);
    if (!value) return value.error();
    const Result<const TypeInfo*> type = decoder.writer.OperandType(operands, 0);
    if (!type) return type.error();
    op.a = *value;
    op.scalar = (*type)->scalar;
    op.count = (*type)->parts;
  }
  decoder.writer.Emit(op);
  return {};
}

// In OpGroupNonUniformBallotBitCount, the operation comes before the ballot.
Status DecodeBallotQuery(Decoder& decoder, const Operation& operation) {
  Operation operands;
  Op op;
  Status status = BeginSubgroupOp(decoder, operation, BallotQuery, &operands, &op);
  if (!status) return status;
  const bool counts = operation.opcode == spv::Op::OpGroupNonUniformBallotBitCount;
  if (counts) {
    op.c = operands.WordAt(0);
    if (op.c > static_cast<uint32_t>(spv::GroupOperation::ExclusiveScan)) {
      return decoder.Cannot(operation.inst, "this group operation is not supported");
    }
  }
  const Result<uint32_t> ballot = decoder.writer.OperandRow(operands, counts ? 1 : 0);
  if (!ballot) return ballot.error();
  op.a = *ballot;
  if (operation.opcode == spv::Op::OpGroupNonUniformBallotBitExtract) {
    const Result<uint32_t> index = decoder.writer.OperandRow(operands, 1);
    if (!index) return index.error();
    const Result<const TypeInfo*> type = decoder.writer.OperandType(operands, 1);
    if (!type) return type.error();
    op.b = *index;
    op.d = static_cast<uint32_t>((*type)->scalar);
  }
  decoder.writer.Emit(op);
  return {};
}

Status DecodeGroupArithmetic(Decoder& decoder, const Operation& operation) {
  Operation operands;
  Op op;
  Status status = BeginSubgroupOp(decoder, operation, SubgroupArithmetic, &operands, &op);
  if (!status) return status;
  op.b = operands.WordAt(0);
  if (op.b > static_cast<uint32_t>(spv::GroupOperation::ClusteredReduce)) {
    return decoder.Cannot(operation.inst, "this group operation is not supported");
  }
  const Result<uint32_t> value = decoder.writer.OperandRow(operands, 1);
  if (!value) return value.error();
  op.a = *value;
  if (op.b == static_cast<uint32_t>(spv::GroupOperation::ClusteredReduce)) {
    const std::optional<uint64_t> size =
        operands.operand_count > 2 ? decoder.ConstantValue(operands.IdAt(2)) : std::nullopt;
    if (!size || *size > 128 || !std::has_single_bit(*size)) {
      return decoder.Cannot(operation.inst, "the cluster size is not a power of two up to 128");
    }
    op.c = static_cast<uint32_t>(*size);
  }
  decoder.writer.Emit(op);
  return {};
}

}  // namespace

std::span<const OpcodeRow> SubgroupOpcodes() {
  using enum spv::Op;
  static constexpr OpcodeRow kRows[] = {
      {OpGroupNonUniformElect, DecodeVote},
      {OpGroupNonUniformAll, DecodeVote},
      {OpGroupNonUniformAny, DecodeVote},
      {OpGroupNonUniformAllEqual, DecodeVote},
      {OpSubgroupAllKHR, DecodeVote},
      {OpSubgroupAnyKHR, DecodeVote},
      {OpSubgroupAllEqualKHR, DecodeVote},
      {OpGroupNonUniformBallot, DecodeBallot},
      {OpSubgroupBallotKHR, DecodeBallot},
      {OpGroupNonUniformInverseBallot, DecodeBallotQuery},
      {OpGroupNonUniformBallotBitExtract, DecodeBallotQuery},
      {OpGroupNonUniformBallotBitCount, DecodeBallotQuery},
      {OpGroupNonUniformBallotFindLSB, DecodeBallotQuery},
      {OpGroupNonUniformBallotFindMSB, DecodeBallotQuery},
      {OpGroupNonUniformBroadcast, DecodeSubgroupShuffle},
      {OpGroupNonUniformBroadcastFirst, DecodeSubgroupShuffle},
      {OpGroupNonUniformShuffle, DecodeSubgroupShuffle},
      {OpGroupNonUniformShuffleXor, DecodeSubgroupShuffle},
      {OpGroupNonUniformShuffleUp, DecodeSubgroupShuffle},
      {OpGroupNonUniformShuffleDown, DecodeSubgroupShuffle},
      {OpGroupNonUniformQuadBroadcast, DecodeSubgroupShuffle},
      {OpGroupNonUniformQuadSwap, DecodeSubgroupShuffle},
      {OpSubgroupFirstInvocationKHR, DecodeSubgroupShuffle},
      {OpSubgroupReadInvocationKHR, DecodeSubgroupShuffle},
      {OpGroupNonUniformIAdd, DecodeGroupArithmetic},
      {OpGroupNonUniformFAdd, DecodeGroupArithmetic},
      {OpGroupNonUniformIMul, DecodeGroupArithmetic},
      {OpGroupNonUniformFMul, DecodeGroupArithmetic},
      {OpGroupNonUniformSMin, DecodeGroupArithmetic},
      {OpGroupNonUniformUMin, DecodeGroupArithmetic},
      {OpGroupNonUniformFMin, DecodeGroupArithmetic},
      {OpGroupNonUniformSMax, DecodeGroupArithmetic},
      {OpGroupNonUniformUMax, DecodeGroupArithmetic},
      {OpGroupNonUniformFMax, DecodeGroupArithmetic},
      {OpGroupNonUniformBitwiseAnd, DecodeGroupArithmetic},
      {OpGroupNonUniformBitwiseOr, DecodeGroupArithmetic},
      {OpGroupNonUniformBitwiseXor, DecodeGroupArithmetic},
      {OpGroupNonUniformLogicalAnd, DecodeGroupArithmetic},
      {OpGroupNonUniformLogicalOr, DecodeGroupArithmetic},
      {OpGroupNonUniformLogicalXor, DecodeGroupArithmetic},
  };
  return kRows;
}

}  // namespace interp
}  // namespace refract
