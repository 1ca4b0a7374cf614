#version 450
// SPDX-License-Identifier: Apache-2.0
// Codes over texel buffers: lengths of variable width, differences with a sign, a move-to-front
// table, and checks of bytes, with texels of several formats in and out.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform utextureBuffer words_in;
layout(set = 0, binding = 1) uniform itextureBuffer jumps;
layout(set = 0, binding = 2) uniform textureBuffer levels;
layout(set = 0, binding = 3, r32ui) uniform uimageBuffer words_out;
layout(set = 0, binding = 4, rgba16f) uniform imageBuffer shares;

// Zigzag: small numbers of either sign become small numbers.
uint folded(int value) { return uint(value << 1) ^ uint(value >> 31); }

int unfolded(uint code) { return int(code >> 1) ^ -int(code & 1u); }

// How many groups of seven bits a number takes, and the groups with a bit that says whether one
// follows.
uint grouped(uint value, out uint groups) {
  uint code = 0u;
  groups = 0u;
  do {
    uint low = value & 127u;
    value >>= 7;
    if (value != 0u && groups < 3u) {
      low |= 128u;
    }
    code |= low << (8u * groups);
    ++groups;
  } while (value != 0u && groups < 4u);
  return code;
}

// The place of a symbol in the table, in which it then comes first.
int moved_to_front(inout uint table[8], uint symbol) {
  int at = 0;
  while (at < 7 && table[at] != symbol) {
    at++;
  }
  for (int i = at; i > 0; --i) {
    table[i] = table[i - 1];
  }
  table[0] = symbol;
  return at;
}

uint check_of(uint word, uint check) {
  for (int i = 0; i < 8; ++i) {
    bool odd = ((check ^ word) & 1u) != 0u;
    check >>= 1;
    word >>= 1;
    if (odd) {
      check ^= 0xedb88320u;
    }
  }
  return check;
}

uint sum_of_stretch(int from, int count) {
  uint sum = 0u;
  for (int i = 0; i < min(count, 16); ++i) {
    uvec4 texel = texelFetch(words_in, from + i);
    sum += texel.x ^ texel.y << 5;
    from += texelFetch(jumps, i & 7).x & 3;
  }
  return sum;
}

void main() {
  int at = int(gl_GlobalInvocationID.x);
  uint table[8] = uint[8](0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u);
  uint sum = sum_of_stretch(at & 31, 9), groups;
  int place = moved_to_front(table, sum & 7u);
  uint code = grouped(folded(unfolded(sum) - place), groups);
  uint check = check_of(code, ~sum);
  imageStore(words_out, at, uvec4(check + groups));
  uint before = imageAtomicXor(words_out, at & 3, code);
  vec4 level = texelFetch(levels, at & 15);
  imageStore(shares, at, level * float(before & 15u) + vec4(table[1], table[2], 0.0, 1.0));
}
