#version 450
// SPDX-License-Identifier: Apache-2.0
// lavapipe 26.2.6 computes -1 for the second remainder in a few pixels that left the loop early; docs/bugs.md says
// more. It is 1, so all pixels are green.
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform Divisors { int fifteen; };

void main() {
  int rounds = int(uint(gl_FragCoord.x * gl_FragCoord.y) % 3u) + 1;
  int first = 0;
  int i = 0;
  do {
    first = (ivec2(1) % ((ivec2(first) & 255) | 1)).y;
    ++i;
  } while (i < rounds);
  int second = (ivec2(1) % ((ivec2(fifteen) & 255) | 1)).x;
  color = first == 0 && second == 1 ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);
}
