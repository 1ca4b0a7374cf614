#version 450
// SPDX-License-Identifier: Apache-2.0
// lavapipe 26.2.6 loses the value that the loop assigns in a few pixels that left the loop early; docs/bugs.md says
// more. All pixels are green.
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform Numbers { int one; };

void main() {
  int rounds = int(gl_FragCoord.x) % 4 == 3 ? 1 : 3;
  vec2 value = vec2(1, 0);
  int i = 0;
  do {
    value = vec2(0, 1);
    ++i;
  } while (i < rounds);
  if (one != 1) value = vec2(float(one));
  color = vec4(value, 0, 1);
}
