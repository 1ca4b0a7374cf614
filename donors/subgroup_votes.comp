#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
// SPDX-License-Identifier: Apache-2.0
// Subgroups: scans, ballots, shuffles, votes and quads, and beside each the same done by one
// invocation on a mask or a small array.
layout(local_size_x = 128) in;

layout(std430, set = 0, binding = 0) buffer Data {
  uint given[128];
  uint packed_flags[4];
  ivec4 result[];
};

// Ranks of set bits below `lane`, as a ballot's bit count gives them.
int rank_in_mask(uvec4 mask, int lane) {
  int rank = 0;
  for (int word = 0; word < 4; ++word) {
    int first = word * 32;
    if (first >= lane) {
      break;
    }
    uint bits = mask[word];
    if (lane - first < 32) {
      uint below = 0u;
      for (int i = first; i < lane; ++i) {
        below += below + 1u;
      }
      bits &= below;
    }
    rank += bitCount(bits);
  }
  return rank;
}

int lane_of_rank(uvec4 mask, int rank) {
  for (int word = 0; word < 4; ++word) {
    uint bits = mask[word];
    int here = bitCount(bits);
    if (rank >= here) {
      rank -= here;
      continue;
    }
    while (rank > 0) {
      bits &= bits - 1u;
      --rank;
    }
    return word * 32 + findLSB(bits);
  }
  return -1;
}

void scan_by_steps(inout int lanes[16], bool inclusive) {
  for (int reach = 1; reach < 16; reach += reach) {
    for (int lane = 15; lane >= reach; --lane) {
      lanes[lane] += lanes[lane - reach];
    }
  }
  if (inclusive) {
    return;
  }
  for (int lane = 15; lane > 0; --lane) {
    lanes[lane] = lanes[lane - 1];
  }
  lanes[0] = 0;
}

int majority(ivec4 a, ivec4 b) {
  int candidate = 0;
  int lead = 0;
  for (int i = 0; i < 8; ++i) {
    int vote = i < 4 ? a[i] : b[i - 4];
    if (lead == 0) {
      candidate = vote;
      lead = 1;
    } else if (vote == candidate) {
      ++lead;
    } else {
      --lead;
    }
  }
  int votes = 0;
  for (int i = 0; i < 4; ++i) {
    votes += int(a[i] == candidate) + int(b[i] == candidate);
  }
  return votes > 4 ? candidate : -1;
}

uvec4 butterfly(uvec4 v, int way) {
  uvec4 turned = v;
  if ((way & 1) != 0) {
    turned = turned.yxwz;
  }
  if ((way & 2) != 0) {
    turned = turned.zwxy;
  }
  return (way & 4) != 0 ? v ^ turned : v + turned;
}

uint distinct_values(uint value) {
  uint rounds = 0u;
  bool done = false;
  while (!done) {
    uint first = subgroupBroadcastFirst(value);
    if (value == first) {
      done = true;
    }
    ++rounds;
    if (rounds > 64u) {
      break;
    }
  }
  return rounds;
}

int compact(uint value, bool wanted) {
  uvec4 ballot = subgroupBallot(wanted);
  uint place = subgroupBallotExclusiveBitCount(ballot);
  uint count = subgroupBallotBitCount(ballot);
  uint from = subgroupShuffle(value, (gl_SubgroupInvocationID + 1u) % gl_SubgroupSize);
  uint beside = subgroupShuffleXor(value, 1u) + subgroupShuffleUp(value, 1u);
  if (subgroupAll(wanted)) {
    return int(place + from);
  } else if (subgroupAny(wanted)) {
    return int(count * 256u + place + beside);
  }
  return subgroupAllEqual(value) ? -1 : int(from);
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint value = given[lane];
  uint sum = subgroupInclusiveAdd(value & 255u);
  uint most = subgroupMax(value) ^ subgroupMin(value) ^ subgroupExclusiveXor(value);
  uint clustered = subgroupClusteredOr(value, 4u) + subgroupQuadSwapHorizontal(value);
  if (subgroupElect()) {
    atomicOr(packed_flags[gl_SubgroupID & 3u], most);
  }
  int lanes[16];
  for (int i = 0; i < 16; ++i) {
    lanes[i] = int(given[(lane + uint(i)) & 127u] & 255u);
  }
  scan_by_steps(lanes, (value & 1u) == 0u);
  uvec4 mask = butterfly(uvec4(value, sum, most, clustered), int(lane & 7u));
  int rank = rank_in_mask(mask, int(lane));
  int voted = majority(ivec4(mask & 3u), ivec4(lanes[0], lanes[1], lanes[2], lanes[3]) & 3);
  result[lane] = ivec4(rank, lane_of_rank(mask, rank), compact(value, (value & 2u) != 0u),
                       voted + int(distinct_values(value & 7u)) + lanes[15]);
}
