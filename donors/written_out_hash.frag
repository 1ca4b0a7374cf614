#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Straight code: a compression function of sixteen steps written out line by line, a sorting
// network for eight, a transform of eight values by butterflies, a carry-save adder tree and a
// determinant.
precision highp float;
precision highp int;
layout(location = 0) flat in uvec4 words;
layout(location = 0) out vec4 color;

uint compress(uvec4 low, uvec4 high) {
  uint a = 0xf17fd374u, b = 0x3fc1ea36u, c = 0xa6233255u, d = 0x0d464138u;
  uint t;
  t = a + ((b & c) ^ (~b & d)) + low.x + 0x9f767c45u;
  a = d; d = c; c = b; b += t << 7 | t >> 25;
  t = a + ((b & c) ^ (~b & d)) + low.y + 0x4164d839u;
  a = d; d = c; c = b; b += t << 12 | t >> 20;
  t = a + ((b & c) ^ (~b & d)) + low.z + 0xbde5c099u;
  a = d; d = c; c = b; b += t << 17 | t >> 15;
  t = a + ((b & c) ^ (~b & d)) + low.w + 0x5bc8fbbcu;
  a = d; d = c; c = b; b += t << 22 | t >> 10;
  t = a + (b ^ c ^ d) + high.x + 0xcb91ce37u;
  a = d; d = c; c = b; b += t << 5 | t >> 27;
  t = a + (b ^ c ^ d) + high.y + 0xb0c11fdeu;
  a = d; d = c; c = b; b += t << 9 | t >> 23;
  t = a + (b ^ c ^ d) + high.z + 0xf1446beau;
  a = d; d = c; c = b; b += t << 14 | t >> 18;
  t = a + (b ^ c ^ d) + high.w + 0xd76d4330u;
  a = d; d = c; c = b; b += t << 20 | t >> 12;
  low ^= high.yzwx;
  high += low.wxyz;
  t = a + ((b & c) | (b & d) | (c & d)) + low.w + 0xbd69fe29u;
  a = d; d = c; c = b; b += t << 4 | t >> 28;
  t = a + ((b & c) | (b & d) | (c & d)) + low.z + 0xa6eb8c9eu;
  a = d; d = c; c = b; b += t << 11 | t >> 21;
  t = a + ((b & c) | (b & d) | (c & d)) + low.y + 0xec1d7da0u;
  a = d; d = c; c = b; b += t << 16 | t >> 16;
  t = a + ((b & c) | (b & d) | (c & d)) + low.x + 0x87b0b125u;
  a = d; d = c; c = b; b += t << 23 | t >> 9;
  t = a + (c ^ (b | ~d)) + high.w + 0x076ce2efu;
  a = d; d = c; c = b; b += t << 6 | t >> 26;
  t = a + (c ^ (b | ~d)) + high.z + 0xd7210dffu;
  a = d; d = c; c = b; b += t << 10 | t >> 22;
  t = a + (c ^ (b | ~d)) + high.y + 0x77330bdbu;
  a = d; d = c; c = b; b += t << 15 | t >> 17;
  t = a + (c ^ (b | ~d)) + high.x + 0xc6a53877u;
  a = d; d = c; c = b; b += t << 21 | t >> 11;
  return (a ^ c) + (b ^ d);
}

#define ORDER(a, b)      \
  {                      \
    int low = min(a, b); \
    b = max(a, b);       \
    a = low;             \
  }

ivec2 middle_of_eight(ivec4 a, ivec4 b) {
  int v0 = a.x, v1 = a.y, v2 = a.z, v3 = a.w, v4 = b.x, v5 = b.y, v6 = b.z, v7 = b.w;
  ORDER(v0, v1) ORDER(v2, v3) ORDER(v4, v5) ORDER(v6, v7)
  ORDER(v0, v2) ORDER(v1, v3) ORDER(v4, v6) ORDER(v5, v7)
  ORDER(v1, v2) ORDER(v5, v6)
  ORDER(v0, v4) ORDER(v1, v5) ORDER(v2, v6) ORDER(v3, v7)
  ORDER(v2, v4) ORDER(v3, v5)
  ORDER(v1, v2) ORDER(v3, v4) ORDER(v5, v6)
  return ivec2(v3, v4);
}

