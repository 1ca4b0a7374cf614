#version 450
// SPDX-License-Identifier: Apache-2.0
// Dyes pennants by the letters that their first vertex read: a letter is a device such as a cross or a
// chequer, the letters lie on each other like layers, and a number that does not fit the checksum tears the
// cloth. Mirrored pennants show their other side.
//
// Exact: integers. Colours are k * (1/255).
layout(location = 0) flat in uvec4 letters;
layout(location = 1) flat in ivec3 hung;
layout(location = 2) flat in uvec2 order;
layout(location = 0) out vec4 color;

layout(std140, set = 0, binding = 1) uniform Dyes {
  ivec4 cloth[2];  // RGB
  ivec4 mask;      // which pixels of a square of 4 a weave keeps, for four weaves
} dyes;

bool HasDevice(uint letter, ivec2 at) {
  ivec2 in_cell = at & 7;
  switch (letter) {
    case 0u: return in_cell.x == 3 || in_cell.y == 3;
    case 1u: return in_cell.x == in_cell.y || in_cell.x + in_cell.y == 7;
    case 2u: return ((at.x >> 1) + (at.y >> 1) & 1) != 0;
    case 3u:
      in_cell = abs(in_cell - 3);  // a lozenge, or half of a disc
    case 4u: return in_cell.x + in_cell.y < 4;
    case 5u: return (at.y + hung.y & 3) == 0;
  }
  return (dyes.mask[int(letter & 3u)] >> ((at.y & 3) * 4 + (at.x & 3)) & 1) != 0;
}

// How many of the letters, in order, lie on the way from `from` to `to`, and are next to each other.
int NeighboursIn(uint sorted, int from, int to) {
  int last = -1, found = 0;
  for (; sorted != 0u; sorted >>= 4) {
    int letter = int(sorted & 15u);
    if (letter < from || letter > to) continue;
    if (last - letter == 1) ++found;
    last = letter;
  }
  return found;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 at = hung.x < 0 ? ivec2(63 - pixel.x, pixel.y) : pixel;
  ivec3 level = ivec3(40 + 8 * (hung.z & 15));
  uint text = letters.x;
  for (uint i = 0u; i < min(letters.y, 8u); ++i, text >>= 4) {
    uint letter = text & 15u;
    if (!HasDevice(letter, at)) continue;
    int dye = dyes.cloth[letter >> 2 & 1u][letter & 3u];
    ivec3 layer = ivec3(dye >> 16, dye >> 8, dye) & 255;
    level = (level + layer * 3) >> 2;
    if (level.x + level.y + level.z < 150) break;
  }
  bool torn = ((pixel.x * 5 ^ pixel.y * 3) & 31) == int(letters.w & 31u);
  if (torn) level = level.yzx >> 1;
  int close = NeighboursIn(order.x, at.x >> 4, 3 + (at.y >> 4));
  if (close > 0 && (at.x + at.y * close & 7) == int(order.y)) level += ivec3(30, 20, 10) * close;
  level += int(letters.z & 3u) * 16;
  color = vec4(vec3(clamp(level, 0, 255)) * (1.0 / 255.0), gl_FrontFacing ? 1.0 : 0.8);
}
