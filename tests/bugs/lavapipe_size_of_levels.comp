#version 450
// SPDX-License-Identifier: Apache-2.0
// lavapipe gives all invocations the size of the level that the first of them asks for.
layout(local_size_x = 8) in;
layout(binding = 0) uniform sampler2D image;
layout(std430, binding = 1) buffer Sizes { ivec2 sizes[8]; };
void main() {
  int lane = int(gl_LocalInvocationID.x);
  sizes[lane] = textureSize(image, lane & 3);
}
