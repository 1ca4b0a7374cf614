// SPDX-License-Identifier: Apache-2.0
// lavapipe (Mesa 25.0.7, 26.2.6) loses the continue, because each switch also has a break in an if. Every pixel
// must be green.
#version 450
layout(location = 0) out vec4 color;

void main() {
  int x = int(gl_FragCoord.x);
  color = vec4(0, 1, 0, 1);
  for (int i = 0; i < 2; i++) {
    switch (x & 1) {
    case 0:
      if (x == 100) break;
      switch (x & 1) {
      case 0:
        if (x == 100) break;
        continue;
      }
      color = vec4(1, 0, 0, 1);
    }
  }
}
