#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Draws eight columns of 16 cells. Column n is one and the same shuffled array after n passes of
// bubble sort, so from left to right disorder turns into a ramp from dark blue to yellow. A dot
// marks a cell that holds its final value; the red bar below is as long as the column's last pass
// had swaps.
//
// Stable: everything is computed from integer pixel coordinates and integer uniforms; shifts are
// below 32 and remainders of non-negative numbers; a colour is k * (1/255), k an integer from 0 to
// 255, so it lies in the middle between two rounding boundaries.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

layout(set = 0, binding = 0) uniform buf0 { ivec2 cell; };     // 32, 16
layout(set = 0, binding = 1) uniform buf1 { int none; };       // 0
layout(set = 0, binding = 2) uniform buf2 { int one; };        // 1
layout(set = 0, binding = 3) uniform buf3 { uint seed; };      // 11
layout(set = 0, binding = 4) uniform buf4 { int dot_size; };   // 3
layout(set = 0, binding = 5) uniform buf5 { float opaque; };   // 1.0
layout(set = 0, binding = 6) uniform buf6 { int count; };      // 16

const int kLength = 16;
const int kColumns = 8;

struct Pass {
  int swaps;
  int last;  // where the last swap was; everything after it is sorted
};

int values[kLength];

// A permutation of 0 to 15: swaps driven by a small congruential generator.
void Shuffle() {
  for (int i = 0; i < count; i++) values[i] = i;
  uint state = seed;
  for (int i = count - 1; i > 0; i--) {
    state = state * 1103515245u + 12345u;
    int other = int((state >> 16u) % uint(i + 1));
    int kept = values[i];
    values[i] = values[other];
    values[other] = kept;
  }
}

Pass BubblePass(int end) {
  Pass result = Pass(none, none);
  int i = none;
  while (i + one < end) {
    if (values[i] > values[i + 1]) {
      int kept = values[i];
      values[i] = values[i + 1];
      values[i + 1] = kept;
      result.swaps += one;
      result.last = i + one;
    }
    i += one;
  }
  return result;
}

// 0xRRGGBB, every level below 256, for a value from 0 to 15.
int Palette(int value) {
  int red = 16;
  int green = 24;
  int blue = 72;
  switch (value / 4) {
    case 3:
      red += 2 * value;
      green += 60;
      // falls through
    case 2:
      red += 60;
      green += 7 * value;
      // falls through
    case 1:
      blue += 20 + 3 * (value & 3);
      red += 5 * value;
      break;
    case 0:
      blue += 18 * value;
      break;
    default:
      red = 255;
      break;
  }
  return (red << 16) | (green << 8) | blue;
}

bool InDot(int x, int y) {
  ivec2 middle = cell / 2;
  int dx = x > middle.x ? x - middle.x : middle.x - x;
  int dy = y > middle.y ? y - middle.y : middle.y - y;
  return dx + dy < dot_size;
}

vec4 Paint(int rgb) {
  ivec3 levels = ivec3(rgb >> 16, rgb >> 8, rgb) & 255;
  return vec4(vec3(levels) * (1.0 / 255.0), opaque);
}

void main() {
  int x = int(gl_FragCoord.x);
  int y = int(gl_FragCoord.y);
  int column = min(x / cell.x, kColumns - 1);
  int row = min(y / cell.y, kLength - 1);

  Shuffle();
  int end = count;
  int swaps = none;
  for (int pass = 0; pass < column; pass++) {
    Pass done = BubblePass(end);
    swaps = done.swaps;
    end = done.last;
    if (swaps == none) break;
  }

  int inner_x = x % cell.x;
  int inner_y = y % cell.y;
  int rgb = Palette(values[row]);
  if (inner_x == none || inner_y == none) {
    rgb = 0x181818;
  } else if (values[row] == row && InDot(inner_x, inner_y)) {
    rgb = 0xf8f8f8;
  } else if (inner_y >= cell.y - 4 && row == kLength - 1 && inner_x <= 2 * swaps) {
    rgb = 0xe04040;
  }
  color = Paint(rgb);
}
