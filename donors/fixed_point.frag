#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Fixed-point arithmetic with 12 bits behind the point: multiplication, square roots bit by bit, a
// sine by its polynomial, and long division.
precision highp float;
precision highp int;
layout(location = 0) flat in int start;
layout(location = 0) out vec4 color;

int fixed_multiply(int a, int b) {
  int high = (a >> 12) * b;
  int low = (a & 4095) * (b >> 12) + (((a & 4095) * (b & 4095)) >> 12);
  return high + low;
}

int fixed_root(int square) {
  int root = 0;
  int bit = 1 << 15;
  while (bit > 0) {
    int candidate = root | bit;
    if (candidate * candidate <= square) {
      root = candidate;
    }
    bit >>= 1;
  }
  return root;
}

int fixed_sine(int turn) {
  int x = (turn & 8191) - 4096;
  int magnitude = x < 0 ? -x : x;
  int y = (x * (4096 - magnitude)) >> 10;
  return y + ((225 * (((y * abs(y)) >> 12) - y)) / 1000);
}

ivec2 divide_slowly(int number, int divisor) {
  int quotient = 0;
  int rest = number;
  for (int i = 15; i >= 0; --i) {
    quotient *= 2;
    if (rest - divisor * 16 > i) {
      rest -= divisor * 16;
      ++quotient;
    }
  }
  return ivec2(quotient, rest);
}

void main() {
  int at = start;
  int mixed = fixed_multiply(at, 7000) + fixed_root(at * 50) + fixed_sine(at * 100) +
               divide_slowly(at, 3).x;
  color = vec4(float(mixed & 255) * (1.0 / 255.0));
}
