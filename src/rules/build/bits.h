// SPDX-License-Identifier: Apache-2.0
// Functions on the bits of integers, and checks that the transformations of bit operations share:
// literal amounts and masks, and where bit-field instructions are allowed.
#pragma once

#include <cstdint>
#include <optional>

#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// A mask of the `count` lowest bits; all 64 bits if `count` is 64 or more.
uint64_t LowBits(uint64_t count);
/// Sign-extends the low `width` bits of `bits`; `width` is at least 1.
int64_t SignExtend(uint64_t bits, uint32_t width);
/// The multiplicative inverse of `odd` modulo 2^64.
uint64_t InverseOf(uint64_t odd);
/// The literal value of the operand, or the literal value that all its components have. Nullopt if
/// not found, or if the operand is irrelevant and another step may replace it. The check comes
/// to depend on the operand (View::DependOn).
std::optional<uint64_t> LiteralInAllComponents(const View& view, Inst inst, uint32_t operand);
/// Checks that OpBitFieldInsert and the other bit-field instructions are allowed on ints or vectors
/// of this type.
CheckResult MayUseBitFields(const Module& module, Id type);

}  // namespace rules
}  // namespace refract
