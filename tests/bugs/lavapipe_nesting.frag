#version 310 es
// SPDX-License-Identifier: Apache-2.0
// 100 selections in each other. lavapipe (Mesa 22.3.6) loses the conditions of those within 80 others.
// The pixels x = 0, 1, 2 ... are 0, 1, 2 ... up to 100 of 255 red; on lavapipe 78, 0, 79, 79 ... from x = 78.
precision highp float;
precision highp int;
layout(location = 0) out vec4 color;

#define ONE(a) if (x > (a)) { n++;
#define FIVE(a) ONE(a) ONE(a + 1) ONE(a + 2) ONE(a + 3) ONE(a + 4)
#define TWENTY(a) FIVE(a) FIVE(a + 5) FIVE(a + 10) FIVE(a + 15)
#define END }}}}} }}}}} }}}}} }}}}}

void main() {
  int x = int(gl_FragCoord.x);
  int n = 0;
  TWENTY(0) TWENTY(20) TWENTY(40) TWENTY(60) TWENTY(80) END END END END END
  color = vec4(float(n), 0.0, 0.0, 255.0) * (1.0 / 255.0);
}
