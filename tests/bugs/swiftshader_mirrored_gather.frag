#version 450
// SPDX-License-Identifier: Apache-2.0
// The image repeats once, mirrored, to the left of its left edge. The four texels around (-0.5, 0.25) are 90, 50, 40, 80 in
// the order of a gather. SwiftShader gives 50, 90, 80, 40.
layout(set = 0, binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 colour;

void main() { colour = textureGather(image, vec2(-0.5, 0.25)); }
