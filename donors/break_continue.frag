#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Loops that are left early and go round early: a Collatz walk, a sieve, a search that leaves two
// loops, and one that ends in the middle.
precision highp float;
precision highp int;
layout(location = 0) flat in int start;
layout(location = 0) out vec4 color;

int collatz(int start) {
  int steps = 0;
  int n = start & 1023;
  for (;;) {
    if (n <= 1 || steps > 40) {
      break;
    }
    ++steps;
    if ((n & 1) == 0) {
      n >>= 1;
      continue;
    }
    n = 3 * n + 1;
  }
  return steps;
}

int count_primes(int limit) {
  bool composite[32];
  for (int i = 0; i < 32; ++i) {
    composite[i] = i < 2;
  }
  int count = 0;
  for (int i = 2; i < 32; ++i) {
    if (composite[i]) {
      continue;
    }
    if (i > limit) {
      break;
    }
    ++count;
    for (int j = i + i; j < 32; j += i) {
      composite[j] = true;
    }
  }
  return count;
}

int find_sum(int wanted) {
  int found = -1;
  for (int a = 0; a < 12 && found < 0; ++a) {
    for (int b = a; b < 12; ++b) {
      if (a * a + b == wanted) {
        found = a * 16 + b;
        break;
      }
    }
  }
  return found;
}

int ladder(int top) {
  int rung = 0;
  do {
    if (rung == 5) {
      rung += 2;
      continue;
    }
    ++rung;
  } while (rung < top && rung < 30);
  return rung;
}

void main() {
  int at = start;
  int mixed = collatz(at + 20) + count_primes(at * 4) + find_sum(at * 3) + ladder(at);
  color = vec4(float(mixed & 255) * (1.0 / 255.0));
}
