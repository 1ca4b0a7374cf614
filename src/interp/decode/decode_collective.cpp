// SPDX-License-Identifier: Apache-2.0
// Barriers, derivatives, helper invocations, integer dot products.
//
// BARRIERS AND RACES. A control barrier of scope Workgroup orders the accesses of the workgroup to
// the classes of memory in its semantics, if these have both acquire and release. It also orders
// the classes that every invocation released with an OpMemoryBarrier after its last write to them:
// the common `memoryBarrierBuffer(); barrier();`. A barrier of scope Subgroup orders them within
// each subgroup. Barriers order nothing between workgroups.
#include "interp/decode/decode.h"
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

struct DerivativeForm {
  spv::Op opcode;
  Slope slope;
  Fineness fineness;
};
constexpr DerivativeForm kDerivatives[] = {
    {spv::Op::OpDPdx, Slope::kX, Fineness::kAny},
    {spv::Op::OpDPdy, Slope::kY, Fineness::kAny},
    {spv::Op::OpFwidth, Slope::kWidth, Fineness::kAny},
    {spv::Op::OpDPdxFine, Slope::kX, Fineness::kFine},
    {spv::Op::OpDPdyFine, Slope::kY, Fineness::kFine},
    {spv::Op::OpFwidthFine, Slope::kWidth, Fineness::kFine},
    {spv::Op::OpDPdxCoarse, Slope::kX, Fineness::kCoarse},
    {spv::Op::OpDPdyCoarse, Slope::kY, Fineness::kCoarse},
    {spv::Op::OpFwidthCoarse, Slope::kWidth, Fineness::kCoarse},
};

}  // namespace

Status Decoder::DecodeCollective(const Form& form, bool* done) {
  *done = true;
  switch (form.opcode) {
    case spv::Op::OpControlBarrier:
    case spv::Op::OpMemoryBarrier:
      return DecodeBarrier(form);
    case spv::Op::OpDemoteToHelperInvocationEXT:
      Emit(MakeOp(form.inst, DemoteInvocations));
      return {};
    case spv::Op::OpIsHelperInvocationEXT:
      return EmitPlain(form, IsHelperInvocation);
    case spv::Op::OpBeginInvocationInterlockEXT:
    case spv::Op::OpEndInvocationInterlockEXT:
      return Cannot(form.inst, "the order of fragments is not modelled");
    case spv::Op::OpReadClockKHR:
      return Cannot(form.inst, "there is no clock");
    case spv::Op::OpSDot:
    case spv::Op::OpUDot:
    case spv::Op::OpSUDot:
    case spv::Op::OpSDotAccSat:
    case spv::Op::OpUDotAccSat:
    case spv::Op::OpSUDotAccSat:
      return DecodeIntegerDot(form);
    default:
      break;
  }
  for (const DerivativeForm& derivative : kDerivatives) {
    if (derivative.opcode != form.opcode) continue;
    // In compute shaders, quads are supported only with DerivativeGroupLinear.
    if (code_->is_compute && !linear_quads_) {
      return Cannot(form.inst, "compute shaders need DerivativeGroupLinear for it");
    }
    code_->has_collectives = true;
    if (Status status = EmitPlain(form, Derivative); !status) return status;
    EmittedOp().b = static_cast<uint32_t>(derivative.slope);
    EmittedOp().c = static_cast<uint32_t>(derivative.fineness);
    return {};
  }
  return DecodeSubgroup(form, done);
}

Status Decoder::DecodeBarrier(const Form& form) {
  const bool control = form.opcode == spv::Op::OpControlBarrier;
  std::optional<uint64_t> words[3];
  for (uint32_t i = 0; i < form.operands && i < 3; ++i) {
    words[i] = ConstantBits(OperandId(form, i));
    if (!words[i]) return Cannot(form.inst, "its scope or semantics are not constants");
  }
  const uint64_t semantics = words[control ? 2 : 1].value_or(0);
  const uint64_t memory = words[control ? 1 : 0].value_or(0);
  code_->has_collectives = true;
  if (!control) {
    if ((semantics & (kRelease | kAcquireRelease | kSequential)) == 0) return {};
    if (!IsWorkgroupOrLarger(memory)) return {};
    Op op = MakeOp(form.inst, ReleaseMemory);
    op.a = ClassesOf(semantics);
    Emit(op);
    return {};
  }
  const uint64_t execution = *words[0];
  const bool workgroup = execution == static_cast<uint64_t>(spv::Scope::Workgroup);
  if (!workgroup && execution != static_cast<uint64_t>(spv::Scope::Subgroup)) {
    return Cannot(form.inst, "only the scopes Workgroup and Subgroup are supported");
  }
  if (workgroup && !code_->is_compute) {
    return Cannot(form.inst, "fragments are not in a workgroup");
  }
  const bool orders = (semantics & (kAcquireRelease | kSequential)) != 0 ||
                      (semantics & (kAcquire | kRelease)) == (kAcquire | kRelease);
  Op op = MakeOp(form.inst, workgroup ? WorkgroupBarrier : SubgroupBarrier);
  op.a = orders && (!workgroup || IsWorkgroupOrLarger(memory)) ? ClassesOf(semantics) : 0;
  Emit(op);
  return {};
}

Status Decoder::DecodeIntegerDot(const Form& form) {
  const Result<const TypeInfo*> vector = OperandType(form, 0);
  if (!vector) return vector.error();
  const bool packed = (*vector)->opcode != spv::Op::OpTypeVector;
  const bool saturates = form.opcode == spv::Op::OpSDotAccSat ||
                         form.opcode == spv::Op::OpUDotAccSat ||
                         form.opcode == spv::Op::OpSUDotAccSat;
  Form operands = form;
  // After them: the packed format, of which there is only one.
  operands.operands = saturates ? 3 : 2;
  if (Status status = EmitPlain(operands, IntegerDot); !status) return status;
  Op& op = EmittedOp();
  op.list = static_cast<uint32_t>(form.opcode);
  op.count = packed ? 4 : (*vector)->parts;
  op.d = static_cast<uint32_t>((*vector)->scalar);
  if (packed) op.flags |= kPackedDot;
  return {};
}

}  // namespace interp
}  // namespace refract
