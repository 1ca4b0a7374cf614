#version 460
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_vote : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#extension GL_KHR_shader_subgroup_shuffle_relative : enable
#extension GL_KHR_shader_subgroup_quad : enable
// Subgroup operations whose results are the same for all sizes of subgroups from 4 on, since only
// the four invocations of a quad go into each.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[64 * 12]; };
void main() {
  uint i = gl_LocalInvocationID.x, q = i % 4, at = 12 * i;
  uint first = i / 4 * 4, mine = gl_SubgroupInvocationID / 4 * 4;
  data[at] = subgroupShuffle(i * 3, mine + 3 - q);
  data[at + 1] = subgroupShuffleXor(i, 2);
  data[at + 2] = subgroupShuffleUp(i, q);
  data[at + 3] = subgroupQuadSwapHorizontal(i);
  data[at + 4] = subgroupQuadSwapVertical(i * i);
  data[at + 5] = subgroupQuadSwapDiagonal(i + 7);
  data[at + 6] = subgroupQuadBroadcast(i, 2);
  data[at + 7] = uint(subgroupBallotBitExtract(subgroupBallot(i % 3 == 0), gl_SubgroupInvocationID));
  data[at + 8] = subgroupInclusiveAdd(1u) - gl_SubgroupInvocationID;
  data[at + 9] = uint(subgroupAll(i < 64)) + 2 * uint(subgroupAny(i > 63)) + 4 * uint(subgroupAllEqual(i / 64));
  data[at + 10] = subgroupBroadcastFirst(i) == subgroupMin(i) ? 1 : 0;
  data[at + 11] = subgroupMax(first) >= first && subgroupAdd(1u) == gl_SubgroupSize ? 1 : 0;
}
