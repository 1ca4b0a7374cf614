// SPDX-License-Identifier: Apache-2.0
// The subgroups of a batch: each so many lanes as the schedule says, of which the active ones take
// part in an operation. Inside this room only.
#pragma once

#include <array>
#include <cstdint>

#include "interp/machine.h"

namespace refract::inline interp {

struct Subgroup {
  uint32_t first = 0;  ///< lane of invocation 0
  uint32_t size = 0;
  std::array<uint16_t, 128> lanes = {};  ///< the active ones, ascending
  uint32_t count = 0;

  /// The lane of an invocation of the subgroup, or kInactive.
  static constexpr uint32_t kInactive = 0xffffffffu;
  uint32_t LaneOf(const Machine& machine, uint64_t invocation) const {
    if (invocation >= size) return kInactive;
    const uint32_t lane = first + static_cast<uint32_t>(invocation);
    return lane < machine.lanes() && machine.active().Has(lane) ? lane : kInactive;
  }
};

/// Calls `visit(const Subgroup&)` for each with an active invocation.
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

/// Which fragments share a subgroup is open, and so is whether helper invocations take part
/// (Vulkan, "Helper Invocations"): in fragment shaders nothing that comes from a subgroup is exact,
/// but where it is the same whoever takes part.
inline uint32_t OpenSubgroups(const Machine& machine, const Op& op) {
  return machine.code().is_compute || (op.flags & kSameForAll) != 0 ? 0 : kApproximateBit;
}

/// The shadow of a value that is taken over when `open` says that it may be another one.
inline uint32_t OpenShadow(uint32_t shadow, uint32_t open) {
  return open == 0 ? shadow : (shadow & kShadowMask) | open;
}

}  // namespace refract::inline interp
