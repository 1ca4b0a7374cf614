#version 450
// SPDX-License-Identifier: Apache-2.0
// lavapipe takes an integer texel for equal to its negation if it is small.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform isampler2D t;
layout(set = 0, binding = 1, std430) buffer Out { int y[4]; };
void main() {
  int x = texelFetch(t, ivec2(gl_LocalInvocationIndex, 0), 0).x;
  y[gl_LocalInvocationIndex] = x != -x ? 1 : 2;
}
