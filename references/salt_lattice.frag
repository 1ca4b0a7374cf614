#version 450
// SPDX-License-Identifier: Apache-2.0
// Salt grows on a lattice, once for each of the four samples of a pixel. A sample knows its number and its
// place, which is also in gl_FragCoord; crystals are polygons whose edges pass between samples. What an
// earlier pass left at the samples of the pixel decides how fast a crystal grows, and which samples dry up
// and are left out of the mask. Each sample adds to the brine of its sector.
//
// Exact: integers, and places in sixteenths of a pixel.
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 facets;

layout(input_attachment_index = 2, set = 0, binding = 0) uniform subpassInputMS brine;
layout(std140, set = 0, binding = 1) uniform Cellar {
  ivec4 seeds[6];  // x and y of a crystal in sixteenths, speed, faces
  ivec4 mood;      // thirst, haze, hue, turn
} cellar;
layout(std430, set = 0, binding = 2) buffer Sectors {
  uint grown[8];
  int driest[8];
} sectors;

struct Grain {
  ivec2 place;  // in sixteenths of a pixel
  int number;
  int wet;
};

int Wetness(int number) {
  vec4 left;
  switch (number) {
    case 0:
      left = subpassLoad(brine, 0);
      break;
    case 1:
      left = subpassLoad(brine, 1);
      break;
    case 2:
      left = subpassLoad(brine, 2);
      break;
    default:
      left = subpassLoad(brine, 3);
  }
  ivec4 level = ivec4(left * 255.0 + 0.5);
  return (level.x + level.y * 3 + level.z) / 5 + (level.w & 7);
}

// The distance from a crystal with 4, 6 or 8 faces: the largest of its edge functions.
int Distance(ivec2 away, int faces) {
  ivec2 a = abs(away);
  int far = max(a.x, a.y);
  if (faces >= 6) far = max(far, (a.x * 7 + a.y * 4) / 8);
  if (faces >= 8) far = max(far, (a.x + a.y) * 3 / 4);
  return far;
}

// The crystal that reaches the grain first; its number, and how many ticks that takes.
ivec2 FirstCrystal(Grain grain) {
  ivec2 best = ivec2(-1, 1000);
  for (int i = 0; i < 6; ++i) {
    ivec4 seed = cellar.seeds[i];
    ivec2 away = grain.place - seed.xy;
    if ((cellar.mood.w >> i & 1) != 0) away = ivec2(away.x + away.y, away.x - away.y) / 2;
    int ticks = Distance(away, seed.w) / max(seed.z + grain.wet / 32, 1);
    if (ticks < best.y) best = ivec2(i, ticks);
  }
  return best;
}

// Rings of a crystal: a small automaton with one step for each tick.
uint Rings(int ticks, int number) {
  uint state = 1u << (number + 3) | uint(cellar.mood.x);
  for (int i = 0; i < ticks; ++i) {
    if (i == 40) break;
    uint left = state << 1, right = state >> 1;
    state = (left ^ (state | right)) & 0xffffu;
    if ((i + number) % 5 == 0) state ^= state >> 7;
  }
  return state;
}

void main() {
  Grain grain;
  grain.number = gl_SampleID;
  grain.place = ivec2(gl_FragCoord.xy * 16.0);
  ivec2 inside = ivec2(gl_SamplePosition * 16.0);
  ivec2 corner = grain.place - inside;
  grain.wet = Wetness(grain.number) - Wetness(grain.number + 1 & 3) / 4;
  ivec2 first = FirstCrystal(grain);
  uint rings = Rings(first.y, first.x);
  int sector = (corner.x >> 7) + 4 * (corner.y >> 8) & 7;

  bool dry = grain.wet < cellar.mood.x && (inside.x + inside.y & 8) != 0;
  gl_SampleMask[0] = dry ? ~(1 << grain.number) : gl_SampleMaskIn[0];
  if (!gl_HelperInvocation) {
    atomicAdd(sectors.grown[sector], uint(first.y) * 4u + uint(grain.number));
    atomicMin(sectors.driest[sector], grain.wet - inside.x + inside.y);
  }
  ivec3 level = ivec3(first.x * 38, 255 - 6 * min(first.y, 40), cellar.mood.z);
  if ((rings >> (first.y & 15) & 1u) != 0u) level = level.yzx;
  level += ivec3(inside.x, -inside.y, 4 * bitCount(rings)) * cellar.mood.y;
  color = vec4(clamp(level, 0, 255), 255) * (1.0 / 255.0);
  facets = uvec4(rings, uint(inside.x | inside.y << 4), uint(bitCount(gl_SampleMaskIn[0])), uint(first.y));
}
