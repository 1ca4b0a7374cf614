// SPDX-License-Identifier: Apache-2.0
// Atomics, executed by one invocation after the other, in the order of the schedule. For helper
// invocations they do nothing and their result is undefined (Vulkan, "Helper Invocations").
#include "base/text.h"
#include "interp/images.h"
#include "interp/math/rounded_arithmetic.h"
#include "interp/memory.h"
#include "interp/ops/float_columns.h"
#include "interp/ops/ops_memory.h"

namespace refract {
inline namespace interp {
namespace {

struct Cell {
  uint64_t bits = 0;
  uint32_t shadow = 0;
};

int64_t SignedOf(uint64_t bits, Scalar scalar) {
  return WidthOf(scalar) == 64 ? static_cast<int64_t>(bits)
                               : static_cast<int32_t>(static_cast<uint32_t>(bits));
}

double FloatOf(uint64_t bits, Scalar scalar) {
  return scalar == Scalar::kFloat64 ? std::bit_cast<double>(bits)
                                    : math::DoubleFromFloatBits(static_cast<uint32_t>(bits));
}

uint64_t BitsOf(double value, Scalar scalar) {
  return scalar == Scalar::kFloat64 ? std::bit_cast<uint64_t>(value)
                                    : math::FloatBitsFromDouble(value);
}

// The new content of memory after `opcode`, except for compare-exchange.
uint64_t Changed(spv::Op opcode, Scalar scalar, uint64_t old, uint64_t value) {
  const bool less = SignedOf(old, scalar) < SignedOf(value, scalar);
  switch (opcode) {
    case spv::Op::OpAtomicIIncrement:
      return old + 1;
    case spv::Op::OpAtomicIDecrement:
      return old - 1;
    case spv::Op::OpAtomicIAdd:
      return old + value;
    case spv::Op::OpAtomicISub:
      return old - value;
    case spv::Op::OpAtomicSMin:
      return less ? old : value;
    case spv::Op::OpAtomicSMax:
      return less ? value : old;
    case spv::Op::OpAtomicUMin:
      return old < value ? old : value;
    case spv::Op::OpAtomicUMax:
      return old < value ? value : old;
    case spv::Op::OpAtomicAnd:
      return old & value;
    case spv::Op::OpAtomicOr:
      return old | value;
    case spv::Op::OpAtomicXor:
      return old ^ value;
    default:
      return value;  // OpAtomicStore, OpAtomicExchange
  }
}

// A sum depends on the order and on rounding, so it is at best approximate. So are a minimum or
// maximum of a NaN, or of zeros of both signs.
Cell ChangedFloat(spv::Op opcode, Scalar scalar, const Cell& old, const Cell& value) {
  const double a = FloatOf(old.bits, scalar), b = FloatOf(value.bits, scalar);
  Cell result{0, old.shadow | value.shadow};
  if (opcode == spv::Op::OpAtomicFAddEXT) {
    const double sum = math::Add(a, b, static_cast<int>(WidthOf(scalar)));
    return {BitsOf(sum, scalar), result.shadow | kApproximateBit};
  }
  const bool takes_old = opcode == spv::Op::OpAtomicFMinEXT ? a < b : a > b;
  result.bits = takes_old || math::IsNan(b) ? old.bits : value.bits;
  if (math::IsNan(a) || math::IsNan(b) || (a == b && old.bits != value.bits)) {
    result.shadow |= kApproximateBit;
  }
  return result;
}

bool IsFloatAtomic(spv::Op opcode) {
  return opcode == spv::Op::OpAtomicFAddEXT || opcode == spv::Op::OpAtomicFMinEXT ||
         opcode == spv::Op::OpAtomicFMaxEXT;
}

// The atomic of one invocation: its place in memory, and what it reads and writes there.
class Atomic {
 public:
  Atomic(Machine& machine, const Op& op, uint32_t lane)
      : machine_(machine), op_(op), lane_(lane), opcode_(static_cast<spv::Op>(op.list)) {}
  void Run();

 private:
  bool has_result() const { return opcode_ != spv::Op::OpAtomicStore; }
  void GiveUndefined();
  bool Find();
  bool Note(bool write);
  Cell Read();
  void Write(const Cell& cell);
  Cell Operand(uint32_t row) {
    const uint32_t shadow = machine_.ShadowOf(row, lane_);
    return {machine_.Get(row, op_.scalar, lane_),
            IsFloat(op_.scalar) || texel_ ? shadow & kShadowMask : shadow};
  }
  bool IsGood(const Cell& operand);
  void CompareExchange(const Cell& old);

  Machine& machine_;
  const Op& op_;
  const uint32_t lane_;
  const spv::Op opcode_;
  bool texel_ = false;
  SharedAddress place_;  // for texels: image and texel
};

void Atomic::GiveUndefined() {
  if (!has_result()) return;
  machine_.Set(op_.result, op_.scalar, lane_, 0);
  machine_.SetShadow(op_.result, lane_, kUndefinedBit);
}

// Finds the place. Returns false after a trap, or outside an image: then nothing changes and the
// result is undefined.
bool Atomic::Find() {
  texel_ = (op_.flags & kTexelPointer) != 0;
  if (texel_) {
    place_ = {machine_.Row(op_.b)[lane_], machine_.Row(op_.a)[lane_]};
    if (place_.byte != ImageMemory::kOutside) return true;
    GiveUndefined();
    return false;
  }
  if (!RequireDefinedPointer(machine_, op_, lane_)) return false;
  place_ = PointerAt(machine_, op_, lane_);
  const uint32_t size = BytesOf(op_.scalar);
  if (machine_.code().objects[place_.object].set == kAddressedSet && place_.byte % size != 0) {
    machine_.FailUndefined(op_, lane_,
                           format("byte {} of {} is not at a multiple of {} bytes", place_.byte,
                                  machine_.code().objects[place_.object].name, size));
    return false;
  }
  return machine_.shared().InRange(machine_, op_, lane_, place_.object, place_.byte, size);
}

bool Atomic::Note(bool write) {
  if (texel_) {
    machine_.images().Access(machine_, op_, lane_, place_.object, place_.byte, write, true);
  } else {
    machine_.shared().Access(machine_, op_, lane_, place_.object, place_.byte, BytesOf(op_.scalar),
                             write, true);
  }
  return !machine_.stopped();
}

Cell Atomic::Read() {
  Cell cell;
  if (texel_) {
    cell.bits = machine_.images().ReadBits(place_.object, place_.byte, &cell.shadow);
  } else {
    cell.bits = machine_.shared().Read(place_.object, place_.byte, op_.scalar, &cell.shadow);
  }
  return cell;
}

void Atomic::Write(const Cell& cell) {
  if (texel_) {
    machine_.images().WriteBits(place_.object, place_.byte, static_cast<uint32_t>(cell.bits),
                                cell.shadow);
  } else {
    machine_.shared().Write(place_.object, place_.byte, op_.scalar, cell.bits, cell.shadow);
  }
}

bool Atomic::IsGood(const Cell& operand) {
  if ((operand.shadow & kUndefinedBit) == 0) return true;
  machine_.FailUndefined(op_, lane_,
                         "an undefined value is stored to memory that other invocations can read");
  return false;
}

void Atomic::CompareExchange(const Cell& old) {
  const Cell value = Operand(op_.c), comparator = Operand(op_.d);
  if (!machine_.RequireDefined(op_.instruction, op_.d, lane_, "the comparator")) return;
  const bool same = old.bits == comparator.bits;
  const uint32_t open = (old.shadow | comparator.shadow) & kApproximateBit;
  if (open != 0) machine_.RecordApproximateControl(lane_);
  if ((same || open != 0) && !IsGood(value)) return;
  // A comparison that fails only reads.
  if (!Note(same)) return;
  if (same) {
    Write({value.bits, open == 0 ? value.shadow : (value.shadow & kShadowMask) | open});
  } else if (open != 0) {
    Write({old.bits, (old.shadow & kShadowMask) | open});
  }
}

void Atomic::Run() {
  if (machine_.IsHelper(lane_)) return GiveUndefined();
  if (!Find()) return;
  const Cell old = Read();
  const bool changes = opcode_ != spv::Op::OpAtomicLoad && opcode_ != spv::Op::OpAtomicStore &&
                       opcode_ != spv::Op::OpAtomicExchange;
  if (changes && (old.shadow & kUndefinedBit) != 0) {
    return machine_.FailUndefined(op_, lane_,
                                  "the atomic instruction changes memory that was never written");
  }
  if (opcode_ == spv::Op::OpAtomicLoad) {
    if (!Note(false)) return;
  } else if (opcode_ == spv::Op::OpAtomicCompareExchange) {
    CompareExchange(old);
  } else {
    const bool counts =
        opcode_ == spv::Op::OpAtomicIIncrement || opcode_ == spv::Op::OpAtomicIDecrement;
    const Cell value = counts ? Cell{} : Operand(op_.c);
    if (!IsGood(value) || !Note(true)) return;
    if (IsFloatAtomic(opcode_)) {
      Write(ChangedFloat(opcode_, op_.scalar, old, value));
    } else {
      const uint32_t shadow = changes ? (old.shadow | value.shadow) & kShadowMask : value.shadow;
      Write({Changed(opcode_, op_.scalar, old.bits, value.bits), shadow});
    }
  }
  if (machine_.stopped() || !has_result()) return;
  machine_.Set(op_.result, op_.scalar, lane_, old.bits);
  machine_.SetShadow(op_.result, lane_, old.shadow);
}

}  // namespace

void RunAtomic(Machine& machine, const Op& op) {
  machine.ForActiveInOrder([&](uint32_t lane) {
    if (!machine.stopped()) Atomic(machine, op, lane).Run();
  });
}

}  // namespace interp
}  // namespace refract
