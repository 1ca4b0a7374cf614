#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Bit tricks: counting and reversing bits by halves, Gray codes, spreading bits apart (Morton
// order), and the same with the built-in functions; and gathering those under a mask.
precision highp float;
precision highp int;
layout(location = 0) flat in uint start;
layout(location = 0) out vec4 color;

uint count_bits(uint v) {
  v = v - ((v >> 1) & 0x55555555u);
  v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
  v = (v + (v >> 4)) & 0x0f0f0f0fu;
  return (v * 0x01010101u) >> 24;
}

uint reverse_bits(uint v) {
  v = ((v >> 1) & 0x55555555u) | ((v & 0x55555555u) << 1);
  v = ((v >> 2) & 0x33333333u) | ((v & 0x33333333u) << 2);
  v = ((v >> 4) & 0x0f0f0f0fu) | ((v & 0x0f0f0f0fu) << 4);
  return bitfieldReverse(v) ^ v;
}

uint from_gray(uint gray) {
  uint value = gray;
  while (gray != 0u) {
    gray >>= 1;
    value ^= gray;
  }
  return value;
}

uint interleave(uvec2 place) {
  uvec2 v = place & 0xffffu;
  v = (v | (v << 8)) & 0x00ff00ffu;
  v = (v | (v << 4)) & 0x0f0f0f0fu;
  v = (v | (v << 2)) & 0x33333333u;
  v = (v | (v << 1)) & 0x55555555u;
  return v.x | (v.y << 1) | bitfieldExtract(place.x, 3, 5);
}

// The bits of `v` that the mask has, moved together at the low end.
uint gather(uint v, uint mask) {
  uint result = 0u;
  for (uint place = 1u; mask != 0u; place <<= 1) {
    uint lowest = mask & (~mask + 1u);
    mask ^= lowest;
    if ((v & lowest) == 0u) {
      continue;
    }
    result |= place;
  }
  return result;
}

void main() {
  uint at = start;
  uint mixed = count_bits(at) + reverse_bits(at) + from_gray(at) + interleave(uvec2(at, 5u)) +
               gather(at, 0x9249u);
  color = vec4(float(mixed & 255u) * (1.0 / 255.0));
}
