#version 450
// SPDX-License-Identifier: Apache-2.0
// Masks and numbers of 64 bits: boards of a chess game, products of 128 bits, divisions by repeated
// subtraction, carry chains, and constants of all widths that are chosen when a pipeline is made.
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 16) in;
layout(constant_id = 0) const uint64_t kRim = 0xff818181818181fful;
layout(constant_id = 1) const int64_t kLeast = -5l;
layout(constant_id = 2) const bool kWraps = true;
layout(constant_id = 3) const uint kSteps = 5u;
layout(std430, set = 0, binding = 0) buffer Words { u64vec2 words[64]; };

// Squares that a rider reaches from a square before it meets a piece.
uint64_t ride(uint64_t from, uint64_t pieces, uint by, uint64_t stop) {
  uint64_t reached = 0ul;
  uint64_t at = from;
  for (int i = 0; i < 7; ++i) {
    if ((at & stop) != 0ul) {
      break;
    }
    at <<= by & 15u;
    reached |= at;
    if ((at & pieces) != 0ul) {
      break;
    }
  }
  return reached;
}

// The upper half of a product.
uint64_t upper_product(uint64_t a, uint64_t b) {
  uint64_t al = a & 0xfffffffful, ah = a >> 32, bl = b & 0xfffffffful, bh = b >> 32;
  uint64_t low = al * bl, cross = ah * bl + (low >> 32);
  uint64_t other = al * bh + (cross & 0xfffffffful);
  return ah * bh + (cross >> 32) + (other >> 32);
}

// A quotient of 32 bits, bit by bit.
uint divided(uint64_t top, uint bottom) {
  uint64_t divisor = uint64_t(bottom | 1u) << 31;
  uint quotient = 0u;
  for (int i = 0; i < 32; ++i) {
    quotient <<= 1;
    if (top >= divisor) {
      top -= divisor;
      quotient |= 1u;
    }
    divisor >>= 1;
  }
  return quotient;
}

int64_t stepped(int64_t value, uint steps) {
  while (steps-- > 0u && value > kLeast) {
    value = (value & 1l) == 0l ? value >> 1 : kWraps ? value * 3l + 1l : value - 1l;
  }
  return value;
}

u64vec2 carried(u64vec2 a, u64vec2 b) {
  u64vec2 sum = a + b;
  sum.y += uint64_t(sum.x < a.x);
  return sum;
}

uint lowest_bit(uint64_t mask) {
  uvec2 halves = unpackUint2x32(mask);
  return halves.x != 0u ? uint(findLSB(halves.x)) : 32u + uint(findLSB(halves.y | 0x80000000u));
}

// A shift of 64 bits in two words of 32 bits.
uvec2 shifted_words(uvec2 words_of, uint by) {
  by &= 63u;
  if (by >= 32u) {
    words_of = uvec2(0u, words_of.x);
    by -= 32u;
  }
  if (by == 0u) {
    return words_of;
  }
  return uvec2(words_of.x << by, words_of.y << by | words_of.x >> (32u - by));
}

void main() {
  uint at = gl_LocalInvocationID.x;
  u64vec2 own = words[at], other = words[at + 16u];
  u64vec2 sum = carried(own, other);
  uint64_t squares = ride(own.x & (~own.x + 1ul), other.y, 9u, kRim);
  sum.x ^= upper_product(own.y, other.x) + squares;
  sum.y += uint64_t(stepped(int64_t(own.x >> 40), kSteps));
  sum.x += packUint2x32(shifted_words(unpackUint2x32(sum.y), at * 3u));
  words[at + 32u] = sum;
  words[at + 48u] = u64vec2(divided(sum.y, uint(sum.x)), lowest_bit(squares));
}
