#version 450
// SPDX-License-Identifier: Apache-2.0
// Long straight code: a cipher of our own with additions, rotations and exclusive ors, twelve
// rounds written out; a substitution by logic as a circuit of gates; a diffusion over bytes in a
// field of 256 elements; and the inverse of the first with a loop.
layout(local_size_x = 64) in;

layout(push_constant) uniform Key { uvec4 key; } pushed;
layout(std430, set = 0, binding = 0) buffer Blocks { uvec4 blocks[]; };

#define TURN(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define STEP(a, b, c, d, r, s, k) \
  a += b ^ (k);                   \
  d = TURN(d ^ a, r);             \
  c += d + (k);                   \
  b = TURN(b ^ c, s);

uvec4 encrypt(uvec4 text, uvec4 key) {
  uint a = text.x ^ key.x;
  uint b = text.y ^ key.y;
  uint c = text.z ^ key.z;
  uint d = text.w ^ key.w;
  uint k0 = key.x * 0x9e3779b9u + key.y;
  uint k1 = key.y * 0x7f4a7c15u + key.z;
  uint k2 = key.z * 0xf39cc061u + key.w;
  uint k3 = key.w * 0x5cedc835u + key.x;
  STEP(a, b, c, d, 17, 11, k0)
  STEP(b, c, d, a, 9, 23, k1)
  STEP(c, d, a, b, 5, 13, k2)
  STEP(d, a, b, c, 26, 7, k3)
  k0 ^= TURN(k1, 3);
  k1 ^= TURN(k2, 5);
  k2 ^= TURN(k3, 7);
  k3 ^= TURN(k0, 11);
  STEP(a, c, b, d, 19, 3, k0)
  STEP(c, b, d, a, 10, 29, k1)
  STEP(b, d, a, c, 15, 6, k2)
  STEP(d, a, c, b, 21, 14, k3)
  k0 += k2 ^ 0x0f0f0f0fu;
  k1 += k3 ^ 0x33cc33ccu;
  STEP(a, d, c, b, 8, 25, k0)
  STEP(d, c, b, a, 31, 1, k1)
  STEP(c, b, a, d, 12, 20, k0 ^ k1)
  STEP(b, a, d, c, 27, 4, k0 + k1)
  return uvec4(a + k3, b + k2, c + k1, d + k0);
}

// Four bits in, four out, for 32 places at once.
uvec4 substitute(uvec4 v) {
  uint t0 = v.x ^ v.w;
  uint t1 = v.y & t0;
  uint t2 = v.z ^ t1;
  uint t3 = v.y ^ (v.x & v.z);
  uint t4 = ~t2;
  uint t5 = t0 | t3;
  uint t6 = t4 ^ t5;
  uint t7 = t3 & (t6 | v.w);
  uint t8 = t0 ^ t7;
  uint t9 = t2 & t8;
  uint t10 = t6 ^ t9;
  uint t11 = ~(t3 ^ t10);
  uint t12 = t8 & t11;
  uint t13 = t5 ^ t12;
  uint t14 = t1 | t13;
  uint t15 = t11 ^ (t14 & t4);
  return uvec4(t8 ^ t2, t10, t13 ^ t6, t15);
}

// Four bytes at once, each times x modulo x^8 + x^4 + x^3 + x + 1.
uint times_x(uint bytes) {
  uint high = bytes & 0x80808080u;
  uint twice = (bytes ^ high) << 1;
  return twice ^ (high >> 7) * 0x1bu;
}

uvec4 diffuse(uvec4 v) {
  uvec4 w = v ^ v.yzwx;
  uvec4 high = w & 0x80808080u;
  uvec4 twice = ((w ^ high) << uvec4(1u)) ^ (high >> uvec4(7u)) * 0x1bu;
  uint all = v.x ^ v.y ^ v.z ^ v.w;
  uvec4 mixed = v ^ twice ^ uvec4(all);
  mixed.y = mixed.y << 8 | mixed.y >> 24;
  mixed.z = mixed.z << 16 | mixed.z >> 16;
  mixed.w = mixed.w << 24 | mixed.w >> 8;
  return mixed;
}

uvec2 feistel(uvec2 halves, uvec4 key, int rounds, bool backwards) {
  uint left = halves.x;
  uint right = halves.y;
  for (int i = 0; i < rounds; ++i) {
    int round = backwards ? rounds - 1 - i : i;
    uint sum = uint(round + 1) * 0x61c88647u;
    if (backwards) {
      uint mixed = ((left << 4) + key[round & 3]) ^ (left + sum) ^ ((left >> 5) + key.w);
      uint kept = right ^ mixed;
      right = left;
      left = kept;
    } else {
      uint mixed = ((right << 4) + key[round & 3]) ^ (right + sum) ^ ((right >> 5) + key.w);
      uint kept = left ^ mixed;
      left = right;
      right = kept;
    }
  }
  return uvec2(left, right);
}

uint digest(uvec4 words) {
  uint h0 = 0x6b2f90d1u, h1 = 0xd41c37e5u, h2 = 0x09a87b43u;
  h0 += words.x;
  h1 ^= h0 >> 3;
  h2 += TURN(h1, 9) * 5u;
  h0 ^= h2 + words.y;
  h1 += TURN(h0, 15) * 9u;
  h2 ^= h1 << 7;
  h0 += TURN(h2, 22) - words.z;
  h1 ^= (h0 & h2) | (~h0 & words.w);
  h2 += (h0 & h1) ^ (h0 & h2) ^ (h1 & h2);
  h0 ^= TURN(h1, 6) ^ TURN(h1, 11) ^ TURN(h1, 25);
  h1 += TURN(h2, 2) ^ TURN(h2, 13) ^ h2 >> 10;
  h2 ^= h0 * 0xa2d3914bu;
  h0 ^= h0 >> 13;
  h1 *= 0x94f7c06du;
  h1 ^= h1 >> 16;
  return h0 ^ h1 ^ h2;
}

void main() {
  uint n = gl_GlobalInvocationID.x;
  uvec4 text = blocks[n];
  uvec4 cipher = encrypt(text, pushed.key);
  cipher = diffuse(substitute(cipher));
  uvec2 halves = feistel(cipher.xy, pushed.key, 8, false);
  uvec2 back = feistel(halves, pushed.key, 8, true);
  cipher.z ^= times_x(halves.x) ^ back.y;
  cipher.w ^= digest(cipher);
  blocks[n] = cipher;
}
