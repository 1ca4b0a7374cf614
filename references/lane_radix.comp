#version 450
// SPDX-License-Identifier: Apache-2.0
// Sorts words, 64 to a workgroup, from the lowest bit up: a ballot tells each invocation how many
// before it have a 0 there, and so where its word goes. Then the sorted words are packed: runs of
// equal keys become entries of a dictionary, each with its length, the sum and the span of what it
// holds, and a mask of the places that its words came from.
//
// Exact: integers only. Invocations are numbered by subgroup and place in it, whatever the size of
// subgroups is; all of them take part in every ballot, reduction and scan.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require

layout(local_size_x = 64) in;

const uint kLanes = 64;
const uint kMostEntries = 24;

struct Batch {
  uint seed;
  uint keys;     // how many different keys there are, about
  uint bits;     // of a key
  uint pattern;  // 0 as they come, 1 falling, 2 in waves, 3 half of them alike
};

struct Entry {
  uint key;
  uint length;
  uint sum;
  uint span;
  uvec2 came_from;
};

layout(std430, set = 0, binding = 0) readonly buffer Batches { Batch batches[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Sorted { uint sorted[][kLanes]; };
layout(std430, set = 0, binding = 2) writeonly buffer Dictionaries {
  Entry entries[][kMostEntries];
};
layout(push_constant) uniform Settings {
  uint stride;   // of the generator
  uint shuffle;  // multiplies keys
  uint least;    // the shortest run that gets an entry
};

shared uint words[kLanes];
shared uint in_subgroup[kLanes];
shared uint starts[kLanes];
shared uint sums[kLanes], lows[kLanes], highs[kLanes];
shared uvec2 masks[kLanes];

// A word: its key, six bits of where it came from, and what it carries.
uint MakeWord(Batch batch, uint place) {
  uint number = batch.seed + place * stride;
  number ^= number >> 13;
  number *= shuffle;
  number ^= number >> 16;
  uint key = number % batch.keys;
  switch (batch.pattern) {
    case 1u:
      key = batch.keys - 1u - place * batch.keys / kLanes;
      break;
    case 2u:
      key = (place & 8u) == 0u ? place & 7u : 7u - (place & 7u);
      break;
    case 3u:
      if ((number >> 20 & 1u) != 0u) key = batch.keys >> 1;
      break;
    default:
      break;
  }
  return (number >> 24) << 16 | place << 10 | (key & 0x3ffu);
}

// How many invocations of the workgroup before this one vote yes, and how many do at all.
uvec2 Rank(bool vote) {
  uvec4 ballot = subgroupBallot(vote);
  uint before = subgroupBallotExclusiveBitCount(ballot);
  uint here = subgroupBallotBitCount(ballot);
  barrier();
  if (subgroupElect()) in_subgroup[gl_SubgroupID] = here;
  barrier();
  uint all = 0u;
  for (uint i = 0u; i < gl_NumSubgroups; i++) {
    if (i == gl_SubgroupID) before += all;
    all += in_subgroup[i];
  }
  return uvec2(before, all);
}

uint SortBy(uint word, uint place, uint bit) {
  bool is_one = (word >> bit & 1u) != 0u;
  uvec2 zeros = Rank(!is_one);
  uint target = is_one ? zeros.y + place - zeros.x : zeros.x;
  words[target] = word;
  barrier();
  uint taken = words[place];
  barrier();
  return taken;
}

// Adds what the word carries to its run. A subgroup that is all of one run does it at once.
void AddTo(uint run, uint word) {
  uint load = word >> 16, origin = word >> 10 & 63u;
  uvec2 bit = origin < 32u ? uvec2(1u << origin, 0u) : uvec2(0u, 1u << (origin - 32u));
  if (subgroupAllEqual(run)) {
    uint sum = subgroupAdd(load), low = subgroupMin(load), high = subgroupMax(load);
    uvec2 mask = subgroupOr(bit);
    if (subgroupElect()) {
      atomicAdd(sums[run], sum);
      atomicMin(lows[run], low);
      atomicMax(highs[run], high);
      atomicOr(masks[run].x, mask.x);
      atomicOr(masks[run].y, mask.y);
    }
  } else {
    atomicAdd(sums[run], load);
    atomicMin(lows[run], load);
    atomicMax(highs[run], load);
    atomicOr(masks[run].x, bit.x);
    atomicOr(masks[run].y, bit.y);
  }
}

void main() {
  uint place = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  uint group = gl_WorkGroupID.x;
  Batch batch = batches[group];

  uint word = MakeWord(batch, place);
  for (uint bit = 0u; bit < batch.bits; bit++) word = SortBy(word, place, bit);

  words[place] = word;
  sums[place] = 0u;
  lows[place] = ~0u;
  highs[place] = 0u;
  masks[place] = uvec2(0u);
  starts[place] = kLanes;
  barrier();

  uint key = word & 0x3ffu;
  bool is_first = place == 0u || (words[place - 1u] & 0x3ffu) != key;
  uvec2 firsts = Rank(is_first);
  uint run = firsts.x + (is_first ? 1u : 0u) - 1u;
  if (is_first) starts[run] = place;
  barrier();
  AddTo(run, word);
  barrier();

  // Runs that are long enough move up to the front of the dictionary.
  uint begin = starts[place];
  uint end = place + 1u < firsts.y ? starts[place + 1u] : kLanes;
  bool counts = place < firsts.y && end - begin >= least;
  uvec2 kept = Rank(counts);
  if (counts && kept.x < kMostEntries) {
    entries[group][kept.x] = Entry(words[begin] & 0x3ffu, end - begin, sums[place],
                                   highs[place] - lows[place], masks[place]);
  }
  uint longest = subgroupMax(counts ? end - begin : 0u);
  uint rotated = (word << (run & 15u)) | (word >> (32u - (run & 15u)));
  sorted[group][place] = (run & 15u) == 0u ? word : rotated;
  if (subgroupAny(longest > 20u && counts) && kept.y == 1u && counts) {
    sorted[group][begin] = 0xffff0000u | longest;
  }
}
