#version 310 es
// SPDX-License-Identifier: Apache-2.0
// lavapipe (Mesa 22.3.6) writes right[3] where it should write right[2]; docs/bugs.md says more.
// Four stripes of red, 8 pixels each: right[x] + 1 of 255. Correct: 2, 3, 4, 0.
precision highp float;
precision highp int;
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform buf0 { int n; };
int right[4];

void main() {
  right[0] = 1;
  right[1] = 2;
  right[2] = -1;
  right[3] = -1;
  int at = 0;
  while (right[at] != -1) at = right[at];
  right[at] = 3;

  int x = int(gl_FragCoord.x) / 8 & 3;
  color = vec4(float(right[x] + 1), 0.0, 0.0, 255.0) * (1.0 / 255.0);
}
