#version 450
// SPDX-License-Identifier: Apache-2.0
// Newton's iteration for cube roots and square roots: divisions in a loop, and how fast it ends.
layout(set = 0, binding = 0) uniform Frame { vec2 size; };
layout(location = 0) out vec4 colour;

void main() {
  float a = gl_FragCoord.x / size.x * 7.0 + 0.5;
  float b = gl_FragCoord.y / size.y * 3.0 + 0.25;
  float root = a;
  int rounds = 0;
  for (int i = 0; i < 24; ++i) {
    float next = (2.0 * root + a / (root * root)) / 3.0;
    if (abs(next - root) < 0.001) break;
    root = next;
    rounds++;
  }
  float mean = b;
  for (int i = 0; i < 16; ++i) {
    mean = 0.5 * (mean + b / mean);
    mean = mix(mean, sqrt(b), 0.125);
  }
  colour = vec4(root / 2.0, mean / 2.0, float(rounds) / 24.0, 1.0);
}
