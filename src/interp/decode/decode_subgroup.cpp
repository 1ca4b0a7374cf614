// SPDX-License-Identifier: Apache-2.0
// Subgroup operations: OpGroupNonUniform*, and the older OpSubgroup*KHR with the same meaning.
#include <bit>

#include "interp/decode/decode.h"
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

Handler SubgroupHandler(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpGroupNonUniformElect:
    case spv::Op::OpGroupNonUniformAll:
    case spv::Op::OpGroupNonUniformAny:
    case spv::Op::OpGroupNonUniformAllEqual:
      return SubgroupVote;
    case spv::Op::OpGroupNonUniformBallot:
      return SubgroupBallot;
    case spv::Op::OpGroupNonUniformInverseBallot:
    case spv::Op::OpGroupNonUniformBallotBitExtract:
    case spv::Op::OpGroupNonUniformBallotBitCount:
    case spv::Op::OpGroupNonUniformBallotFindLSB:
    case spv::Op::OpGroupNonUniformBallotFindMSB:
      return BallotQuery;
    case spv::Op::OpGroupNonUniformBroadcast:
    case spv::Op::OpGroupNonUniformBroadcastFirst:
    case spv::Op::OpSubgroupReadInvocationKHR:
    case spv::Op::OpGroupNonUniformShuffle:
    case spv::Op::OpGroupNonUniformShuffleXor:
    case spv::Op::OpGroupNonUniformShuffleUp:
    case spv::Op::OpGroupNonUniformShuffleDown:
    case spv::Op::OpGroupNonUniformQuadBroadcast:
    case spv::Op::OpGroupNonUniformQuadSwap:
      return SubgroupShuffle;
    default:
      return opcode >= spv::Op::OpGroupNonUniformIAdd &&
                     opcode <= spv::Op::OpGroupNonUniformLogicalXor
                 ? SubgroupArithmetic
                 : nullptr;
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

}  // namespace

// True if the result is the same whichever invocations take part, because all invocations of the
// draw have the same operand. Not for an exclusive scan, whose first invocation has no operand.
bool Decoder::IsSameForAll(const Form& form, spv::Op opcode) const {
  if (code_->is_compute || !GivesTheSame(opcode) || form.operands == 0) return false;
  const bool is_reduction =
      opcode >= spv::Op::OpGroupNonUniformIAdd && opcode <= spv::Op::OpGroupNonUniformLogicalXor;
  if (is_reduction &&
      OperandWord(form, 0) == static_cast<uint32_t>(spv::GroupOperation::ExclusiveScan)) {
    return false;
  }
  const Id value = OperandId(form, is_reduction ? 1 : 0);
  return module_.Divergence().Seen(module_, value, module_.BlockOf(form.inst)) <=
         DivergenceClass::kDraw;
}

Status Decoder::DecodeSubgroup(const Form& form, bool* done) {
  const spv::Op opcode = NewFormOf(form.opcode);
  const Handler handler = SubgroupHandler(opcode);
  *done = handler != nullptr;
  if (!*done) return {};
  Form operands = form;
  if (opcode == form.opcode && opcode != spv::Op::OpSubgroupReadInvocationKHR) {
    const std::optional<uint64_t> scope = ConstantBits(OperandId(form, 0));
    if (!scope || *scope != static_cast<uint64_t>(spv::Scope::Subgroup)) {
      return Cannot(form.inst, "only the scope Subgroup is supported");
    }
    ++operands.first;
    --operands.operands;
  }
  // Without pixels, quads are not defined (Vulkan, "Quad Operations").
  if (code_->is_vertex && (opcode == spv::Op::OpGroupNonUniformQuadBroadcast ||
                           opcode == spv::Op::OpGroupNonUniformQuadSwap)) {
    return Cannot(form.inst, "vertices have no quads");
  }
  code_->has_collectives = true;
  Op op = MakeOp(form.inst, handler);
  op.list = static_cast<uint32_t>(opcode);
  const TypeInfo* type = nullptr;
  if (Status status = ResultRows(form, &op.result, &type); !status) return status;
  if (IsSameForAll(operands, opcode)) op.flags |= kSameForAll;
  op.scalar = type->scalar;
  op.count = type->parts;
  if (handler == SubgroupVote) return DecodeVote(operands, op);
  if (handler == BallotQuery) return DecodeBallotQuery(operands, op);
  if (handler == SubgroupArithmetic) return DecodeGroupArithmetic(operands, op);
  const Result<uint32_t> value = RowOf(form.inst, OperandId(operands, 0));
  if (!value) return value.error();
  op.a = *value;
  if (handler == SubgroupShuffle) {
    op.count = static_cast<uint32_t>(type->rows);
    if (operands.operands > 1) {
      const Result<uint32_t> id = RowOf(form.inst, OperandId(operands, 1));
      if (!id) return id.error();
      const Result<const TypeInfo*> id_type = OperandType(operands, 1);
      if (!id_type) return id_type.error();
      op.b = *id;
      op.c = static_cast<uint32_t>((*id_type)->scalar);
    }
  }
  Emit(op);
  return {};
}

Status Decoder::DecodeVote(const Form& form, Op op) {
  op.count = 1;
  if (form.operands > 0) {
    const Result<uint32_t> value = RowOf(form.inst, OperandId(form, 0));
    if (!value) return value.error();
    const Result<const TypeInfo*> type = OperandType(form, 0);
    if (!type) return type.error();
    op.a = *value;
    op.scalar = (*type)->scalar;
    op.count = (*type)->parts;
  }
  Emit(op);
  return {};
}

// In OpGroupNonUniformBallotBitCount, the operation comes before the ballot.
Status Decoder::DecodeBallotQuery(const Form& form, Op op) {
  const bool counts = form.opcode == spv::Op::OpGroupNonUniformBallotBitCount;
  if (counts) {
    op.c = OperandWord(form, 0);
    if (op.c > static_cast<uint32_t>(spv::GroupOperation::ExclusiveScan)) {
      return Cannot(form.inst, "this group operation is not supported");
    }
  }
  const Result<uint32_t> ballot = RowOf(form.inst, OperandId(form, counts ? 1 : 0));
  if (!ballot) return ballot.error();
  op.a = *ballot;
  if (form.opcode == spv::Op::OpGroupNonUniformBallotBitExtract) {
    const Result<uint32_t> index = RowOf(form.inst, OperandId(form, 1));
    if (!index) return index.error();
    const Result<const TypeInfo*> type = OperandType(form, 1);
    if (!type) return type.error();
    op.b = *index;
    op.d = static_cast<uint32_t>((*type)->scalar);
  }
  Emit(op);
  return {};
}

Status Decoder::DecodeGroupArithmetic(const Form& form, Op op) {
  op.b = OperandWord(form, 0);
  if (op.b > static_cast<uint32_t>(spv::GroupOperation::ClusteredReduce)) {
    return Cannot(form.inst, "this group operation is not supported");
  }
  const Result<uint32_t> value = RowOf(form.inst, OperandId(form, 1));
  if (!value) return value.error();
  op.a = *value;
  if (op.b == static_cast<uint32_t>(spv::GroupOperation::ClusteredReduce)) {
    const std::optional<uint64_t> size =
        form.operands > 2 ? ConstantBits(OperandId(form, 2)) : std::nullopt;
    if (!size || *size > 128 || !std::has_single_bit(*size)) {
      return Cannot(form.inst, "the cluster size is not a power of two up to 128");
    }
    op.c = static_cast<uint32_t>(*size);
  }
  Emit(op);
  return {};
}

}  // namespace interp
}  // namespace refract
