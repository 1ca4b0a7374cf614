#version 450
// SPDX-License-Identifier: Apache-2.0
// A vector turned by a matrix again and again: products of matrices and vectors, sums of products.
layout(set = 0, binding = 0) uniform Frame { vec2 size; };
layout(location = 0) out vec4 colour;

void main() {
  vec2 p = gl_FragCoord.xy / size;
  mat3 turn = mat3(0.8, 0.6, 0.1, -0.6, 0.8, 0.05, 0.02, 0.03, 0.9);
  vec3 v = vec3(p, 1.0);
  mat3 power = mat3(1.0);
  for (int i = 0; i < 40; ++i) {
    v = turn * v;
    power = turn * power * 0.99;
    v += vec3(0.01, 0.02, 0.03) * p.x;
  }
  vec3 mixed = power * v;
  colour = vec4(abs(v.xy), abs(mixed.z), 1.0);
}
