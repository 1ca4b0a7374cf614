// SPDX-License-Identifier: Apache-2.0
// Handlers of what several invocations do together: barriers, derivatives, subgroup operations;
// and of what concerns helper invocations. Inside this room only.
#pragma once

#include <spirv/unified1/spirv.hpp11>

#include "interp/code.h"

namespace refract::inline interp {

// --- ops_barrier.cpp

/// a: the classes that are ordered, a bit for each MemoryClass.
void WorkgroupBarrier(Machine& machine, const Op& op);
void SubgroupBarrier(Machine& machine, const Op& op);
void ReleaseMemory(Machine& machine, const Op& op);  ///< OpMemoryBarrier
void DemoteInvocations(Machine& machine, const Op& op);
void IsHelperInvocation(Machine& machine, const Op& op);

// --- ops_derivative.cpp

/// What a derivative says beside its operand: Op::b.
enum class Slope : uint32_t { kX, kY, kWidth };
/// Op::c. kAny: as the schedule says, since an implementation may do either.
enum class Fineness : uint32_t { kAny, kFine, kCoarse };
void Derivative(Machine& machine, const Op& op);

// --- ops_subgroup.cpp: list is the spv::Op

/// a: the value's rows, `b` of them; predicates are one. OpGroupNonUniformElect has none.
void SubgroupVote(Machine& machine, const Op& op);
/// A uvec4 of those whose row a is true.
void SubgroupBallot(Machine& machine, const Op& op);
/// a: the uvec4; b: the index of BitExtract; c: the spv::GroupOperation of BitCount.
void BallotQuery(Machine& machine, const Op& op);
/// a: the value, `count` rows; b: the row of the id, mask, delta, index or direction, of Scalar c.
/// d: of OpGroupNonUniformRotateKHR the cluster's size or 0.
void SubgroupShuffle(Machine& machine, const Op& op);

// --- ops_subgroup_arithmetic.cpp

/// a: the value, `count` components of `scalar`; b: the spv::GroupOperation; c: the cluster's size.
void SubgroupArithmetic(Machine& machine, const Op& op);

// --- ops_dot.cpp

/// list is the spv::Op. a, b: `count` components of Scalar d, or, with kPackedDot, words of four
/// bytes; c: the accumulator. The result is of `scalar`.
void IntegerDot(Machine& machine, const Op& op);
constexpr uint8_t kPackedDot = 64;

}  // namespace refract::inline interp
