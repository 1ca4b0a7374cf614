#version 450
// SPDX-License-Identifier: Apache-2.0
// lavapipe gives 0 for findMSB(-1), 1 for -2, 2 for -4 and 4 for -16: one too many.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, std430) readonly buffer In { float x[8]; };
layout(set = 0, binding = 1, std430) buffer Out { int y[8]; };
void main() { y[gl_LocalInvocationIndex] = findMSB(int(x[gl_LocalInvocationIndex])); }
