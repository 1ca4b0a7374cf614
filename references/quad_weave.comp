#version 450
// SPDX-License-Identifier: Apache-2.0
// Weaves bands of cloth, one for each workgroup: a thread is an invocation, and four neighbours of
// a subgroup are a loom of a warp and a weft of two threads each. Threads change places over the
// loom and over the whole subgroup, vote on the colour of a row, and number their knots by scans.
// Rows pass from one loom to the next through shared memory of the Vulkan memory model.
//
// Exact: integers only. Every operation of a subgroup is executed by all invocations of it, and
// reads from those of the same four or the same pair, which exist whatever the size of subgroups
// is. What is shared is made available and visible by the barriers.
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_quad : require

layout(local_size_x = 64) in;

const uint kThreads = 64u;
const uint kRows = 10u;

layout(std430, set = 0, binding = 0) readonly buffer Patterns { uint pattern[32]; };
layout(std430, set = 0, binding = 1) nonprivate buffer Cloth { uint cloth[][kThreads]; };
layout(std430, set = 0, binding = 2) nonprivate buffer Tally { uint knots, loose, matches, rows; };
layout(push_constant) uniform Setting {
  uint dye;
  uint tension;
};

shared uint passed[kThreads];
shared uint loom_knots[kThreads / 4u];

struct Thread {
  uvec2 fibre;  // what it is made of, and how it is twisted
  ivec2 slack;
  bool lifted;
};

void Sync() {
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup,
                 gl_StorageSemanticsShared | gl_StorageSemanticsBuffer,
                 gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                     gl_SemanticsMakeVisible);
}

// The threads of a loom cross as the pattern says. All of a loom see the same pattern.
uvec2 Crossed(Thread thread, uint code) {
  uvec2 across = subgroupQuadSwapHorizontal(thread.fibre);
  uvec2 along = subgroupQuadSwapVertical(thread.fibre);
  uvec2 corner = subgroupQuadSwapDiagonal(thread.fibre);
  uvec2 leader = subgroupQuadBroadcast(thread.fibre, 2);
  switch (code & 3u) {
    case 0u:
      return across ^ (leader << 1u);
    case 1u:
      return along + leader.yx;
    case 2u:
      return uvec2(across.x, corner.y) | (leader & 0x11u);
    default:
      return corner - along;
  }
}

// Evens out the slack of neighbours; sums and extremes over a loom.
ivec2 Evened(Thread thread) {
  ivec2 sum = thread.slack + ivec2(subgroupQuadSwapHorizontal(thread.slack));
  sum += subgroupQuadSwapVertical(sum);
  ivec2 pair = subgroupShuffleXor(thread.slack, 1u);
  ivec2 low = min(thread.slack, pair), high = max(thread.slack, pair);
  return (sum >> 2) + high - low;
}

uint LoomVote(Thread thread) {
  uint raised = thread.lifted ? 1u << (gl_SubgroupInvocationID & 3u) : 0u;
  raised |= subgroupQuadSwapHorizontal(raised);
  raised |= subgroupQuadSwapVertical(raised);
  return raised;
}

// Numbers of knots within a loom: a scan by shuffles, checked with a ballot over the subgroup.
uint KnotNumber(bool tied, out uint here) {
  uvec4 ballot = subgroupBallot(tied);
  uint before = subgroupBallotExclusiveBitCount(ballot);
  uint first = subgroupQuadBroadcast(before, 0);
  here = subgroupQuadBroadcast(before + (tied ? 1u : 0u), 3) - first;
  bool own = subgroupBallotBitExtract(ballot, gl_SubgroupInvocationID);
  return own ? before - first + 1u : 0u;
}

void main() {
  uint place = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  uint group = gl_WorkGroupID.x;
  Thread thread;
  thread.fibre = uvec2(dye + place * 0x01000193u, pattern[(place + group) & 31u]);
  thread.slack = ivec2(int(place) - 32, int(thread.fibre.y & 31u));
  thread.lifted = (thread.fibre.x >> 5 & 1u) != 0u;
  uint total = 0u, waste = 0u;
  for (uint row = 0u; row < kRows; row++) {
    uint code = pattern[(row * 5u + group + (place >> 2)) & 31u];
    thread.fibre = Crossed(thread, code) + uvec2(code >> 4, row);
    thread.slack = Evened(thread) - ivec2(thread.fibre & 7u);
    uint raised = LoomVote(thread);
    bool tied = (raised >> (code & 3u) & 1u) == 0u && thread.slack.x < int(tension);
    uint here;
    uint number = KnotNumber(tied, here);
    total += number;
    waste += 4u - here;

    passed[place] = thread.fibre.x ^ thread.fibre.y << 7;
    if ((place & 3u) == 0u) loom_knots[place >> 2] = here;
    Sync();
    uint next = (place + 4u) & (kThreads - 1u);
    uint taken = passed[next], knots_there = loom_knots[next >> 2];
    Sync();
    bool any = subgroupAny(tied || (place & 3u) == 1u);
    bool all = subgroupAll(any && (taken | 1u) != 0u);
    thread.fibre.y = (taken << 3 | taken >> 29) + knots_there;
    thread.lifted = (taken >> 9 & 1u) != 0u ^^ (here > knots_there);
    waste += all ? 0u : row;  // something is tied, or is a second thread, in every subgroup
    cloth[group * kRows + row][place] = thread.fibre.x ^ taken ^ number << 28;
  }
  // Counted over the workgroup and not by subgroup, whose size is not known.
  if ((place & 3u) == 0u) loom_knots[place >> 2] = 0u;
  Sync();
  atomicAdd(loom_knots[(place >> 4) << 2], total, gl_ScopeWorkgroup, gl_StorageSemanticsShared,
            gl_SemanticsRelaxed);
  Sync();
  uint quarter = loom_knots[(place >> 4) << 2];
  if ((place & 15u) == 0u) {
    atomicAdd(knots, quarter, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
    atomicAdd(rows, kRows, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
  }
  atomicAdd(loose, waste, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
  atomicMax(matches, uint(thread.slack.y + 64), gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
            gl_SemanticsRelaxed);
}
