// SPDX-License-Identifier: Apache-2.0
// Writes instructions for blocks where the invocations of a workgroup meet. The operand is the same
// in all of them. The result is 0 if barriers and subgroup operations work and all invocations take
// part.
#include "base/check.h"
#include "flesh/block_writer.h"

namespace refract::flesh {

using spv::Op;

void BlockWriter::Barrier() {
  const uint32_t scope = module_.Constant(Word(spv::Scope::Workgroup));
  const uint32_t semantics = module_.Constant(Word(spv::MemorySemanticsMask::AcquireRelease) |
                                              Word(spv::MemorySemanticsMask::WorkgroupMemory));
  module_.function().Add(Op::OpControlBarrier, {scope, scope, semantics});
}

// Each invocation writes a value that depends on its index, and reads what the next one has
// written.
void BlockWriter::Exchange(uint32_t value, uint32_t result) {
  const uint32_t shared = module_.Shared(workgroup_);
  const uint32_t type = module_.Pointer(spv::StorageClass::Workgroup, kUint);
  const uint32_t scaled = Binary(Op::OpIMul, value, module_.Constant(0x9e3779b1u));
  const uint32_t own = module_.NewId(), others = module_.NewId();
  module_.function().Add(Op::OpAccessChain, {type, own, shared, local_index_});
  Store(own, Binary(Op::OpIAdd, scaled, local_index_));
  Barrier();
  const uint32_t next = Binary(Op::OpUMod, Binary(Op::OpIAdd, local_index_, module_.Constant(1)),
                               module_.Constant(workgroup_));
  module_.function().Add(Op::OpAccessChain, {type, others, shared, next});
  const uint32_t read = Load(kUint, others);
  Barrier();
  Result(Op::OpISub, read, Binary(Op::OpIAdd, scaled, next), result);
}

void BlockWriter::AddGroupOperation(Operator what, uint32_t value, uint32_t result) {
  if (what == Operator::kExchange) return Exchange(value, result);
  Words& function = module_.function();
  const uint32_t scope = module_.Constant(Word(spv::Scope::Subgroup));
  const uint32_t reduce = Word(spv::GroupOperation::Reduce);
  module_.AddCapability(spv::Capability::GroupNonUniform);
  const auto size = [&] { return Load(kUint, module_.BuiltIn(spv::BuiltIn::SubgroupSize, kUint)); };
  switch (what) {
    case Operator::kSubgroupSum: {
      module_.AddCapability(spv::Capability::GroupNonUniformArithmetic);
      const uint32_t sum = module_.NewId();
      function.Add(Op::OpGroupNonUniformIAdd, {kUint, sum, scope, reduce, value});
      const uint32_t times = size();
      return Result(Op::OpISub, sum, Binary(Op::OpIMul, value, times), result);
    }
    case Operator::kSubgroupCount: {
      module_.AddCapability(spv::Capability::GroupNonUniformBallot);
      const uint32_t vector = module_.Vector(4), all = module_.True();
      const uint32_t ballot = module_.NewId(), count = module_.NewId();
      function.Add(Op::OpGroupNonUniformBallot, {vector, ballot, scope, all});
      function.Add(Op::OpGroupNonUniformBallotBitCount, {kUint, count, scope, reduce, ballot});
      return Result(Op::OpISub, count, size(), result);
    }
    case Operator::kSubgroupFirst: {
      module_.AddCapability(spv::Capability::GroupNonUniformBallot);
      const uint32_t first = module_.NewId();
      function.Add(Op::OpGroupNonUniformBroadcastFirst, {kUint, first, scope, value});
      return Result(Op::OpISub, first, value, result);
    }
    case Operator::kSubgroupSame: {
      module_.AddCapability(spv::Capability::GroupNonUniformVote);
      const uint32_t same = module_.NewId();
      function.Add(Op::OpGroupNonUniformAllEqual, {kBool, same, scope, value});
      const uint32_t zero = module_.Constant(0), one = module_.Constant(1);
      return function.Add(Op::OpSelect, {kUint, result, same, zero, one});
    }
    default:
      CHECK(false);
  }
}

}  // namespace refract::flesh
