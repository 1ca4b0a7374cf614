#version 450
// SPDX-License-Identifier: Apache-2.0
// Queues in shared memory and in buffers under the Vulkan memory model: tickets, rings, a lock-free
// stack of numbers, and messages that are made available by the one and visible to the other.
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) queuefamilycoherent buffer Ring { uint slots[64]; };
layout(std430, set = 0, binding = 1) workgroupcoherent buffer Heads {
  uint head, tail, misses, top;
};
layout(std430, set = 0, binding = 2) nonprivate buffer Results { uvec2 results[]; };

shared uint waiting[64];
shared uint tickets;

uint slot_of(uint ticket, uint size) {
  uint slot = ticket % max(size, 1u);
  return size > 0u && (ticket / size & 1u) != 0u ? size - 1u - slot : slot;
}

// A word with a number of 16 bits, and how often it was used.
uint tagged(uint former, uint number) {
  uint uses = (former >> 16) + 1u;
  return uses << 16 | number & 0xffffu;
}

uint parity_of(uint word) {
  for (int shift = 16; shift > 0; shift >>= 1) {
    word ^= word >> shift;
  }
  return word & 1u;
}

uint backed_off(uint tries, uint seed) {
  uint wait = 1u;
  while (tries > 0u && wait < 64u) {
    wait <<= 1;
    --tries;
    if ((seed >> tries & 1u) != 0u) {
      wait |= 1u;
    }
  }
  return wait;
}

uint take_ticket(uint count) {
  return atomicAdd(tickets, count, gl_ScopeWorkgroup, gl_StorageSemanticsShared,
                   gl_SemanticsRelaxed);
}

bool push(uint number) {
  for (uint tries = 0u; tries < 4u; ++tries) {
    uint former = atomicLoad(top, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
                             gl_SemanticsAcquire);
    uint seen = atomicCompSwap(top, former, tagged(former, number), gl_ScopeQueueFamily,
                               gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease,
                               gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
    if (seen == former) {
      return true;
    }
  }
  atomicAdd(misses, 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
  return false;
}

void main() {
  uint lane = gl_LocalInvocationID.x;
  if (lane == 0u) {
    tickets = 0u;
  }
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
  uint ticket = take_ticket(1u + (lane & 1u));
  waiting[lane] = backed_off(ticket & 7u, lane) ^ parity_of(ticket);
  bool pushed = push(slot_of(ticket, 24u));
  uint at = atomicAdd(head, 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
                      gl_SemanticsAcquireRelease);
  slots[at & 63u] = waiting[lane] + (pushed ? 1u : 0u);
  memoryBarrier(gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
                gl_SemanticsRelease | gl_SemanticsMakeAvailable);
  atomicStore(tail, at, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
  results[gl_GlobalInvocationID.x] = uvec2(at, slots[(at + 1u) & 63u]);
}
