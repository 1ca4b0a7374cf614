// SPDX-License-Identifier: Apache-2.0
// Subgroup operations by which an invocation gets the value of another one, unchanged.
#pragma once

#include <spirv/unified1/spirv.hpp11>

namespace refract {
inline namespace transform {

/// True for broadcasts, shuffles and exchanges in a quad. Operand 0 is the scope, operand 1 the
/// value, and operand 2, if present, selects the invocation.
inline bool IsLaneExchange(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpGroupNonUniformBroadcast:
    case spv::Op::OpGroupNonUniformBroadcastFirst:
    case spv::Op::OpGroupNonUniformShuffle:
    case spv::Op::OpGroupNonUniformShuffleXor:
    case spv::Op::OpGroupNonUniformShuffleUp:
    case spv::Op::OpGroupNonUniformShuffleDown:
    case spv::Op::OpGroupNonUniformQuadBroadcast:
    case spv::Op::OpGroupNonUniformQuadSwap:
      return true;
    default:
      return false;
  }
}

}  // namespace transform
}  // namespace refract
