#version 450
// SPDX-License-Identifier: Apache-2.0
// Presses a seal into wax. The stamp has a rim, spokes and a ring of letters, each a few bits of a
// table; the wax has grains, and flows away from what is pressed deepest. The height of the wax is
// written as the depth of the pixel. The depth test keeps the pixels that stand out of a cold layer,
// which covers the rest.
//
// Exact: integers throughout. Depths are k / 256 for integers k from 0 to 256, colours k * (1/255).
layout(location = 0) out vec4 color;
layout(depth_any) out float gl_FragDepth;

layout(std140, set = 0, binding = 0) uniform Stamp {
  ivec4 letters[2];  // 15 bits each, rows of three from the top
  ivec4 rings;       // squares of radii: of the hub, of the spokes, of the letters, of the rim
  ivec4 press;       // depth of the rim, of a spoke, of a letter; spokes in a quarter
  ivec4 wax;         // height, grain, factor, summand
} stamp;

int Grain(ivec2 at) {
  uint key = uint(at.x) * uint(stamp.wax.z) + uint(at.y) * 2654435761u;
  for (int i = 0; i < 3; ++i) key = (key ^ key >> 13u) * uint(stamp.wax.z) + uint(stamp.wax.w);
  return int(key >> 27u) * stamp.wax.y / 32;
}

// The part of the turn from 0 to 255, without square roots: the share of y in |x| + |y|.
int TurnOf(ivec2 to) {
  int all = abs(to.x) + abs(to.y);
  if (all == 0) return 0;
  int share = 64 * abs(to.y) / all;
  if (to.x < 0 != to.y < 0) share = 64 - share;
  int quarter = to.y < 0 ? (to.x < 0 ? 2 : 3) : (to.x < 0 ? 1 : 0);
  return (quarter * 64 + share) & 255;
}

bool OnLetter(int turn, int out_of) {
  int letter = turn / 32;
  int column = turn % 32 / 8 - 1;
  int row = 4 - out_of;
  if (column < 0 || row < 0 || row > 4) return false;
  return (stamp.letters[letter >> 2][letter & 3] >> (14 - row * 3 - column) & 1) != 0;
}

// How deep the stamp goes here.
int Pressed(ivec2 at) {
  ivec2 to = at - 32;
  int square = to.x * to.x + to.y * to.y;
  if (square > stamp.rings.w) return 0;
  int turn = TurnOf(to);
  if (square > stamp.rings.z) return stamp.press.x - (square - stamp.rings.z) / 16;
  if (square > stamp.rings.y) {
    int ring = (square - stamp.rings.y) * 5 / (stamp.rings.z - stamp.rings.y + 1);
    return OnLetter(turn, ring) ? stamp.press.z : stamp.press.z / 4;
  }
  if (square <= stamp.rings.x) return stamp.press.y / 2 + square / 4;
  int spoke = turn % 64 * stamp.press.w % 64;
  return spoke < 24 ? stamp.press.y - spoke : stamp.press.y / 8;
}

int HeightAt(ivec2 at) {
  int height = stamp.wax.x + Grain(at) - Pressed(at);
  // Wax that neighbours push away.
  for (int side = 0; side < 4; ++side) {
    int there = Pressed(at + ivec2(side == 0 ? 1 : side == 1 ? -1 : 0, side == 2 ? 1 : side == 3 ? -1 : 0));
    if (there > Pressed(at)) height += (there - Pressed(at)) / 8;
  }
  return clamp(height, 0, 256);
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int height = HeightAt(at);
  int light = height - HeightAt(at - ivec2(1, 1));
  ivec3 rgb = ivec3(150 + height / 4, 20 + height / 8, 30 + height / 16);
  rgb = clamp(rgb + light * 2, 0, 255);
  gl_FragDepth = float(height) * (1.0 / 256.0);
  color = vec4(vec3(rgb) * (1.0 / 255.0), 1.0);
}
