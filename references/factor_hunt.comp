#version 450
// SPDX-License-Identifier: Apache-2.0
// Takes numbers of about 40 bits apart, one for each invocation. Small primes are tried first; what
// is left is tested for primality by strong pseudoprime tests to a few bases, and if it is
// composite, a factor is hunted by walks of Brent's kind, whose differences are multiplied up and
// looked at by a binary greatest common divisor from time to time. Beside the factor goes a score:
// the expansion of the quotient of both as a continued fraction of the nearest integers, which is
// all signed. Workgroups count what they found in shared memory.
//
// Exact: integers of 64, 32 and 16 bits. Products are of 41-bit and 21-bit numbers, nothing is
// divided by zero, and the one signed division is of numbers far from the limits.
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require

layout(local_size_x = 64) in;

struct Found {
  uint64_t number;
  uint64_t factor;
  int64_t score;
  uint kind;   // 0: a small prime divides it, 1: prime, 2: taken apart, 3: not taken apart
  uint steps;  // and the last quotient, in the upper half
};

layout(set = 0, binding = 0, std140) uniform Task {
  uvec4 small[3];    // 7 11 13 17 19 23 29 31 37 41 43 47
  uvec4 bases;       // 2 3 5 7
  uvec2 seed;        // low and high half
  uint walk_length;  // 96
  uint batch;        // 12: steps between two divisors
  uint one;          // 1
  int tail;          // 9: quotients of a continued fraction at most
};
layout(set = 0, binding = 1, std430) writeonly buffer Finds { Found finds[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Tally { uvec4 tally[]; };

shared uint counts[4];

uint64_t Scramble(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9UL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebUL;
  return x ^ (x >> 31);
}

// A number nearby that neither 2 nor 3 nor 5 divides.
uint64_t Coprime(uint64_t x) { return x - x % 30UL + 7UL; }

// a * b modulo n, all below 2^41: b in two halves.
uint64_t MulMod(uint64_t a, uint64_t b, uint64_t n) {
  uint64_t high = a * (b >> 20) % n;
  return ((high << 20) + a * (b & 0xfffffUL)) % n;
}

uint64_t PowMod(uint64_t base, uint64_t exponent, uint64_t n) {
  uint64_t power = uint64_t(one);
  for (; exponent != 0UL; exponent >>= 1) {
    if ((exponent & 1UL) != 0UL) power = MulMod(power, base, n);
    base = MulMod(base, base, n);
  }
  return power;
}

int TrailingZeros(uint64_t x) {
  uvec2 halves = unpackUint2x32(x);
  return halves.x != 0u ? findLSB(halves.x) : 32 + findLSB(halves.y | 0x80000000u);
}

bool IsProbablePrime(uint64_t n) {
  int twos = TrailingZeros(n - 1UL);
  uint64_t odd = (n - 1UL) >> twos;
  for (uint i = 0u; i < 4u; i += one) {
    uint64_t x = PowMod(uint64_t(bases[i]), odd, n);
    if (x == 1UL || x == n - 1UL) continue;
    bool passes = false;
    for (int16_t round = int16_t(1); round < int16_t(twos) && !passes; ++round) {
      x = MulMod(x, x, n);
      passes = x == n - 1UL;
    }
    if (!passes) return false;
  }
  return true;
}

// Both odd or zero; by subtraction and shifts.
uint64_t Divisor(uint64_t a, uint64_t n) {
  uint64_t b = n;
  while (a != 0UL) {
    a >>= TrailingZeros(a);
    if (a < b) {
      uint64_t other = a;
      a = b;
      b = other;
    }
    a -= b;
  }
  return b;
}

// A factor, or 1; `steps` counts what was walked. The tortoise jumps to the hare at powers of two.
uint64_t Walk(uint64_t n, uint64_t offset, inout uint steps) {
  uint64_t hare = 2UL, tortoise = 2UL, product = 1UL;
  uint lap = one;
  for (uint i = 1u; i <= walk_length; ++i) {
    hare = (MulMod(hare, hare, n) + offset) % n;
    uint64_t apart = hare > tortoise ? hare - tortoise : tortoise - hare;
    if (apart != 0UL) product = MulMod(product, apart, n);
    if (i == lap) {
      tortoise = hare;
      lap <<= 1;
    }
    ++steps;
    if (i % batch == 0u) {
      uint64_t divisor = product == 0UL ? n : Divisor(product, n);
      if (divisor == n) return 1UL;
      if (divisor != 1UL) return divisor;
    }
  }
  return 1UL;
}

// The nearest integers of a continued fraction, weighed by their place.
int64_t Expand(int64_t above, int64_t below, out int16_t last) {
  int64_t score = 0L;
  last = int16_t(0);
  for (int place = 0; place < tail && below != 0L; ++place) {
    int64_t quotient = above / below;
    int64_t rest = above - quotient * below;
    int64_t towards = (rest < 0L) == (below < 0L) ? 1L : -1L;
    if (abs(rest) > abs(below) >> 1) {
      quotient += towards;
      rest -= towards * below;
    }
    score = score * 3L - (quotient << (place & 3));
    last = int16_t(quotient & 0x7fffL);
    above = -below;
    below = rest;
  }
  return score;
}

void main() {
  uint me = gl_GlobalInvocationID.x;
  if (gl_LocalInvocationIndex < 4u) counts[gl_LocalInvocationIndex] = 0u;
  barrier();

  uint64_t n = Scramble(packUint2x32(seed) + uint64_t(me) * 0x9e3779b97f4a7c15UL);
  n = Coprime(n >> 24 | 0x8000000000UL);
  // Three in four are products, so that there is something to find.
  if ((me & 3u) != 0u) n = Coprime(n & 0xfffffUL) * Coprime(n >> 20);

  Found found = Found(n, 1UL, 0L, 3u, 0u);
  for (uint i = 0u; i < 12u && found.kind == 3u; ++i) {
    uint prime = small[i >> 2][i & 3u];
    if (n % uint64_t(prime) == 0UL) {
      found.kind = 0u;
      found.factor = uint64_t(prime);
    }
  }
  if (found.kind == 3u && IsProbablePrime(n)) {
    found.kind = 1u;
    found.factor = n;
  }
  for (uint walk = 1u; found.kind == 3u && walk <= 3u; ++walk) {
    found.factor = Walk(n, uint64_t(walk), found.steps);
    if (found.factor != 1UL) found.kind = 2u;
  }

  int64_t below = found.factor == n || found.factor == 1UL ? 1048576L : -int64_t(found.factor);
  int16_t last;
  found.score = Expand(int64_t(n) - int64_t(me) * 3L, below, last);
  found.steps |= uint(last) << 16;
  finds[me] = found;
  atomicAdd(counts[found.kind], 1u);
  barrier();
  if (gl_LocalInvocationIndex == 0u) {
    tally[gl_WorkGroupID.x] = uvec4(counts[0], counts[1], counts[2], counts[3]);
  }
}
