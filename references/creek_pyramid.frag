#version 450
// SPDX-License-Identifier: Apache-2.0
// Follows creeks down a pyramid of heights. A creek begins in the coarsest level, and from level to
// level it enters the lowest of the four cells below its own. How it weighs the cells depends on its
// square of the image. On the way back it climbs again, over the levels that it has worn down, until
// it meets ground that is lower than its bed. The colour says where it ended and what it carried.
//
// Heights and moss are integers, and all levels and places are whole or halves of powers of two.
layout(location = 0) out vec4 colour;

layout(binding = 0) uniform usampler2D heights;  // 7 levels
layout(binding = 1) uniform usampler2D moss;     // 5 levels, of which the sampler uses 4
layout(binding = 2) uniform Weather {
  ivec4 rain;     // what a cell below weighs, by its number
  uvec4 dyes[2];  // RGB
  int lowest;     // the finest level that creeks enter
};

const int kBank = 12;

int HeightAt(ivec2 cell, int level) { return int(texelFetch(heights, cell, level).x); }

// The lowest of the four cells below `cell`, with its height in z.
ivec3 Below(ivec2 cell, int level, int turn) {
  ivec2 last = textureSize(heights, level) - 1;
  ivec3 best = ivec3(0, 0, 1 << 20);
  for (int k = 0; k < 4; ++k) {
    ivec2 child = min(cell * 2 + ivec2(k & 1, k >> 1), last);
    int height = HeightAt(child, level) + rain[(k + turn) & 3];
    if (height < best.z) best = ivec3(child, height);
  }
  return best;
}

// Climbs from `cell` as long as the ground above is not lower than the bed. Returns the level.
int Climb(inout ivec2 cell, int level, int top, inout int bed) {
  while (level < top) {
    ivec2 above = cell >> 1;
    int ground = HeightAt(above, level + 1);
    if (ground + kBank < bed) break;
    bed = (bed * 3 + ground) >> 2;
    cell = above;
    ++level;
    if ((bed & 15) == 0) return level;
  }
  return level;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 square = pixel >> 4;
  int turn = square.x + square.y * 3;
  int levels = textureQueryLevels(heights);
  int level = levels - 1 - (square.x & 1);
  ivec2 cell = ivec2(pixel.x >> 5, pixel.y >> 5) & (textureSize(heights, level) - 1);

  int bed = HeightAt(cell, level), silt = 0, bends = 0;
  for (int i = 0; i < 8 && level > lowest; ++i) {
    ivec3 next = Below(cell, level - 1, turn + i);
    int way = (next.x & 1) | (next.y & 1) << 1;
    bends = bends << 2 | way;
    if (next.z > bed + 200) break;  // dammed up
    silt += bed - next.z;
    bed = next.z;
    cell = next.xy;
    --level;
    if (way == (turn & 3) && silt > 300) continue;
    turn += bed & 1;
  }
  int mouth = level;
  int spring = Climb(cell, level, levels - 1, bed);

  // Moss at the place of the pixel, in the level of the mouth, and once more by steps of that size.
  vec2 place = (vec2(pixel & 63) + 0.5) * 0.015625;
  float side = float(1 << (mouth & 3)) * 0.015625;
  uint wet = textureLod(moss, place, float(mouth & 3)).x;
  uint dry = textureGrad(moss, place.yx, vec2(side, 0.0), vec2(0.0, side)).y;

  uint mixed = dyes[bends & 1][spring & 3] ^ uint(silt & 63) << 8 ^ uint(bed & 127);
  vec3 ground = vec3(mixed & 255u, mixed >> 8 & 255u, mixed >> 16 & 255u) * 0.00390625;
  float shine = wet > dry ? 1.0 : wet == dry ? 0.75 : 0.5;
  bool outlined = (pixel.x & 15) == 0 || (pixel.y & 15) == 0;
  colour = vec4(outlined ? ground.zxy * 0.25 : ground * shine, 1.0);
}
