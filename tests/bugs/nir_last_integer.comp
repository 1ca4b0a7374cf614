#version 450
// SPDX-License-Identifier: Apache-2.0
// NIR counts iterations until the largest integer is less than i, and never ends.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) buffer Out { int y[4]; };
void main() {
  int n = 0;
  for (int i = 0; i < 3; ++i) {
    if (2147483647 < i) break;
    n += int(gl_LocalInvocationIndex);
  }
  y[gl_LocalInvocationIndex] = n;
}
