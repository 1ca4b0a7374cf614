#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Draws a scene as a game console of old would: two layers of tiles that scroll, a list of sprites
// with priorities, and palettes. Which tile stands where is read from one texture, what it looks
// like from another; both are sampled at centres of texels. The ground sways from line to line,
// a window shows the map itself with the borders between unlike tiles, and a strip below is grey,
// its light a dot product of the levels.
//
// Exact: the textures hold unsigned integers and have power-of-two sizes, so a centre is a sum of
// few powers of two. Sums and products of floats are integers below 2^24. A colour is k * (1/255)
// for an integer k from 0 to 255.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

layout(set = 0, binding = 0) uniform highp usampler2D sheet;  // 32 by 16 texels: 8 tiles of 8 by 8
layout(set = 0, binding = 1) uniform highp usampler2D plan;   // 32 by 16 cells
layout(std140, set = 0, binding = 2) uniform Machine {
  uvec4 palettes[4];  // four colours of each, 0xRRGGBB; colour 0 of a tile is no colour
  ivec4 sprites[5];   // left, top, and their tile, and 1: mirrored, 2: upside down, 4: behind
  ivec2 back_scroll;  // (5, 3)
  ivec2 front_scroll; // (40, 0)
  ivec4 window;       // left, top, right, bottom
  uvec3 weights;      // 77, 150, 29: of 256 parts of light
  int grey_from;      // 112: the first line of the strip
  uint sky;           // 0x3060a0
  int sway;           // 24
  int zero;           // 0
  int one;            // 1
};

const int kTile = 8;

struct Cell {
  int tile;
  int flips;
  int palette;
};

// The two bits of a tile's texel, and whether the one to its left has none.
uint SheetTexel(int tile, ivec2 at, int flips, out bool rim) {
  ivec2 turned = ivec2((flips & 1) != 0 ? kTile - 1 - at.x : at.x,
                       (flips & 2) != 0 ? kTile - 1 - at.y : at.y);
  ivec2 texel = ivec2(tile & 3, tile >> 2) * kTile + turned;
  vec2 centre = (vec2(texel) + 0.5) * vec2(1.0 / 32.0, 1.0 / 16.0);
  uint found = textureLod(sheet, centre, float(zero)).x & 3u;
  uint beside = textureLod(sheet, centre - vec2(1.0 / 32.0, 0.0), 0.0).x & 3u;
  rim = found != 0u && beside == 0u && turned.x > zero;
  return found;
}

Cell PlanCell(ivec2 cell) {
  vec2 centre = (vec2(cell & ivec2(31, 15)) + 0.5) * vec2(1.0 / 32.0, 1.0 / 16.0);
  int entry = int(textureLod(plan, centre, 0.0).x);
  return Cell(entry & 7, (entry >> 3) & 3, (entry >> 5) & 3);
}

// A layer's colour at a place; 0 if it can be seen through.
uint Layer(ivec2 at, ivec2 first_cell, int shade) {
  Cell cell = PlanCell(at / kTile + first_cell);
  bool rim;
  uint bits = SheetTexel(cell.tile, at & (kTile - 1), cell.flips, rim);
  if (bits == 0u) return 0u;
  uint colour = palettes[cell.palette][bits];
  return rim && shade != zero ? colour + 0x202020u : colour;
}

// The first sprite of the list that has a colour there: its colour, and whether it is behind.
uint Sprites(ivec2 at, out bool behind) {
  behind = false;
  for (int i = zero; i < 5; i += one) {
    ivec2 inside = at - sprites[i].xy;
    if (any(lessThan(inside, ivec2(zero))) || any(greaterThanEqual(inside, ivec2(16)))) continue;
    // Sprites are drawn in double size.
    bool rim;
    uint bits = SheetTexel(sprites[i].z, inside >> 1, sprites[i].w, rim);
    if (bits == 0u) continue;
    behind = (sprites[i].w & 4) != 0;
    return palettes[3 - (i & 1)][rim ? 3u : bits];
  }
  return 0u;
}

// The map, two pixels for a cell: light where all four cells round a corner are the same, dark
// where the cells beside each other are not, and coloured by the tile elsewhere.
uint Map(ivec2 at) {
  vec2 corner = vec2(at >> 1) * vec2(1.0 / 32.0, 1.0 / 16.0);
  uvec4 round = textureGather(plan, corner) & 7u;
  if (all(equal(round, round.yzwx))) return 0xd8d8b0u;
  bvec2 unlike = notEqual(round.xz, round.yw);
  if (all(unlike)) return 0x101820u;
  uint level = (round.w * 29u + round.x * 3u) & 0xffu;
  return any(unlike) ? level * 0x010100u : level * 0x000101u;
}

uvec3 Unpack(uint colour) { return uvec3(colour >> 16, colour >> 8, colour) & 0xffu; }

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  // Of every pixel, so that it is sampled by whole quads.
  uint ground = texture(plan, gl_FragCoord.xy * (1.0 / 128.0)).x;
  int wave = abs((at.y * 3 + sway & 31) - 16) >> 2;

  uint behind_all = Layer(at + back_scroll + ivec2(wave, zero), ivec2(zero), zero);
  uint before = Layer(at + front_scroll, ivec2(11, 5), one);
  bool behind;
  uint sprite = Sprites(at, behind);

  uint colour = sky + (ground >> 5) * 0x000204u;
  if (behind_all != 0u) colour = (behind_all >> 1) & 0x7f7f7fu;
  if (sprite != 0u && behind) colour = sprite;
  if (before != 0u) colour = before;
  if (sprite != 0u && !behind) colour = sprite;
  bvec4 within = bvec4(greaterThanEqual(at, window.xy), lessThan(at, window.zw));
  if (all(within)) colour = Map(at - window.xy);

  uvec3 levels = Unpack(colour);
  if (at.y >= grey_from) {
    int light = int(dot(vec3(levels), vec3(weights)));
    levels = uvec3(min(light >> 8, 255));
  }
  color = vec4(vec3(levels) * (1.0 / 255.0), 1.0);
}
