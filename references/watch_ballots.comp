#version 450
// SPDX-License-Identifier: Apache-2.0
// Counts the ballots of a crew. A ballot is a texel with four samples, one from each watch, and a
// layer has the ballots of one matter. A workgroup counts one matter: each invocation reads the
// ballots of two sailors, in all four watches, and finds what the watches of each sailor agree on.
// The group adds the votes in shared memory, and the first invocations strike the weakest choice
// until one has the majority. The lines say who won, in which round, and how the watches split; then
// what each sailor wanted, in all watches, and how much of it still stood at the end.
//
// Exact: integers throughout.
layout(local_size_x = 16) in;

layout(set = 0, binding = 0) uniform isampler2DMSArray ballots;  // first, second, third choice, weight
layout(std430, set = 0, binding = 1) readonly buffer Rules {
  int most_rounds;
  int veto;      // a sum of weights above it does not count
  uint shuffle;  // added to the choices of a watch, in units of its number
};
layout(std430, set = 0, binding = 2) writeonly buffer Lines { uvec4 lines[]; };

shared int votes[8];
shared uint struck;    // the choices that are out
shared uint splits[4];  // by watch: sailors of whom this watch disagrees with the first one

uint Choice(ivec4 ballot, int rank, int watch) {
  return (uint(ballot[rank]) + shuffle * uint(watch)) & 7u;
}

// The best choice of a ballot that is not out; 8 if there is none.
uint Standing(ivec4 ballot, int watch, uint out_) {
  for (int rank = 0; rank < 3; ++rank) {
    uint choice = Choice(ballot, rank, watch);
    if ((out_ >> choice & 1u) == 0u) return choice;
  }
  return 8u;
}

ivec4 Ballot(int sailor, int watch) {
  ivec3 size = textureSize(ballots);
  return texelFetch(ballots, ivec3(sailor % size.x, sailor / size.x, int(gl_WorkGroupID.x) % size.z), watch);
}

void Count(int sailor) {
  uint first = 8u;
  int weight = 0;
  for (int watch = 0; watch < textureSamples(ballots); ++watch) {
    ivec4 ballot = Ballot(sailor, watch);
    uint choice = Standing(ballot, watch, struck);
    if (watch == 0) first = choice;
    if (choice != first) atomicAdd(splits[watch & 3], 1u);
    weight += abs(ballot.w) & 15;
    if (choice < 8u && weight <= veto) atomicAdd(votes[choice], 1 + (weight & 3));
  }
}

// The choice with the most votes, or with the fewest of those that are not out.
uint Extreme(bool most) {
  uint found = 8u;
  for (uint i = 0u; i < 8u; ++i) {
    if ((struck >> i & 1u) != 0u) continue;
    if (found == 8u || (most ? votes[i] > votes[found] : votes[i] < votes[found])) found = i;
  }
  return found;
}

// The first choices of a sailor in all watches, the last that stand, and a checksum of the weights.
uvec3 Wishes(int sailor) {
  uvec3 wishes = uvec3(0u, 0u, uint(sailor) * 2654435761u);
  for (int watch = 0; watch < textureSamples(ballots); ++watch) {
    ivec4 ballot = Ballot(sailor, watch);
    wishes.x = wishes.x << 3 | Choice(ballot, 0, watch);
    wishes.y = wishes.y << 4 | Standing(ballot, watch, struck);
    wishes.z = (wishes.z ^ uint(ballot.w)) * 16777619u;
  }
  return wishes;
}

void main() {
  uint me = gl_LocalInvocationIndex;
  if (me == 0u) struck = 0u;
  if (me < 4u) splits[me] = 0u;
  for (int round_ = 0; round_ < most_rounds; ++round_) {
    if (me < 8u) votes[me] = 0;
    barrier();
    Count(int(me));
    Count(int(me) + 16);
    barrier();
    if (me == 0u) {
      uint best = Extreme(true), worst = Extreme(false);
      int all = 0;
      for (int i = 0; i < 8; ++i) all += votes[i];
      uint line = (gl_WorkGroupID.x * uint(most_rounds) + uint(round_)) * 2u;
      bool decided = best < 8u && votes[best] * 2 > all;
      lines[line] = uvec4(best, worst, uint(all), decided ? 1u : 0u);
      lines[line + 1u] = uvec4(splits[0], splits[1], splits[2], splits[3]);
      if (!decided && worst < 8u) struck |= 1u << worst;
    }
    barrier();
  }
  uint line = gl_NumWorkGroups.x * uint(most_rounds) * 2u + gl_GlobalInvocationID.x;
  uvec3 mine = Wishes(int(me)), other = Wishes(int(me) + 16);
  lines[line] = uvec4(mine.x << 12 | other.x, mine.y << 16 | other.y, mine.z, other.z ^ mine.z >> 7);
}
