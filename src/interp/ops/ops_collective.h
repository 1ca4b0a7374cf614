// SPDX-License-Identifier: Apache-2.0
// Handlers of operations that several invocations execute together (barriers, derivatives, subgroup
// operations) or that concern helper invocations. Private to this library.
#pragma once

#include <spirv/unified1/spirv.hpp11>

#include "interp/code.h"

namespace refract {
inline namespace interp {

// --- ops_barrier.cpp

/// a: the classes of memory that are ordered, one bit for each MemoryClass.
void WorkgroupBarrier(Machine& machine, const Op& op);
void SubgroupBarrier(Machine& machine, const Op& op);
void ReleaseMemory(Machine& machine, const Op& op);  ///< OpMemoryBarrier
void DemoteInvocations(Machine& machine, const Op& op);
void IsHelperInvocation(Machine& machine, const Op& op);

// --- ops_derivative.cpp

/// The direction of a derivative: Op::b.
enum class DerivativeAxis : uint32_t { kX, kY, kWidth };
/// Op::c. kAny: the schedule chooses, because an implementation may do either.
enum class DerivativePrecision : uint32_t { kAny, kFine, kCoarse };
void Derivative(Machine& machine, const Op& op);

// --- ops_subgroup.cpp; list: the spv::Op

/// a: the value, with `b` rows; predicates have one row. OpGroupNonUniformElect has none.
void SubgroupVote(Machine& machine, const Op& op);
/// A uvec4 with a bit for each invocation whose row a is true.
void SubgroupBallot(Machine& machine, const Op& op);
/// a: the uvec4; b: the index of BitExtract; c: the spv::GroupOperation of BitCount.
void BallotQuery(Machine& machine, const Op& op);
/// a: the value, with `count` rows; b: the row of the id, mask, delta, index or direction, of type
/// Scalar c; d: for OpGroupNonUniformRotateKHR the cluster size or 0.
void SubgroupShuffle(Machine& machine, const Op& op);

// --- ops_subgroup_arithmetic.cpp

/// a: the value, with `count` components of `scalar`; b: the spv::GroupOperation; c: the cluster
/// size.
void SubgroupArithmetic(Machine& machine, const Op& op);

// --- ops_dot.cpp

/// list: the spv::Op. a, b: `count` components of type Scalar d or, with kPackedDot, words of four
/// bytes; c: the accumulator. The result has type `scalar`.
void IntegerDot(Machine& machine, const Op& op);
constexpr uint8_t kPackedDot = 64;

}  // namespace interp
}  // namespace refract
