#version 450
// SPDX-License-Identifier: Apache-2.0
// Vectors of bytes: saturated and averaged sums, products that keep the upper half, sorted and
// searched bytes, text in bytes, and numbers of 16 and 64 bits that are made of them.
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 16) in;
layout(std430, set = 0, binding = 0) buffer Text { u8vec4 text[64]; };
layout(std430, set = 0, binding = 1) buffer Signed { i8vec4 levels[64]; };

u8vec4 heaped(u8vec4 a, u8vec4 b) {
  u8vec4 sum = a + b;
  for (int i = 0; i < 4; ++i) {
    if (sum[i] < b[i]) {
      sum[i] = uint8_t(255);
    }
  }
  return sum;
}

i8vec4 upper_halves(i8vec4 a, i8vec4 b) {
  i16vec4 product = i16vec4(a) * i16vec4(b);
  return i8vec4(product >> i16vec4(8));
}

// Sorts four bytes by a network of five comparisons.
u8vec4 sorted(u8vec4 v) {
  v = u8vec4(min(v.xz, v.yw), max(v.xz, v.yw)).xzyw;
  v = u8vec4(min(v.x, v.z), min(v.y, v.w), max(v.x, v.z), max(v.y, v.w));
  uint8_t middle = min(v.y, v.z);
  v.z = max(v.y, v.z);
  v.y = middle;
  return v;
}

uint8_t lower_case(uint8_t letter) {
  bool is_upper = letter >= uint8_t(65) && letter <= uint8_t(90);
  return is_upper ? letter | uint8_t(32) : letter;
}

// The value of a digit in a base of at most 16; -1 for other letters.
int8_t digit_of(uint8_t letter, uint8_t base) {
  letter = lower_case(letter);
  int8_t digit = int8_t(-1);
  if (letter >= uint8_t(48) && letter < uint8_t(58)) {
    digit = int8_t(letter - uint8_t(48));
  } else if (letter >= uint8_t(97) && letter < uint8_t(103)) {
    digit = int8_t(letter - uint8_t(87));
  }
  return uint8_t(digit) < base ? digit : int8_t(-1);
}

uint16_t number_in(u8vec4 letters, uint8_t base) {
  uint16_t value = uint16_t(0);
  for (int i = 0; i < 4; ++i) {
    int8_t digit = digit_of(letters[i], base);
    if (digit < int8_t(0)) {
      break;
    }
    value = value * uint16_t(base) + uint16_t(digit);
  }
  return value;
}

uint64_t spread(u8vec4 bytes, uint by) {
  uint64_t wide = 0ul;
  for (int i = 3; i >= 0; --i) {
    wide = wide << (8u + (by & 7u)) | uint64_t(bytes[i]);
  }
  return wide ^ wide >> 33;
}

// Averages of four pairs of bytes at once, in words; odd sums are rounded as a mask says.
uint packed_average(uint a, uint b, uint up) {
  uint both = a & b, different = a ^ b;
  uint half_of = (different >> 1) & 0x7f7f7f7fu;
  uint rest = different & 0x01010101u & up;
  for (int i = 0; i < 4; ++i) {
    uint one = rest & (1u << (8 * i));
    if (one != 0u && ((both + half_of) >> (8 * i) & 255u) != 255u) {
      half_of += one;
    }
  }
  return both + half_of;
}

void main() {
  uint at = gl_LocalInvocationID.x;
  u8vec4 letters = text[at], others = text[at + 16u];
  i8vec4 turned = upper_halves(levels[at], levels[at + 16u]);
  uint16_t number = number_in(letters, uint8_t(16));
  number ^= uint16_t(packed_average(at * 0x9e3779b1u, at << 9, 0x00010001u));
  uint64_t wide = spread(sorted(heaped(letters, others)), uint(number));
  u8vec4 mixed = u8vec4(uint8_t(wide), uint8_t(wide >> 8), uint8_t(number), letters.x);
  text[at + 32u] = heaped(letters, mixed);
  levels[at + 32u] = turned - i8vec4(int8_t(number));
}
