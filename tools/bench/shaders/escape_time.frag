#version 450
// SPDX-License-Identifier: Apache-2.0
// The escape time of z^2 + c with floats: pixels leave the loop one by one.
layout(set = 0, binding = 0) uniform Frame { vec2 size; };
layout(location = 0) out vec4 colour;

void main() {
  vec2 c = vec2(gl_FragCoord.x / size.x * 3.0 - 2.25, gl_FragCoord.y / size.y * 2.5 - 1.25);
  vec2 z = vec2(0.0);
  int count = 0;
  for (int i = 0; i < 200; ++i) {
    if (z.x * z.x + z.y * z.y > 4.0) break;
    float next = z.x * z.x - z.y * z.y + c.x;
    z.y = 2.0 * z.x * z.y + c.y;
    z.x = next;
    count++;
  }
  float share = float(count) / 200.0;
  colour = vec4(share, share * share, 1.0 - share, 1.0);
}
