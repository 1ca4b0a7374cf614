#version 450
// SPDX-License-Identifier: Apache-2.0
// Directions that follow a field: normalize, dot, length, reflect in a loop.
layout(set = 0, binding = 0) uniform Frame { vec2 size; };
layout(location = 0) out vec4 colour;

void main() {
  vec3 p = vec3(gl_FragCoord.xy / size - 0.5, 0.25);
  vec3 d = normalize(vec3(0.3, 0.5, 0.8));
  float light = 0.0;
  for (int i = 0; i < 20; ++i) {
    vec3 n = normalize(p + vec3(0.125, 0.25, 0.5));
    float facing = dot(n, d);
    light += max(facing, 0.0) / (1.0 + length(p));
    d = normalize(d + n * 0.25);
    if (facing < 0.125) d = reflect(d, n);
    p += d * 0.0625;
  }
  colour = vec4(light / 20.0, clamp(d.xy * 0.5 + 0.5, 0.0, 1.0), 1.0);
}
