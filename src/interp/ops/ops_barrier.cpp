// SPDX-License-Identifier: Apache-2.0
// Barriers and helper invocations.
#include "interp/memory.h"
#include "interp/ops/ops_collective.h"

namespace refract {
inline namespace interp {

// SPIR-V 3.49.20, OpControlBarrier: with a scope of Workgroup or larger the behaviour is undefined
// unless all invocations of the scope execute the same dynamic instance. Invocations that have
// returned do not count.
void WorkgroupBarrier(Machine& machine, const Op& op) {
  if (machine.active() == machine.live()) {
    machine.shared().Barrier(machine, op.a, false);
    return;
  }
  LaneSet missing = machine.live();
  missing -= machine.active();
  bool reported = false;
  missing.ForEach([&](uint32_t lane) {
    if (!reported) {
      machine.FailUndefined(
          op, lane,
          "this invocation does not reach the barrier, but other invocations of the workgroup do");
    }
    reported = true;
  });
}

void SubgroupBarrier(Machine& machine, const Op& op) {
  if (op.a != 0) machine.shared().Barrier(machine, op.a, true);
}

void ReleaseMemory(Machine& machine, const Op& op) {
  machine.shared().Fence(machine, op.a);
}

void DemoteInvocations(Machine& machine, const Op&) {
  machine.Demote();
}

void IsHelperInvocation(Machine& machine, const Op& op) {
  uint32_t* to = machine.Row(op.result);
  machine.ClearShadow(op.result);
  machine.ForActive([&](uint32_t lane) { to[lane] = machine.IsHelper(lane) ? 1 : 0; });
}

}  // namespace interp
}  // namespace refract
