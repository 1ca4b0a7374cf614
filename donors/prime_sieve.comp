#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Number theory: a sieve in bits, divisors by Euclid and by halving, powers modulo a number, roots
// of integers, digits of fractions, continued fractions and partitions counted in a table.
precision highp int;
precision highp float;
layout(local_size_x = 32) in;

layout(std430, binding = 0) buffer Numbers { uint numbers[]; };

uint sieve_word(uint from) {
  const uint small[10] = uint[10](3u, 5u, 7u, 11u, 13u, 17u, 19u, 23u, 29u, 31u);
  uint base = from | 1u;
  uint composite = 0u;
  for (int n = 0; n < 10; ++n) {
    uint p = small[n];
    for (uint i = 0u, bit = 1u; i < 32u; ++i, bit <<= 1) {
      uint candidate = base + 2u * i;
      if (candidate == p || (composite & bit) != 0u) {
        continue;
      }
      uint rest = candidate;
      switch (n) {
        case 0:
          rest %= 3u;
          break;
        case 1:
          rest %= 5u;
          break;
        case 2:
          rest %= 7u;
          break;
        default:
          for (uint multiple = p * 64u; multiple >= p; multiple >>= 1) {
            if (rest >= multiple) {
              rest -= multiple;
            }
          }
      }
      if (rest == 0u) {
        composite |= bit;
      }
    }
  }
  return ~composite;
}

uint gcd_by_halving(uint a, uint b) {
  if (a == 0u || b == 0u) {
    return a | b;
  }
  uint twos = 1u;
  while (((a | b) & 1u) == 0u) {
    a >>= 1;
    b >>= 1;
    twos <<= 1;
  }
  while ((a & 1u) == 0u) {
    a >>= 1;
  }
  do {
    while ((b & 1u) == 0u) {
      b >>= 1;
    }
    if (a > b) {
      uint kept = a;
      a = b;
      b = kept;
    }
    b -= a;
  } while (b != 0u);
  return a * twos;
}

int gcd_by_euclid(int a, int b, out ivec2 factors) {
  ivec4 rows = ivec4(1, 0, 0, 1);
  while (b != 0) {
    int quotient = a / b;
    ivec2 next = rows.xy - quotient * rows.zw;
    rows = ivec4(rows.zw, next);
    int rest = a - quotient * b;
    a = b;
    b = rest;
  }
  factors = a < 0 ? -rows.xy : rows.xy;
  return abs(a);
}

uint power_modulo_mersenne(uint base, uint power) {
  const uint kPrime = 8191u;
  uint result = 1u;
  uint square = base % kPrime;
  while (power > 0u) {
    if ((power & 1u) == 1u) {
      result *= square;
      result = (result & kPrime) + (result >> 13);
      result = result >= kPrime ? result - kPrime : result;
    }
    square *= square;
    square = (square & kPrime) + (square >> 13);
    if (square >= kPrime) {
      square -= kPrime;
    }
    power >>= 1;
  }
  return result;
}

uint cube_root(uint x) {
  uint y = 0u;
  uint rest = x;
  for (int shift = 30; shift >= 0; shift -= 3) {
    y += y;
    uint b = 3u * y * (y + 1u) + 1u;
    uint top = rest;
    for (int i = 0; i < shift; i += 3) {
      top >>= 3;
    }
    if (top >= b) {
      for (int i = 0; i < shift; i += 3) {
        b <<= 3;
      }
      rest -= b;
      ++y;
    }
  }
  return y;
}

ivec4 continued_fraction(int p, int q) {
  ivec4 digits = ivec4(-1);
  int i = 0;
  for (; i < 4; ++i) {
    int digit = 0;
    while (p >= q && digit < 40) {
      p -= q;
      ++digit;
    }
    digits[i] = digit;
    if (p <= 0) {
      break;
    }
    int kept = p;
    p = q;
    q = kept;
  }
  return digits;
}

int partitions(int n, int largest) {
  int ways[25];
  for (int i = 1; i < 25; ++i) {
    ways[i] = 0;
  }
  ways[0] = 1;
  for (int part = 1; part <= largest; ++part) {
    if (part > n) {
      break;
    }
    for (int sum = part; sum < 25; ++sum) {
      ways[sum] += ways[sum - part];
    }
  }
  return n < 0 || n > 24 ? -1 : ways[n];
}

bool is_perfect(int n) {
  if (n < 2) {
    return false;
  }
  int sum = 1;
  int d = 2;
  for (; d * d < n; ++d) {
    if (n % d != 0) {
      continue;
    }
    sum += d + n / d;
    if (sum > n) {
      return false;
    }
  }
  return sum + (d * d == n ? d : 0) == n;
}

void main() {
  uint at = gl_GlobalInvocationID.x;
  uint n = numbers[at];
  ivec2 factors;
  int divisor = gcd_by_euclid(int(n & 0xffffu), int(at) + 6, factors);
  uint result = sieve_word(n & 1023u) ^ gcd_by_halving(n & 4095u, at + 12u) ^ uint(divisor);
  result += power_modulo_mersenne(n, at) * cube_root(n);
  ivec4 digits = continued_fraction(int(n & 255u), 41) + factors.xyxy;
  result ^= uint(digits.x + digits.y * 8 + digits.z * 64 + digits.w * 512);
  result += uint(partitions(int(at) % 25, divisor)) << (is_perfect(divisor) ? 8 : 1);
  numbers[at] = result;
}
