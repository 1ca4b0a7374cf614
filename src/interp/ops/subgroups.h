// SPDX-License-Identifier: Apache-2.0
// The subgroups of a batch. Each has as many lanes as the schedule says; the active ones take part
// in an operation. Private to this library.
#pragma once

#include <array>
#include <cstdint>

#include "interp/machine.h"

namespace refract {
inline namespace interp {

struct Subgroup {
  uint32_t first = 0;  ///< the lane of invocation 0
  uint32_t size = 0;
  std::array<uint16_t, 128> lanes = {};  ///< the active lanes, ascending
  uint32_t count = 0;

  /// The lane of an invocation of the subgroup, or kInactive.
  static constexpr uint32_t kInactive = 0xffffffffu;
  uint32_t LaneOf(const Machine& machine, uint64_t invocation) const {
    if (invocation >= size) return kInactive;
    const uint32_t lane = first + static_cast<uint32_t>(invocation);
    return lane < machine.lanes() && machine.active().Has(lane) ? lane : kInactive;
  }
};

/// Calls `visit(const Subgroup&)` for each subgroup that has an active invocation.
template <class Visit>
void ForSubgroups(Machine& machine, Visit visit) {
  Subgroup subgroup;
  subgroup.size = machine.subgroup_size();
  for (uint32_t first = 0; first < machine.lanes(); first += subgroup.size) {
    subgroup.first = first;
    subgroup.count = 0;
    for (uint32_t lane = first; lane < first + subgroup.size && lane < machine.lanes(); ++lane) {
      if (machine.active().Has(lane))
        subgroup.lanes[subgroup.count++] = static_cast<uint16_t>(lane);
    }
    if (subgroup.count != 0 && !machine.stopped()) visit(subgroup);
  }
}

/// It is unspecified which fragments share a subgroup, and whether helper invocations take part
/// (Vulkan, "Helper Invocations"). In fragment shaders, results of subgroup operations are
/// therefore not exact, unless they are the same for any participants.
inline uint32_t OpenSubgroups(const Machine& machine, const Op& op) {
  return machine.code().is_compute || (op.flags & kSameForAll) != 0 ? 0 : kApproximateBit;
}

/// The shadow of a copied value, if `open` says that another value may be copied.
inline uint32_t OpenShadow(uint32_t shadow, uint32_t open) {
  return open == 0 ? shadow : (shadow & kShadowMask) | open;
}

}  // namespace interp
}  // namespace refract
