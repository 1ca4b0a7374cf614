#version 450
// SPDX-License-Identifier: Apache-2.0
// Places the stones of a floor of tesserae. Each stone is a triangle or a half of a square on a grid of
// sixteenths of a pixel, so that it is exact which samples it covers: all its edges are horizontal,
// vertical or diagonal. The foreman shifts whole rows, turns stones and passes on how they are cut.
layout(location = 0) in ivec2 place;   // of the vertex, in sixteenths of a pixel
layout(location = 1) in ivec4 stone;   // kind, shade, cut, row
layout(location = 0) flat out ivec4 cut;
layout(location = 1) flat out ivec2 anchor;

layout(set = 0, binding = 1) uniform Stones {
  ivec4 palette[4];
} stones;
layout(set = 0, binding = 2) uniform Plan {
  ivec4 shifts;  // of the rows modulo 4
  ivec2 frame;   // in sixteenths of a pixel
  int turns;
  float unit;  // 2 / frame, which is exact
} plan;

ivec2 Shifted(ivec2 at, int row) {
  int way = plan.shifts[row & 3];
  return at + ivec2(way, (way >> 1) & ~1);
}

// A quarter turn about the middle of the frame, as often as the plan says.
ivec2 Turned(ivec2 at, int times) {
  ivec2 from = 2 * at - plan.frame;
  for (int i = 0; i < times; ++i) from = ivec2(-from.y, from.x);
  return (from + plan.frame) / 2;
}

int CutOf(ivec4 kind) {
  int cut = kind.z;
  switch (kind.x) {
    case 0:
      return cut;
    case 1:
      cut = cut << 1 | 1;
      break;
    case 2:
      cut ^= 6;
      break;
    default:
      cut = 15 - cut;
  }
  return cut & 15;
}

// Frost splits stones: each winter a crack goes on where exactly one of its sides is cracked.
int Cracks(int number, int row) {
  uint cells = uint(number * 37 + row * 101 + 1) & 0xFFFFu;
  for (int winter = 0; winter < 7; ++winter) {
    uint left = cells << 1 | cells >> 15, right = cells >> 1 | cells << 15;
    cells = (left ^ right) & 0xFFFFu;
    if ((winter & 1) == 1) cells ^= uint(stones.palette[winter & 3].x);
  }
  int count = 0;
  for (; cells != 0u; cells &= cells - 1u) ++count;
  return count;
}

// Stones of a kind are sorted by their weight; feet have worn those that come first most.
int Worn(int kind, int shade) {
  int weights[4];
  for (int i = 0; i < 4; ++i) weights[i] = stones.palette[i].y * 2 + stones.palette[i].z / 3;
  int before = 0;
  for (int i = 0; i < 4; ++i) {
    if (weights[i] < weights[kind] || (weights[i] == weights[kind] && i < kind)) before += 1 + i % 2;
  }
  return shade - (before * shade) / 16;
}

void main() {
  ivec2 at = Turned(Shifted(place, stone.w), plan.turns);
  int number = gl_VertexIndex / 3, kind = stone.x & 3;
  int shade = Worn(kind, stone.y + stones.palette[kind].w + Cracks(number, stone.w) / 2);
  cut = ivec4(stone.x, shade, CutOf(stone), number);
  anchor = at;
  gl_Position = vec4(vec2(at) * plan.unit - 1.0, 0.25 * float(stone.x & 1), 1.0);
}
