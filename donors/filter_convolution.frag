#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Convolutions over a small picture in an array: kernels of nine weights chosen by number, what
// lies beyond the edges in four ways, blurs in two passes, a running box sum, and upsampling by
// taps.
precision highp float;
precision highp int;
layout(location = 0) in vec2 place;
layout(location = 1) flat in ivec2 choice;
layout(location = 0) out vec4 color;

float picture[64];

int beyond(int at, int size, int mode) {
  if (at >= 0 && at < size) {
    return at;
  }
  switch (mode) {
    case 0:  // mirrored, the edge twice
      at = at < 0 ? -1 - at : 2 * size - 1 - at;
      break;
    case 1:  // repeated
      while (at < 0) at += size;
      while (at >= size) at -= size;
      break;
    case 2:
      return -1;
    default:
      at = at < 0 ? 0 : size - 1;
  }
  return at;
}

void pick_kernel(int which, out float k[9]) {
  for (int i = 0; i < 9; ++i) {
    k[i] = 0.0;
  }
  k[4] = 1.0;
  switch (which) {
    case 1:  // sharper: what the cross takes away the middle gets
      k[1] = k[3] = k[5] = k[7] = -1.0;
      k[4] = 5.0;
      break;
    case 2:  // embossed: like 3, with the middle kept
      k[4] = 2.0;
    case 3:
      k[4] -= 1.0;
      k[0] = -1.0;
      k[8] = 1.0;
      break;
    case 4:
      for (int i = 0; i < 9; ++i) {
        k[i] = 0.0625 * float((2 - abs(i % 3 - 1)) * (2 - abs(i / 3 - 1)));
      }
  }
}

float convolve(float source[64], float k[9], ivec2 at) {
  float sum = 0.0, weights = 0.0;
  for (int dy = -1; dy <= 1; ++dy) {
    int y = at.y + dy;
    if (y < 0 || y > 7) continue;
    for (int dx = -1; dx <= 1; ++dx) {
      int x = at.x + dx;
      if (x < 0) continue;
      if (x > 7) break;
      float weight = k[(dy + 1) * 3 + dx + 1];
      sum += weight * source[y * 8 + x];
      weights += weight;
    }
  }
  return abs(weights) < 0.125 ? sum + 0.5 : sum;
}

// Along rows or columns, in place: the old left neighbour is kept.
void blur(inout float line[8], int rounds) {
  for (int r = 0; r < rounds; ++r) {
    float left = line[0];
    for (int i = 0; i < 8; ++i) {
      float here = line[i];
      float right = i < 7 ? line[i + 1] : here;
      line[i] = 0.25 * (left + right) + 0.5 * here;
      left = here;
    }
  }
}

float running_box(float line[8], int radius, int wanted) {
  float sum = 0.0;
  int count = 0;
  for (int i = 0; i < 8; ++i) {
    sum += line[i];
    ++count;
    if (i > 2 * radius) {
      sum -= line[i - 2 * radius - 1];
      --count;
    }
    if (i == wanted) break;
  }
  return count == 1 ? sum : count == 2 ? sum * 0.5 : count == 3 ? sum * 0.33333334 : sum * 0.25;
}

void main() {
  float k[9];
  float line[8];
  for (int i = 0; i < 64; ++i) {
    picture[i] = fract(place.x * float(i) + place.y * float(i * i));
    line[i & 7] = picture[i];
  }
  pick_kernel(choice.x, k);
  ivec2 at = ivec2(beyond(choice.y, 8, choice.x & 3), beyond(choice.y * 2, 8, 3));
  blur(line, choice.x);
  color = vec4(convolve(picture, k, at), running_box(line, 1, choice.y & 7), line[3], 1.0);
}
