#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Floats: a polynomial by Horner's rule, a turn by a matrix, products of vectors and matrices, and an
// iteration that stops when a value has grown large.
precision highp float;
precision highp int;
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 color;

float polynomial(float x) {
  float sum = 0.125;
  for (int i = 0; i < 5; ++i) {
    sum = sum * x + float(i) * 0.5;
  }
  return sum;
}

vec2 turn_quarters(vec2 p, int quarters) {
  mat2 turn = mat2(0.0, 1.0, -1.0, 0.0);
  vec2 q = p;
  for (int i = 0; i < (quarters & 3); ++i) {
    q = turn * q;
  }
  return q + p * turn;
}

float quadratic_form(vec3 v, float weight) {
  mat3 m = mat3(2.0, weight, 0.0, weight, 2.0, -1.0, 0.0, -1.0, 2.0);
  mat3 symmetric = (m + transpose(m)) * 0.5;
  return dot(v, symmetric * v) + dot(v * symmetric, v.zyx);
}

int escape_time(vec2 c) {
  vec2 z = vec2(0.0);
  int steps = 0;
  while (steps < 20) {
    z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    if (dot(z, z) > 4.0) {
      break;
    }
    ++steps;
  }
  return steps;
}

void main() {
  vec2 q = turn_quarters(place, 1);
  float sum = polynomial(place.x) + quadratic_form(vec3(q, 1.0), 0.25) + float(escape_time(place));
  color = vec4(floor(fract(sum) * 16.0) * 0.0625);
}
