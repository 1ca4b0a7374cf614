// SPDX-License-Identifier: Apache-2.0
// Bits of integers, and what transformations of bit operations ask: literal amounts and masks, and
// where bit fields may be used.
#pragma once

#include <cstdint>
#include <optional>

#include "rules/rule.h"

namespace refract::inline rules {

/// The low bits, so many; all 64 of more.
uint64_t LowBits(uint64_t count);
/// The number that the low `width` bits are, at least one, with a sign.
int64_t SignExtend(uint64_t bits, uint32_t width);
/// The number that an odd one times gives 1.
uint64_t InverseOf(uint64_t odd);
/// The literal that the operand is, or that each component of it is, and stays: not where any other
/// would do. The answer counts on the operand.
std::optional<uint64_t> LiteralInAllLanes(const View& view, Inst inst, uint32_t operand);
/// Whether OpBitFieldInsert and its kin may be used for ints or vectors of that type.
Verdict MayUseBitFields(const Module& module, Id type);

}  // namespace refract::inline rules
