#version 450
// SPDX-License-Identifier: Apache-2.0
// Octaves of sines and of fractions of them, as noise is often made.
layout(set = 0, binding = 0) uniform Frame { vec2 size; };
layout(location = 0) out vec4 colour;

float Noise(vec2 p) {
  return fract(sin(p.x * 0.7 + p.y * 1.3) * 4.5);
}

void main() {
  vec2 p = gl_FragCoord.xy / size;
  float sum = 0.0;
  float weight = 0.5;
  for (int i = 0; i < 12; ++i) {
    sum += weight * (0.5 + 0.5 * sin(p.x) * cos(p.y)) + 0.125 * weight * Noise(p);
    p = p * 1.25 + vec2(0.0625, 0.125);
    weight *= 0.5;
  }
  colour = vec4(sum, sum * 0.5, floor(sum * 8.0) / 8.0, 1.0);
}
