#version 450
// SPDX-License-Identifier: Apache-2.0
// Exchanges between the invocations of a subgroup: a butterfly that sorts and one that transforms,
// scans of pairs, rotated and reversed lanes, and what only needs the numbers of lanes.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer Lanes { uvec4 lanes[]; };

// Which of a pair a lane keeps in a bitonic merge.
uint kept(uint own, uint other, uint lane, uint span, uint turn) {
  bool rising = (lane & turn) == 0u;
  bool lower = (lane & span) == 0u;
  uint low = min(own, other), high = max(own, other);
  if (rising == lower) {
    return low;
  }
  return high;
}

// Puts two maps x -> a * x + b after one another.
uvec2 composed(uvec2 first, uvec2 then) {
  return uvec2(first.x * then.x, first.y * then.x + then.y);
}

uint reversed_lane(uint lane, uint count) {
  uint reversed = 0u;
  for (uint bit = 1u; bit < count; bit <<= 1) {
    reversed = reversed << 1 | lane & 1u;
    lane >>= 1;
  }
  return reversed;
}

uint sorted_in_eights(uint value) {
  for (uint turn = 2u; turn <= 8u; turn <<= 1) {
    for (uint span = turn >> 1; span > 0u; span >>= 1) {
      uint other = subgroupShuffleXor(value, span);
      value = kept(value, other, gl_SubgroupInvocationID, span, turn);
    }
  }
  return value;
}

uvec2 scanned(uvec2 map) {
  for (uint by = 1u; by < gl_SubgroupSize; by <<= 1) {
    uvec2 before = subgroupShuffleUp(map, by);
    if (gl_SubgroupInvocationID >= by) {
      map = composed(before, map);
    }
  }
  return map;
}

// Which of four and which of eight neighbours has the largest value; the first one, if several have
// it.
uvec2 leaders(uint value) {
  uint most = subgroupClusteredMax(value, 8u);
  uint first = subgroupClusteredMin(value == most ? gl_SubgroupInvocationID & 7u : 8u, 8u);
  uint four = max(value, subgroupQuadSwapHorizontal(value));
  four = max(four, subgroupQuadSwapVertical(four));
  uint marked = value == four ? 1u << (gl_SubgroupInvocationID & 3u) : 0u;
  uint all = subgroupClusteredOr(marked, 4u) | subgroupQuadSwapDiagonal(marked);
  return uvec2(uint(findLSB(all)), first);
}

uint turned(uint value, uint by) {
  uint from = (gl_SubgroupInvocationID + by) % gl_SubgroupSize;
  return subgroupShuffle(value, from);
}

// Gives each vote its number among the votes, counted from the last lane.
uint number_from_end(bool vote) {
  uvec4 ballot = subgroupBallot(vote);
  uint all = subgroupBallotBitCount(ballot);
  uint before = subgroupBallotInclusiveBitCount(ballot);
  return vote ? all - before : 0xffu;
}

void main() {
  uvec4 own = lanes[gl_GlobalInvocationID.x];
  own.x = sorted_in_eights(own.x);
  own.yz = scanned(own.yz | 1u);
  own.w = turned(own.w, own.x & 7u) ^ number_from_end((own.w & 4u) != 0u);
  own.yz += leaders(own.x);
  uint from = reversed_lane(gl_SubgroupInvocationID, gl_SubgroupSize);
  own.x += subgroupShuffle(own.x, from) + subgroupExclusiveXor(own.y);
  if (subgroupAny(own.z == 0u) || subgroupAllEqual(own.w)) {
    own.z = subgroupInclusiveMax(own.w) - subgroupBroadcastFirst(own.y);
  }
  lanes[gl_GlobalInvocationID.x] = own;
}
