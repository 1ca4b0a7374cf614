// SPDX-License-Identifier: Apache-2.0
// Barriers, derivatives, helper invocations, integer dot products.
//
// BARRIERS AND RACES. A control barrier of scope Workgroup orders the accesses of the workgroup to
// the classes of memory in its semantics, if these have both acquire and release. It also orders
// the classes that every invocation released with an OpMemoryBarrier after its last write to them:
// the common `memoryBarrierBuffer(); barrier();`. A barrier of scope Subgroup orders them within
// each subgroup. Barriers order nothing between workgroups.
#include "interp/decode/opcode_table.h"
#include "interp/memory.h"
#include "interp/ops/ops_collective.h"

namespace refract {
inline namespace interp {
namespace {

constexpr uint32_t kAcquire = 0x2, kRelease = 0x4, kAcquireRelease = 0x8, kSequential = 0x10;

// The classes that memory semantics name, one bit for each MemoryClass.
uint32_t ClassesOf(uint64_t semantics) {
  const auto bit = [](MemoryClass kind) { return uint32_t{1} << static_cast<uint32_t>(kind); };
  uint32_t classes = 0;
  if ((semantics & 0x40) != 0) classes |= bit(MemoryClass::kBuffer);
  if ((semantics & 0x100) != 0) classes |= bit(MemoryClass::kWorkgroup);
  if ((semantics & 0x800) != 0) classes |= bit(MemoryClass::kImage);
  return classes;
}

bool IsWorkgroupOrLarger(uint64_t scope) {
  const auto is = [&](spv::Scope other) { return scope == static_cast<uint64_t>(other); };
  return is(spv::Scope::Workgroup) || is(spv::Scope::Device) || is(spv::Scope::CrossDevice) ||
         is(spv::Scope::QueueFamilyKHR);
}

Status DecodeDemote(Decoder& decoder, const Operation& operation) {
  decoder.writer.Emit(decoder.writer.MakeOp(operation.inst, DemoteInvocations));
  return {};
}

Status DecodeIsHelper(Decoder& decoder, const Operation& operation) {
  return decoder.writer.EmitSimple(operation, IsHelperInvocation);
}

Status RefuseInterlock(Decoder& decoder, const Operation& operation) {
  return decoder.Cannot(operation.inst, "fragment shader interlock is not supported");
}

Status RefuseClock(Decoder& decoder, const Operation& operation) {
  return decoder.Cannot(operation.inst, "reading a clock is not supported");
}

template <DerivativeAxis kSlope, DerivativePrecision kFineness>
Status DecodeDerivative(Decoder& decoder, const Operation& operation) {
  // In compute shaders, quads are supported only with DerivativeGroupLinear.
  if (decoder.code.is_compute && !decoder.linear_quads) {
    return decoder.Cannot(
        operation.inst,
        "compute shaders need the execution mode DerivativeGroupLinear for derivatives");
  }
  decoder.code.has_collectives = true;
  if (Status status = decoder.writer.EmitSimple(operation, Derivative); !status) return status;
  decoder.writer.Last().b = static_cast<uint32_t>(kSlope);
  decoder.writer.Last().c = static_cast<uint32_t>(kFineness);
  return {};
}

Status DecodeBarrier(Decoder& decoder, const Operation& operation) {
  const bool control = operation.opcode == spv::Op::OpControlBarrier;
  std::optional<uint64_t> words[3];
  for (uint32_t i = 0; i < operation.operand_count && i < 3; ++i) {
    words[i] = decoder.ConstantValue(operation.IdAt(i));
    if (!words[i]) {
      return decoder.Cannot(operation.inst, "its scope or semantics are not constants");
    }
  }
  const uint64_t semantics = words[control ? 2 : 1].value_or(0);
  const uint64_t memory = words[control ? 1 : 0].value_or(0);
  decoder.code.has_collectives = true;
  if (!control) {
    if ((semantics & (kRelease | kAcquireRelease | kSequential)) == 0) return {};
    if (!IsWorkgroupOrLarger(memory)) return {};
    Op op = decoder.writer.MakeOp(operation.inst, ReleaseMemory);
    op.a = ClassesOf(semantics);
    decoder.writer.Emit(op);
    return {};
  }
  const uint64_t execution = *words[0];
  const bool workgroup = execution == static_cast<uint64_t>(spv::Scope::Workgroup);
  if (!workgroup && execution != static_cast<uint64_t>(spv::Scope::Subgroup)) {
    return decoder.Cannot(operation.inst, "only the scopes Workgroup and Subgroup are supported");
  }
  if (workgroup && !decoder.code.is_compute) {
    return decoder.Cannot(operation.inst, "only compute shaders have workgroups");
  }
  const bool orders = (semantics & (kAcquireRelease | kSequential)) != 0 ||
                      (semantics & (kAcquire | kRelease)) == (kAcquire | kRelease);
  Op op = decoder.writer.MakeOp(operation.inst, workgroup ? WorkgroupBarrier : SubgroupBarrier);
  op.a = orders && (!workgroup || IsWorkgroupOrLarger(memory)) ? ClassesOf(semantics) : 0;
  decoder.writer.Emit(op);
  return {};
}

Status DecodeIntegerDot(Decoder& decoder, const Operation& operation) {
  const Result<const TypeInfo*> vector = decoder.writer.OperandType(operation, 0);
  if (!vector) return vector.error();
  const bool packed = (*vector)->opcode != spv::Op::OpTypeVector;
  const bool saturates = operation.opcode == spv::Op::OpSDotAccSat ||
                         operation.opcode == spv::Op::OpUDotAccSat ||
                         operation.opcode == spv::Op::OpSUDotAccSat;
  Operation operands = operation;
  // After them: the packed format, of which there is only one.
  operands.operand_count = saturates ? 3 : 2;
  if (Status status = decoder.writer.EmitSimple(operands, IntegerDot); !status) return status;
  Op& op = decoder.writer.Last();
  op.list = static_cast<uint32_t>(operation.opcode);
  op.count = packed ? 4 : (*vector)->parts;
  op.d = static_cast<uint32_t>((*vector)->scalar);
  if (packed) op.flags |= kPackedDot;
  return {};
}

}  // namespace

std::span<const OpcodeRow> CollectiveOpcodes() {
  using enum spv::Op;
  static constexpr OpcodeRow kRows[] = {
      {OpControlBarrier, DecodeBarrier},
      {OpMemoryBarrier, DecodeBarrier},
      {OpDemoteToHelperInvocationEXT, DecodeDemote},
      {OpIsHelperInvocationEXT, DecodeIsHelper},
      {OpBeginInvocationInterlockEXT, RefuseInterlock},
      {OpEndInvocationInterlockEXT, RefuseInterlock},
      {OpReadClockKHR, RefuseClock},
      {OpSDot, DecodeIntegerDot},
      {OpUDot, DecodeIntegerDot},
      {OpSUDot, DecodeIntegerDot},
      {OpSDotAccSat, DecodeIntegerDot},
      {OpUDotAccSat, DecodeIntegerDot},
      {OpSUDotAccSat, DecodeIntegerDot},
      {OpDPdx, DecodeDerivative<DerivativeAxis::kX, DerivativePrecision::kAny>},
      {OpDPdy, DecodeDerivative<DerivativeAxis::kY, DerivativePrecision::kAny>},
      {OpFwidth, DecodeDerivative<DerivativeAxis::kWidth, DerivativePrecision::kAny>},
      {OpDPdxFine, DecodeDerivative<DerivativeAxis::kX, DerivativePrecision::kFine>},
      {OpDPdyFine, DecodeDerivative<DerivativeAxis::kY, DerivativePrecision::kFine>},
      {OpFwidthFine, DecodeDerivative<DerivativeAxis::kWidth, DerivativePrecision::kFine>},
      {OpDPdxCoarse, DecodeDerivative<DerivativeAxis::kX, DerivativePrecision::kCoarse>},
      {OpDPdyCoarse, DecodeDerivative<DerivativeAxis::kY, DerivativePrecision::kCoarse>},
      {OpFwidthCoarse, DecodeDerivative<DerivativeAxis::kWidth, DerivativePrecision::kCoarse>},
  };
  return kRows;
}

}  // namespace interp
}  // namespace refract
