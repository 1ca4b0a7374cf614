#version 450
// SPDX-License-Identifier: Apache-2.0
// Marches rays through three spheres on a floor: lengths, square roots, a loop that ends early.
layout(set = 0, binding = 0) uniform Frame { vec2 size; };
layout(location = 0) out vec4 colour;

float Distance(vec3 p) {
  float d = p.y + 1.0;
  for (int i = 0; i < 3; ++i) {
    vec3 centre = vec3(float(i) * 1.5 - 1.5, 0.25 * float(i), 3.0 + 0.5 * float(i));
    vec3 q = p - centre;
    d = min(d, sqrt(q.x * q.x + q.y * q.y + q.z * q.z) - 0.75);
  }
  return d;
}

void main() {
  vec2 at = (2.0 * gl_FragCoord.xy - size) / size.y;
  vec3 ray = normalize(vec3(at, 1.5));
  float t = 0.0;
  int steps = 0;
  for (; steps < 48; ++steps) {
    float d = Distance(ray * t);
    if (d < 0.005 || t > 12.0) break;
    t += d;
  }
  colour = vec4(t / 12.0, float(steps) / 48.0, 0.5, 1.0);
}
