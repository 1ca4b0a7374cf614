#version 450
// SPDX-License-Identifier: Apache-2.0
// Compresses pictures of 16x16 texels, one for each workgroup, as texture formats of GPUs do: a
// block of four by four texels becomes two end colours and, for each texel, a step between them.
// Four neighbours of a subgroup share a block, a row each. They find the box of its colours, try
// the diagonals of the box, also of a smaller one, add up the errors of their rows, and keep the
// best. Where two pairs of rows are much better off with ends of their own, the block is split. Then
// they decode what they wrote, and note how far it is from the picture.
//
// Exact: integers only. Clusters have two or four invocations, so they exist whatever the size of
// subgroups is, and all invocations of a subgroup take part in each operation.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_clustered : require

layout(local_size_x = 64) in;

const uint kBlocks = 16u;
const uint kCandidates = 8u;

struct Picture {
  uint seed;
  uint kind;
  uint scale;
  uint threshold;  // in quarters of the error of the block: pairs must be better than this
};

struct Block {
  uvec2 ends;  // of the upper and of the lower pair of rows, each two colours of 16 bits
  uint steps;  // two bits for each texel
  uint notes;  // 1 flat, 2 split; the candidates of the pairs; a checksum of the rows
};

struct Choice {
  uint error;
  uint candidate;
  uint ends;
  uint steps;
};

