// SPDX-License-Identifier: Apache-2.0
#include "generate/write_group.h"

namespace refract::generate {
namespace {

using spv::Op;
using spv::StorageClass;

constexpr uint32_t kWorkgroupScope = static_cast<uint32_t>(spv::Scope::Workgroup);
constexpr uint32_t kSubgroupScope = static_cast<uint32_t>(spv::Scope::Subgroup);
constexpr uint32_t kReduce = static_cast<uint32_t>(spv::GroupOperation::Reduce);

}  // namespace

uint32_t GroupWriter::Write(GroupOperation operation, uint32_t value) {
  switch (operation) {
    case GroupOperation::kExchange:
      return Exchange(value);
    case GroupOperation::kAtomicAdd:
      return Atomic(Op::OpAtomicIAdd, value);
    case GroupOperation::kAtomicOr:
      return Atomic(Op::OpAtomicOr, value);
    case GroupOperation::kAtomicXor:
      return Atomic(Op::OpAtomicXor, value);
    case GroupOperation::kAtomicMax:
      return Atomic(Op::OpAtomicUMax, value);
    default:
      return Subgroup(operation, value);
  }
}

void GroupWriter::Barrier() {
  constexpr auto kSemantics = static_cast<uint32_t>(spv::MemorySemanticsMask::AcquireRelease) |
                              static_cast<uint32_t>(spv::MemorySemanticsMask::WorkgroupMemory);
  const uint32_t scope = module_.Uint(kWorkgroupScope);
  code_.code().Add(Op::OpControlBarrier, {scope, scope, module_.Uint(kSemantics)});
}

// The second barrier lets nobody write again before everybody has read.
uint32_t GroupWriter::Exchange(uint32_t value) {
  const uint32_t shared = module_.Shared(), local = code_.LocalIndex();
  const uint32_t pointer = module_.Pointer(StorageClass::Workgroup, module_.TypeId(kUintType));
  const uint32_t own = code_.Add(Op::OpAccessChain, pointer, {shared, local});
  code_.code().Add(Op::OpStore, {own, value});
  Barrier();
  const uint32_t next = code_.Add(Op::OpIAdd, kUintType, {local, module_.Uint(1)});
  const uint32_t index = code_.Add(Op::OpUMod, kUintType, {next, module_.Uint(options_.workgroup)});
  const uint32_t other = code_.Add(Op::OpAccessChain, pointer, {shared, index});
  const uint32_t result = code_.Add(Op::OpLoad, kUintType, {other});
  Barrier();
  return result;
}

// The first invocation clears the word. The order of the additions does not matter.
uint32_t GroupWriter::Atomic(Op op, uint32_t value) {
  const uint32_t word = module_.SharedWord();
  const uint32_t is_first =
      code_.Add(Op::OpIEqual, kBoolType, {code_.LocalIndex(), module_.Uint(0)});
  const uint32_t clear = module_.NewId(), merge = module_.NewId();
  code_.code().Add(Op::OpSelectionMerge, {merge, 0});
  code_.code().Add(Op::OpBranchConditional, {is_first, clear, merge});
  code_.code().Add(Op::OpLabel, {clear});
  code_.code().Add(Op::OpStore, {word, module_.Uint(0)});
  code_.code().Add(Op::OpBranch, {merge});
  code_.code().Add(Op::OpLabel, {merge});
  Barrier();
  code_.Add(op, kUintType, {word, module_.Uint(kWorkgroupScope), module_.Uint(0), value});
  Barrier();
  const uint32_t result = code_.Add(Op::OpLoad, kUintType, {word});
  Barrier();
  return result;
}

// The result does not depend on the size of a subgroup: `value` is uniform, or (in a ballot) every
// invocation reads its own bit.
uint32_t GroupWriter::Subgroup(GroupOperation operation, uint32_t value) {
  const uint32_t scope = module_.Uint(kSubgroupScope);
  using spv::Capability;
  module_.AddCapability(Capability::GroupNonUniform);
  switch (operation) {
    case GroupOperation::kBroadcastFirst:
      module_.AddCapability(Capability::GroupNonUniformBallot);
      return code_.Add(Op::OpGroupNonUniformBroadcastFirst, kUintType, {scope, value});
    case GroupOperation::kSubgroupMin:
    case GroupOperation::kSubgroupOr: {
      module_.AddCapability(Capability::GroupNonUniformArithmetic);
      const Op op = operation == GroupOperation::kSubgroupMin ? Op::OpGroupNonUniformUMin
                                                              : Op::OpGroupNonUniformBitwiseOr;
      return code_.Add(op, kUintType, {scope, kReduce, value});
    }
    case GroupOperation::kAllVote:
    case GroupOperation::kAnyVote:
      module_.AddCapability(Capability::GroupNonUniformVote);
      return code_.Add(operation == GroupOperation::kAllVote ? Op::OpGroupNonUniformAll
                                                             : Op::OpGroupNonUniformAny,
                       kBoolType, {scope, value});
    default: {
      module_.AddCapability(Capability::GroupNonUniformBallot);
      const uint32_t ballot =
          code_.Add(Op::OpGroupNonUniformBallot, Type{Scalar::kUint, 4}, {scope, value});
      return code_.Add(Op::OpGroupNonUniformInverseBallot, kBoolType, {scope, ballot});
    }
  }
}

}  // namespace refract::generate
