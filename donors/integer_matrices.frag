#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Matrices of integers in arrays: a product, a determinant of residues, and powers of the Fibonacci
// matrix by squaring.
precision highp float;
precision highp int;
layout(location = 0) flat in int start;
layout(location = 0) out vec4 color;

int product_trace(int a, int b) {
  int left[3][3];
  int right[3][3];
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      left[row][column] = a + row * 3 + column;
      right[row][column] = b ^ (row + column * 2);
    }
  }
  int trace = 0;
  for (int row = 0; row < 3; ++row) {
    for (int k = 0; k < 3; ++k) {
      trace += left[row][k] * right[k][row];
    }
  }
  return trace;
}

int determinant_of_residues(ivec3 a, ivec3 b, ivec3 c) {
  ivec3 x = a % 101;
  ivec3 y = b % 101;
  ivec3 z = c % 101;
  return x.x * (y.y * z.z - y.z * z.y) - x.y * (y.x * z.z - y.z * z.x) +
         x.z * (y.x * z.y - y.y * z.x);
}

uint fibonacci(uint n) {
  uvec3 power = uvec3(1u, 1u, 0u);
  uvec3 sum = uvec3(1u, 0u, 1u);
  for (; n > 0u; n >>= 1) {
    if ((n & 1u) == 1u) {
      sum = uvec3(sum.x * power.x + sum.y * power.y, sum.x * power.y + sum.y * power.z,
                  sum.y * power.y + sum.z * power.z);
    }
    power = uvec3(power.x * power.x + power.y * power.y, power.y * (power.x + power.z),
                  power.y * power.y + power.z * power.z);
  }
  return sum.y;
}

void main() {
  int at = start;
  int mixed = product_trace(at, 5) + determinant_of_residues(ivec3(at), ivec3(1, 2, at), ivec3(3)) +
               int(fibonacci(uint(at)));
  color = vec4(float(mixed & 255) * (1.0 / 255.0));
}
