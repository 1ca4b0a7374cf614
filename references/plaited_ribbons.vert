#version 450
// SPDX-License-Identifier: Apache-2.0
// Lays ribbons across a frame, those from left to right first, then those from top to bottom: each
// instance is one ribbon of two triangles, as long as its number says. Where it lies is computed
// from the widths of the ribbons before it.
//
// Exact: pixels are integers below 2^7, so pixel / 32 - 1 is exact. All corners are corners of pixels.
layout(location = 0) in ivec2 corner;         // 0 or 1 each
layout(location = 0) flat out ivec4 ribbon;  // number, direction, first pixel across, width
layout(location = 1) flat out ivec3 ends;  // first and last pixel along it, its dye

layout(std140, set = 0, binding = 0) uniform Loom {
  ivec4 widths[3];
  ivec4 frame;    // ribbons each way, space between them, margin, the longest fringe
  ivec4 tension;  // a wide ribbon, how many stop the push, the most of it, the step of the dyes
} loom;

int WidthOf(int number) { return loom.widths[number / 4 % 3][number & 3]; }

// The ends of ribbons are frayed: the digits of a number in base 3, added up.
int FringeOf(int number) {
  int fringe = 0;
  for (int rest = number * 11 + 5; rest > 0; rest /= 3) fringe += rest % 3;
  return fringe % (loom.frame.w + 1);
}

// How far the ribbons before this one were pushed aside: each pushes the next by a pixel, unless two
// in a row were wide.
int PushAt(int number, int direction) {
  int push = 0, wide = 0;
  for (int i = 0; i < number; ++i) {
    if (WidthOf(i + direction) < loom.tension.x) {
      wide = 0;
      continue;
    }
    ++wide;
    if (wide == loom.tension.y) {
      push = max(push - 1, 0);
      wide = 0;
    } else {
      push = min(push + 1, loom.tension.z);
    }
  }
  return push;
}

// The dye of a ribbon: the bath that is the least used so far, by a small table of counts.
int BathOf(int number, int direction) {
  int counts[4] = int[4](0, direction, 1, 0);
  int bath = 0;
  for (int i = 0; i <= number; ++i) {
    bath = i * loom.tension.w & 3;
    for (int other = 0; other < 4; ++other) {
      if (counts[other] < counts[bath]) bath = other;
    }
    counts[bath] += 1 + (WidthOf(i + direction) & 1);
  }
  return bath;
}

void main() {
  int direction = gl_InstanceIndex / loom.frame.x;
  int number = gl_InstanceIndex % loom.frame.x;
  int across = loom.frame.z + PushAt(number, direction);
  for (int i = 0; i < number; ++i) across += WidthOf(i + direction) + loom.frame.y;
  int width = WidthOf(number + direction);
  int first = FringeOf(gl_InstanceIndex);
  int last = 64 - FringeOf(gl_InstanceIndex + 7);
  ivec2 pixel = ivec2(corner.x == 0 ? first : last, corner.y == 0 ? across : across + width);
  if (direction == 1) pixel = pixel.yx;
  ribbon = ivec4(number, direction, across, width);
  ends = ivec3(first, last, BathOf(number, direction));
  gl_Position = vec4(vec2(pixel) * (1.0 / 32.0) - 1.0, 0.5, 1.0);
}
