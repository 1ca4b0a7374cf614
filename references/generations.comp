#version 450
// SPDX-License-Identifier: Apache-2.0
// Cellular automata of the "generations" kind: a cell is dead, alive, or one of several stages of
// decay. Each workgroup steps a world of its own in shared memory, twice as wide and high as the
// workgroup, which is sized by specialization constants, as is the number of stages. Worlds differ
// in rule, in neighbourhood (square, hexagonal or with knights' moves), in their edges (a torus,
// or dead beyond it) and in how long they run. Left behind: stage, age and births of every cell,
// and populations.
//
// Stable: integers only; the new generation goes to the other of two arrays, with a barrier
// between; populations grow by atomic additions.

layout(local_size_x_id = 0, local_size_y_id = 1) in;  // 16, 8
layout(constant_id = 2) const uint kStages = 5;
layout(constant_id = 3) const uint kSoup = 0x5a17u;
layout(constant_id = 4) const bool kCrowded = false;

const uint kCells = 4 * gl_WorkGroupSize.x * gl_WorkGroupSize.y;
const uint kMaxSteps = 16;

struct Rule {
  uint born;  // bit n: with n neighbours that are alive
  uint stays;
  uint neighbourhood;
  uint steps;
};

layout(std430, set = 0, binding = 0) readonly buffer Rules {
  uint edge_from;  // worlds from this one on have edges
  uint few;        // a world with fewer alive ends
  uint rings[3];   // neighbours as bits of a 5x5 square
  Rule rules[];
};
layout(std430, set = 0, binding = 1) writeonly buffer Worlds { uint worlds[]; };
layout(std430, set = 0, binding = 2) writeonly buffer Counts { uint counts[][kMaxSteps]; };

shared uint front[kCells];
shared uint back[kCells];
shared uint alive;

struct Life {
  uint age;
  uint births;
};

uint Soup(uint cell, uint world) {
  uint bits = (cell * 0x6f4f2a35u) ^ (world * kSoup);
  bits = (bits ^ (bits >> 14u)) * 0x3c6ef372u + cell;
  bits = (bits >> 9u) ^ (bits >> 21u);
  return bits % 3u == 0u ? 1u : 0u;
}

uint At(ivec2 place, bool edged, bool from_back) {
  ivec2 extent = 2 * ivec2(gl_WorkGroupSize.xy);
  if (edged) {
    if (place.x < 0 || place.y < 0) return 0u;
    if (place.x >= extent.x || place.y >= extent.y) return 0u;
  } else {
    place = (place + extent) % extent;
  }
  int index = place.y * extent.x + place.x;
  return from_back ? back[index] : front[index];
}

// Neighbours that are in the first stage.
uint Neighbours(ivec2 place, uint ring, bool edged, bool from_back) {
  uint count = 0u;
  while (ring != 0u) {
    int bit = findLSB(ring);
    ring &= ring - 1u;
    ivec2 step = ivec2(bit % 5 - 2, bit / 5 - 2);
    if (At(place + step, edged, from_back) == 1u) count++;
  }
  return count;
}

uint RingOf(Rule rule, ivec2 place) {
  uint ring = rings[rule.neighbourhood];
  switch (rule.neighbourhood) {
    case 2u:
      // Knights' moves only from every other cell.
      if (((place.x ^ place.y) & 1) == 0) return ring >> 1u;
      break;
    case 1u:
      // Hexagons: odd rows lean the other way.
      if ((place.y & 1) != 0) ring ^= 0x50140u;
      break;
  }
  return ring;
}

uint Next(uint stage, uint count, Rule rule, inout Life life) {
  if (stage == 0u) {
    if ((rule.born >> count & 1u) == 0u) return 0u;
    life.births++;
    life.age = 0u;
    return 1u;
  }
  life.age++;
  if (stage == 1u && (rule.stays >> count & 1u) != 0u) return 1u;
  if (kCrowded && count > 6u) return 0u;
  return stage + 1u < kStages ? stage + 1u : 0u;
}

void Step(inout Life lives[4], Rule rule, bool edged, bool from_back) {
  uint born = 0u;
  for (uint part = 0u; part < 4u; part++) {
    uvec2 at = gl_LocalInvocationID.xy + gl_WorkGroupSize.xy * uvec2(part & 1u, part >> 1u);
    uint index = at.y * 2u * gl_WorkGroupSize.x + at.x;
    ivec2 place = ivec2(at);
    uint stage = from_back ? back[index] : front[index];
    uint count = Neighbours(place, RingOf(rule, place), edged, from_back);
    uint next = Next(stage, count, rule, lives[part]);
    if (next == 1u) born++;
    if (from_back) {
      front[index] = next;
    } else {
      back[index] = next;
    }
  }
  if (born != 0u) atomicAdd(alive, born);
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint world = gl_WorkGroupID.x;
  Rule rule = rules[world];
  bool edged = world >= edge_from;

  for (uint index = 0u; index < kCells; index += kCells / 4u) {
    front[index + lane] = Soup(index + lane, world);
  }
  if (lane == 0u) alive = 0u;
  barrier();

  Life lives[4] = Life[4](Life(0u, 0u), Life(0u, 0u), Life(0u, 0u), Life(0u, 0u));
  bool from_back = false;
  for (uint step = 0u; step < rule.steps; step++) {
    Step(lives, rule, edged, from_back);
    barrier();
    uint population = alive;
    barrier();
    if (lane == 0u) {
      counts[world][step] = population;
      alive = 0u;
    }
    from_back = !from_back;
    barrier();
    if (population < few) break;
  }

  for (uint part = 0u; part < 4u; part++) {
    uvec2 at = gl_LocalInvocationID.xy + gl_WorkGroupSize.xy * uvec2(part & 1u, part >> 1u);
    uint index = at.y * 2u * gl_WorkGroupSize.x + at.x;
    uint stage = from_back ? back[index] : front[index];
    worlds[world * kCells + index] = stage | (lives[part].age << 8u) | (lives[part].births << 16u);
  }
}
