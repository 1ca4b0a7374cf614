// SPDX-License-Identifier: Apache-2.0
// What transformations of bit operations ask: literal amounts and masks, and where bit fields may
// be used.
#pragma once

#include <cstdint>
#include <optional>

#include "transform/rule.h"

namespace refract {

/// The low bits, so many; all 64 of more.
uint64_t LowBits(uint64_t count);
/// The literal that the operand is, or that each component of it is, and stays: not where any other
/// would do. The answer counts on the operand.
std::optional<uint64_t> LiteralInAllLanes(const View& view, Inst inst, uint32_t operand);
/// Whether OpBitFieldInsert and its kin may be used for ints or vectors of that type.
Verdict MayUseBitFields(const Module& module, Id type);

}  // namespace refract
