#version 450
// SPDX-License-Identifier: Apache-2.0
// Work of four neighbours: differences and means of a block of two by two, a transform of Haar, a
// median of four, and a vote; and the same over clusters of a subgroup. The memory model is
// Vulkan's.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#pragma use_vulkan_memory_model
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer Blocks { ivec4 blocks[]; };

// Median of four: the sum without the extremes, halved.
ivec2 median_of_four(ivec2 a, ivec2 b, ivec2 c, ivec2 d) {
  ivec2 low = min(min(a, b), min(c, d)), high = max(max(a, b), max(c, d));
  return (a + b + c + d - low - high) >> 1;
}

int haar(int own, int beside, int below, int across, uint place) {
  switch (place & 3u) {
    case 0u:
      return (own + beside + below + across) >> 2;
    case 1u:
      return (own + across - beside - below) >> 1;
    case 2u:
      return (own + across - below - beside) >> 1;
    default:
      break;
  }
  return own - beside - below + across;
}

uint gray(uint value) { return value ^ value >> 1; }

uint from_gray(uint code) {
  for (uint shift = 1u; shift < 32u; shift <<= 1) {
    code ^= code >> shift;
  }
  return code;
}

int transformed(int value) {
  int beside = subgroupQuadSwapHorizontal(value);
  int below = subgroupQuadSwapVertical(value);
  int across = subgroupQuadSwapDiagonal(value);
  return haar(value, beside, below, across, gl_SubgroupInvocationID);
}

// Compares within a cluster of four, and with the leader of the four.
uvec2 ranked(int value) {
  uint rank = 0u;
  for (uint i = 1u; i < 4u; ++i) {
    int other = subgroupShuffleXor(value, i);
    bool before = other < value || (other == value && (gl_SubgroupInvocationID & i) != 0u);
    rank += before ? 1u : 0u;
  }
  int most = subgroupClusteredMax(value, 4u), sum = subgroupClusteredAdd(value, 4u);
  return uvec2(rank, uint(most * 4 - sum));
}

bool votes(bool vote) {
  uvec4 ballot = subgroupBallot(vote);
  uint here = ballot[gl_SubgroupInvocationID >> 5] >> (gl_SubgroupInvocationID & 28u) & 15u;
  return bitCount(here) > 2;
}

void main() {
  ivec4 block = blocks[gl_GlobalInvocationID.x];
  int value = transformed(block.x + int(gray(uint(block.y))));
  ivec2 turned = subgroupQuadBroadcast(block.zw, 2);
  ivec2 middle = median_of_four(block.xy, block.zw, turned, subgroupQuadSwapDiagonal(block.wz));
  uvec2 rank = ranked(middle.x);
  bool most = votes(middle.y > value);
  block = ivec4(value, middle, int(rank.x << 8 | from_gray(rank.y) & 255u));
  if (subgroupAll(most)) {
    block = block.wzyx;
  }
  blocks[gl_GlobalInvocationID.x] = block;
}
