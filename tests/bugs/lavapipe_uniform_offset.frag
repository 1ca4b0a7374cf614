#version 450
// SPDX-License-Identifier: Apache-2.0
// lavapipe (Mesa 22.3.6) dies: a condition reads a member of the fourth uniform block that is not its
// first. It looks at conditions only where a function has more than 100 values, so MIX is many.
layout(location = 0) out vec4 color;

layout(set = 0, binding = 0) uniform First { int first; };
layout(set = 0, binding = 1) uniform Second { int second; };
layout(set = 0, binding = 2) uniform Third { int third; };
layout(set = 0, binding = 3) uniform Fourth { int zero; int limit; };

#define MIX sum = (sum ^ x) * 3 + 1; sum = (sum ^ x) * 5 + 2; sum = (sum ^ x) * 7 + 3;

void main() {
  int x = int(gl_FragCoord.x);
  int sum = first + second + third + zero;
  if (limit < x) {
    MIX MIX MIX MIX MIX MIX MIX MIX MIX MIX MIX MIX
  }
  color = vec4(float(sum & 255) / 255.0, 0.0, 0.0, 1.0);
}
