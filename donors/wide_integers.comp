#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// SPDX-License-Identifier: Apache-2.0
// Integers of 64 bits: products modulo a prime, powers, a greatest shared_factor divisor, division
// of long numbers, a hash and a random generator; the same from words of 32 bits.
layout(local_size_x = 16) in;

layout(std430, set = 0, binding = 0) buffer Numbers {
  uint64_t wide[64];
  i64vec2 pairs[16];
  uvec4 narrow[];
};

// The low 64 bits of a * b from four products of halves.
uvec2 multiply_words(uvec2 a, uvec2 b) {
  uvec4 x = uvec4(a.x & 0xffffu, a.x >> 16, a.y & 0xffffu, a.y >> 16);
  uvec4 y = uvec4(b.x & 0xffffu, b.x >> 16, b.y & 0xffffu, b.y >> 16);
  uint digits[4];
  uint carry = 0u;
  for (int place = 0; place < 4; ++place) {
    uint low = carry & 0xffffu;
    uint high = carry >> 16;
    for (int i = 0; i <= place; ++i) {
      uint product = x[i] * y[place - i];
      low += product & 0xffffu;
      high += product >> 16;
    }
    digits[place] = low & 0xffffu;
    carry = high + (low >> 16);
  }
  return uvec2(digits[0] | digits[1] << 16, digits[2] | digits[3] << 16);
}

bool add_words(inout uvec4 a, uvec4 b) {
  uint carry = 0u;
  for (int i = 0; i < 4; ++i) {
    uint sum = a[i] + b[i];
    uint over = uint(sum < b[i]);
    a[i] = sum + carry;
    if (carry != 0u && a[i] == 0u) {
      over = 1u;
    }
    carry = over;
  }
  return carry != 0u;
}

// Long division by a digit of 16 bits that is odd: the quotient in place, the rest given back.
uint divide_by_ten(inout uvec4 number) {
  uint rest = 0u;
  for (int i = 3; i >= 0; --i) {
    uint high = rest << 16 | number[i] >> 16;
    uint quotient = high / 10u;
    rest = high - quotient * 10u;
    uint low = rest << 16 | (number[i] & 0xffffu);
    number[i] = quotient << 16 | low / 10u;
    rest = low % 10u;
  }
  return rest;
}

int compare_words(uvec4 a, uvec4 b, bool with_sign) {
  if (with_sign && ((a.w ^ b.w) & 0x80000000u) != 0u) {
    return int(a.w) < int(b.w) ? -1 : 1;
  }
  int i = 4;
  do {
    --i;
    if (a[i] < b[i]) {
      return -1;
    }
    if (a[i] > b[i]) {
      return 1;
    }
  } while (i > 0);
  return 0;
}

uint64_t multiply_modulo(uint64_t a, uint64_t b, uint64_t m) {
  uint64_t sum = 0ul;
  a %= m;
  while (b != 0ul) {
    if ((b & 1ul) != 0ul) {
      sum = sum >= m - a ? sum - (m - a) : sum + a;
    }
    a = a >= m - a ? a - (m - a) : a + a;
    b >>= 1;
  }
  return sum;
}

uint64_t power_modulo(uint64_t base, uint power, uint64_t m) {
  uint64_t result = 1ul;
  for (; power != 0u; power >>= 1) {
    if ((power & 1u) != 0u) {
      result = multiply_modulo(result, base, m);
    }
    base = multiply_modulo(base, base, m);
  }
  return result;
}

int64_t divisor(int64_t a, int64_t b, out i64vec2 factors) {
  i64vec2 row = i64vec2(1l, 0l);
  i64vec2 next = i64vec2(0l, 1l);
  for (int i = 0; i < 90 && b != 0l; ++i) {
    int64_t quotient = a / b;
    int64_t rest = a - quotient * b;
    a = b;
    b = rest;
    i64vec2 kept = row - quotient * next;
    row = next;
    next = kept;
  }
  factors = row;
  return a < 0l ? -a : a;
}

uint64_t mix64(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ul;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebul;
  return x ^ x >> 31;
}

int leading_zeros(uint64_t x) {
  int count = 0;
  const int steps[6] = int[6](32, 16, 8, 4, 2, 1);
  for (int i = 0; i < 6; ++i) {
    if (x >> (64 - steps[i]) == 0ul) {
      count += steps[i];
      x <<= steps[i];
    }
  }
  return x == 0ul ? 64 : count;
}

void main() {
  uint n = gl_GlobalInvocationID.x;
  uint64_t seed = mix64(wide[n & 63u] + uint64_t(n) * 0x9e3779b97f4a7c15ul);
  uint64_t power = power_modulo(seed, 65537u, 0x1fffffffffffffffUL);
  i64vec2 factors;
  int64_t shared_factor = divisor(int64_t(seed >> 2), int64_t(power | 1ul), factors);
  uvec2 words = multiply_words(unpackUint2x32(seed), unpackUint2x32(power));
  uvec4 number = uvec4(words, unpackUint2x32(uint64_t(shared_factor)));
  uvec4 other = narrow[n];
  bool carried = add_words(number, other);
  uint digit = divide_by_ten(number);
  int order = compare_words(number, other, carried);
  wide[n & 63u] = packUint2x32(number.xy) ^ uint64_t(leading_zeros(power));
  pairs[n & 15u] = factors + int64_t(order);
  narrow[n] = number + digit;
}