// Walsh and Hadamard's transform, then its largest part.
int strongest_wave(ivec4 a, ivec4 b) {
  int s0 = a.x + b.x, s1 = a.y + b.y, s2 = a.z + b.z, s3 = a.w + b.w;
  int d0 = a.x - b.x, d1 = a.y - b.y, d2 = a.z - b.z, d3 = a.w - b.w;
  int ss0 = s0 + s2, ss1 = s1 + s3, sd0 = s0 - s2, sd1 = s1 - s3;
  int ds0 = d0 + d2, ds1 = d1 + d3, dd0 = d0 - d2, dd1 = d1 - d3;
  int w0 = ss0 + ss1, w1 = ss0 - ss1, w2 = sd0 + sd1, w3 = sd0 - sd1;
  int w4 = ds0 + ds1, w5 = ds0 - ds1, w6 = dd0 + dd1, w7 = dd0 - dd1;
  int best = abs(w0);
  int which = 0;
  if (abs(w1) > best) { best = abs(w1); which = 1; }
  if (abs(w2) > best) { best = abs(w2); which = 2; }
  if (abs(w3) > best) { best = abs(w3); which = 3; }
  if (abs(w4) > best) { best = abs(w4); which = 4; }
  if (abs(w5) > best) { best = abs(w5); which = 5; }
  if (abs(w6) > best) { best = abs(w6); which = 6; }
  if (abs(w7) > best) { best = abs(w7); which = 7; }
  return best * 8 + which;
}

uvec3 count_planes(uvec4 a, uvec3 b) {
  uint t = a.x ^ a.y;
  uint one = t ^ a.z;
  uint two = (a.x & a.y) | (t & a.z);
  uint u = a.w ^ b.x;
  uint one_more = u ^ b.y;
  uint two_more = (a.w & b.x) | (u & b.y);
  uint v = one ^ one_more;
  uint ones = v ^ b.z;
  uint two_last = (one & one_more) | (v & b.z);
  uint w = two ^ two_more;
  return uvec3(ones, w ^ two_last, (two & two_more) | (w & two_last));
}

int determinant_of_four(ivec4 a, ivec4 b, ivec4 c, ivec4 d) {
  int ab01 = a.x * b.y - a.y * b.x;
  int ab02 = a.x * b.z - a.z * b.x;
  int ab03 = a.x * b.w - a.w * b.x;
  int ab12 = a.y * b.z - a.z * b.y;
  int ab13 = a.y * b.w - a.w * b.y;
  int ab23 = a.z * b.w - a.w * b.z;
  int cd01 = c.x * d.y - c.y * d.x;
  int cd02 = c.x * d.z - c.z * d.x;
  int cd03 = c.x * d.w - c.w * d.x;
  int cd12 = c.y * d.z - c.z * d.y;
  int cd13 = c.y * d.w - c.w * d.y;
  int cd23 = c.z * d.w - c.w * d.z;
  return ab01 * cd23 - ab02 * cd13 + ab03 * cd12 + ab12 * cd03 - ab13 * cd02 + ab23 * cd01;
}

void main() {
  uvec4 other = words.wzyx * 0x9e3779b1u;
  ivec4 small = ivec4(words & 255u);
  ivec4 more = ivec4(other & 255u);
  uvec3 planes = count_planes(words, other.xyz);
  ivec2 middle = middle_of_eight(small, more);
  int wave = strongest_wave(small, more);
  int volume = determinant_of_four(small, more, small.yzwx, more.wxyz);
  uint mixed = compress(words, other) ^ planes.x ^ uint(middle.x * wave + volume);
  color = vec4(uvec4(mixed, mixed >> 8, mixed >> 16, planes.z) & 255u) * (1.0 / 255.0);
}
