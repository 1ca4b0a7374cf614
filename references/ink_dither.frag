#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Draws clouds as a printer with six inks would. The brightness is an integer blend of a coarse
// lattice, an image of 16 by 16 texels of noise. In the upper half the error of every choice of ink
// is carried on to the right, so a pixel replays its row's segment from the left; in the lower
// half, which shows another channel of the image, a Bayer matrix of 4 by 4 decides, and a frame of
// plain texels, read through the sampler, shows what the lattice holds.
//
// Stable: a texel is n/255 up to an error far smaller than a level and is rounded to the integer n
// at once; samples are taken at centres of texels. All else is integers; divisions of negative
// numbers truncate, as they do everywhere. A colour is k * (1/255) for an integer k from 0 to 255.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

layout(set = 0, binding = 0) uniform highp sampler2D lattice;
layout(std140, set = 0, binding = 1) uniform Inks {
  ivec4 ink[6];  // red, green, blue, and the brightness it stands for, rising
};
layout(std140, set = 0, binding = 2) uniform Setup {
  int segment;      // 32: pixels that an error is carried through
  int cell;         // 8: pixels from one lattice point to the next
  ivec2 channels;   // 0, 2: of the upper and of the lower half
  int carry;        // 14: sixteenths of the error that go on
  int half_height;  // 64
  int one;          // 1
  int zero;         // 0
};

const int kInks = 6;

int TexelLevel(ivec2 at, int channel) {
  vec4 texel = texelFetch(lattice, at & 15, zero);
  return int(texel[channel] * 255.0 + 0.5);
}

// The four lattice points round a cell: left and right above, left and right below.
ivec4 Corners(ivec2 at, int channel) {
  ivec4 corners;
  for (int i = zero; i < 4; i += one) {
    corners[i] = TexelLevel(at + ivec2(i & 1, i >> 1), channel);
  }
  return corners;
}

int Blend(ivec4 corners, int x, int y) {
  int above = corners.x * (cell - x) + corners.y * x;
  int below = corners.z * (cell - x) + corners.w * x;
  return (above * (cell - y) + below * y) / (cell * cell);
}

// The ink whose brightness is nearest.
int Choose(int wanted) {
  for (int i = one; i < kInks; i++) {
    if (2 * wanted < ink[i - 1].w + ink[i].w) return i - 1;
  }
  return kInks - 1;
}

int Carried(int y, int x, inout int missing) {
  int chosen = zero;
  int held = -one;
  ivec4 corners;
  for (int i = x - x % segment; i <= x; i += one) {
    if (i / cell != held) {
      held = i / cell;
      corners = Corners(ivec2(held, y / cell), channels.x);
    }
    int wanted = Blend(corners, i % cell, y % cell) + missing;
    chosen = Choose(wanted);
    missing = (wanted - ink[chosen].w) * carry / 16;
  }
  return chosen;
}

// The bits of x xor y and of y in turns, the lowest ones first: 0 to 15.
int BayerRank(int x, int y) {
  int rank = zero;
  int crossed = x ^ y;
  for (int bit = 0; bit < 2; bit++) {
    rank = rank * 4 + ((crossed >> bit) & 1) * 2 + ((y >> bit) & 1);
  }
  return rank;
}

// An ink between its neighbours: the rank says from which share on the brighter one is taken.
int Ordered(int x, int y, out int rank) {
  rank = BayerRank(x, y);
  ivec4 corners = Corners(ivec2(x, y) / cell, channels.y);
  int wanted = Blend(corners, x % cell, y % cell);
  int under = zero;
  while (under + 2 < kInks && ink[under + 1].w <= wanted) under++;
  int step_up = ink[under + 1].w - ink[under].w;
  return (wanted - ink[under].w) * 16 > rank * step_up ? under + one : under;
}

// The rim of the lower half: texels as they are, in the image's own colours.
bool Rim(int x, int y) { return x < cell || x >= 128 - cell || y >= 2 * half_height - cell; }

vec4 RimColour(int x, int y) {
  vec2 at = vec2(float(x / cell) + 0.5, float(y / cell) + 0.5);
  ivec4 levels = ivec4(texture(lattice, at * (1.0 / 16.0)) * 255.0 + 0.5);
  levels.z ^= 0x80;
  return vec4(levels.wzx, 255) * (1.0 / 255.0);
}

void main() {
  int x = int(gl_FragCoord.x);
  int y = int(gl_FragCoord.y);
  ivec3 levels;
  if (y < half_height) {
    int missing = (y * 11 & 31) - 16;
    levels = ink[Carried(y, x, missing)].xyz;
    levels.z += missing / 4;
  } else if (Rim(x, y)) {
    color = RimColour(x, y);
    return;
  } else {
    int rank;
    levels = ink[Ordered(x, y, rank)].zxy;
    levels.y += rank;
  }
  color = vec4(vec3(levels) * (1.0 / 255.0), 1.0);
}