layout(std430, set = 0, binding = 0) readonly buffer Pictures { Picture pictures[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Blocks { Block blocks[][kBlocks]; };
layout(std430, set = 0, binding = 2) writeonly buffer Decoded { uvec2 rows[][64]; };
layout(std430, set = 0, binding = 3) buffer Report { uint splits, flats, worst, total; };

shared uint block_errors[kBlocks];

uint Mixed(uint number) {
  number = (number ^ number >> 16) * 0x7feb352du;
  number = (number ^ number >> 15) * 0x846ca68bu;
  return number ^ number >> 16;
}

ivec3 Texel(Picture picture, uvec2 at) {
  uint number;
  switch (picture.kind) {
    case 0u: {  // rings
      ivec2 from = ivec2(at * 2u) - ivec2(picture.seed & 31u, picture.seed >> 5 & 31u);
      number = uint(from.x * from.x + from.y * from.y) * picture.scale >> 4;
      break;
    }
    case 1u:  // plaid
      number = (at.x ^ at.y) * picture.scale + (picture.seed >> (at.x & 15u) & 1u) * 64u;
      break;
    case 2u:  // noise in patches
      number = Mixed(picture.seed + at.x / picture.scale * 57u + at.y / picture.scale) & 0xffu;
      if ((number & 7u) == 0u) number = Mixed(number + at.x * 16u + at.y);
      break;
    default: {  // an edge across a slope
      bool side = at.x * (picture.seed & 7u) > at.y * picture.scale;
      number = (side ? 40u : 200u) + at.x + at.y * 2u;
      if (side) return ivec3(number, 255u - number, 16u * (at.y & 3u));
    }
  }
  return ivec3(number & 0xffu, number * 3u >> 2 & 0xffu, (picture.seed + number * 5u) & 0xffu);
}

uint Packed(ivec3 colour) {
  uvec3 cut = uvec3(clamp(colour, ivec3(0), ivec3(255))) >> uvec3(3u, 2u, 3u);
  return cut.r << 11 | cut.g << 5 | cut.b;
}

ivec3 Unpacked(uint code) {
  uvec3 cut = uvec3(code >> 11 & 31u, code >> 5 & 63u, code & 31u);
  return ivec3(cut << uvec3(3u, 2u, 3u) | cut >> uvec3(2u, 4u, 2u));
}

// Two opposite corners of the box, or of the box with a sixteenth less at each side.
uint EndsOf(uint candidate, ivec3 low, ivec3 high) {
  if (candidate >= 4u) {
    ivec3 inset = (high - low) >> 4;
    low += inset;
    high -= inset;
  }
  ivec3 from = low, to = high;
  if ((candidate & 1u) != 0u) {
    from.g = high.g;
    to.g = low.g;
  }
  if ((candidate & 2u) != 0u) {
    from.b = high.b;
    to.b = low.b;
  }
  return Packed(from) | Packed(to) << 16;
}

ivec3 Between(uint ends, uint step) {
  ivec3 from = Unpacked(ends & 0xffffu), to = Unpacked(ends >> 16);
  return (from * int(3u - step) + to * int(step)) / 3;
}

uint Distance(ivec3 a, ivec3 b) {
  ivec3 apart = abs(a - b);
  return uint(apart.r * 2 + apart.g * 4 + apart.b);
}

// The nearest steps for a row, and the error that remains.
uint Fit(ivec3 row[4], uint ends, out uint steps) {
  uint error = 0u;
  steps = 0u;
  for (uint x = 0u; x < 4u; x++) {
    uint least = ~0u, nearest = 0u;
    for (uint step = 0u; step < 4u && least > 0u; step++) {
      uint apart = Distance(row[x], Between(ends, step));
      if (apart >= least) continue;
      least = apart;
      nearest = step;
    }
    error += least;
    steps |= nearest << 2u * x;
  }
  return error;
}

void Consider(Choice other, inout Choice best) {
  if (other.error < best.error) best = other;
}

void main() {
  uint place = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  uint group = gl_WorkGroupID.x, block = place >> 2, line = place & 3u;
  Picture picture = pictures[group];
  ivec3 row[4], low = ivec3(255), high = ivec3(0);
  for (uint x = 0u; x < 4u; x++) {
    row[x] = Texel(picture, uvec2((block & 3u) * 4u + x, (block >> 2) * 4u + line));
    low = min(low, row[x]);
    high = max(high, row[x]);
  }
  ivec3 pair_low = subgroupClusteredMin(low, 2u), pair_high = subgroupClusteredMax(high, 2u);
  low = subgroupClusteredMin(pair_low, 4u);
  high = subgroupClusteredMax(pair_high, 4u);
  bool flat_block = subgroupClusteredAnd(all(lessThan(high - low, ivec3(3))), 4u);

  Choice whole = Choice(~0u, 0u, 0u, 0u), pair = whole;
  for (uint candidate = 0u; candidate < kCandidates; candidate++) {
    uint steps, ends = EndsOf(candidate, low, high);
    uint error = subgroupClusteredAdd(Fit(row, ends, steps), 4u);
    Consider(Choice(error, candidate, ends, steps), whole);
    ends = EndsOf(candidate, pair_low, pair_high);
    error = subgroupClusteredAdd(Fit(row, ends, steps), 2u);
    Consider(Choice(error, candidate, ends, steps), pair);
  }
  uint of_pairs = subgroupClusteredAdd((line & 1u) == 0u ? pair.error : 0u, 4u);
  bool split = !flat_block && of_pairs * 4u < whole.error * picture.threshold;
  Choice chosen = whole;
  if (split) chosen = pair;

  uint steps = subgroupClusteredOr(chosen.steps << line * 8u, 4u);
  uvec2 ends = uvec2(line < 2u ? chosen.ends : 0u, line < 2u ? 0u : chosen.ends);
  ends = subgroupClusteredOr(ends, 4u);
  uint candidates = subgroupClusteredOr(chosen.candidate << (line < 2u ? 4u : 8u), 4u);
  uint sum = 0u;
  for (uint x = 0u; x < 4u; x++) sum = sum * 31u + Packed(row[x]);
  sum = subgroupClusteredXor(sum << line, 4u) + subgroupClusteredMul(sum | 1u, 2u);
  sum = subgroupClusteredXor(sum, 4u);

  // From here on only what was written counts.
  uvec2 decoded = uvec2(0u);
  uint error = 0u;
  for (uint x = 0u; x < 4u; x++) {
    uint step = steps >> (line * 8u + x * 2u) & 3u;
    ivec3 colour = Between(line < 2u ? ends.x : ends.y, step);
    error += Distance(row[x], colour);
    decoded[x >> 1] |= Packed(colour) << (x & 1u) * 16u;
  }
  error = subgroupClusteredAdd(error, 4u);
  rows[group][place] = decoded;
  if (line == 0u) {
    uint notes = (flat_block ? 1u : 0u) | (split ? 2u : 0u) | candidates | sum << 16;
    blocks[group][block] = Block(ends, steps, notes);
    block_errors[block] = error;
    if (split) atomicAdd(splits, 1u);
    if (flat_block) atomicAdd(flats, 1u);
  }
  barrier();
  if (place == 0u) {
    uint all = 0u;
    for (uint i = 0u; i < kBlocks; i++) {
      all += block_errors[i];
      atomicMax(worst, block_errors[i]);
    }
    atomicAdd(total, all);
  }
}
