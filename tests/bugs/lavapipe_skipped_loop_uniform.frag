// SPDX-License-Identifier: Apache-2.0
// lavapipe (Mesa 26.2.6) crashes: in the rows 0 and 1, no pixel enters the body of the second loop, and the pixels
// of row 0 do not enter the first loop either. Row 0 must be white, and the rest green.
#version 450
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform A { int zero; };
layout(set = 0, binding = 1) uniform B { int four; };

void main() {
  color = vec4(1);
  int v = int(gl_FragCoord.y) * 4;
  if (v > 0) {
    int i = 0;
    do {
      v += zero;
      i++;
    } while (i < (v & 3));
    for (int k = 0; k < (v & 3); k++) {
      v = four;
    }
    color = vec4(0, v > 3 ? 1 : 0, 0, 1);
  }
}
