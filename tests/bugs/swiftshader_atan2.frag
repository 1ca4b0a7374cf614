#version 310 es
// SPDX-License-Identifier: Apache-2.0
// SwiftShader (chromium-common 156) computes atan(-0, 1) as pi; docs/bugs.md says more.
// The red is the angle over pi, which must be 0.
precision highp float;
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform buf0 { float y; float x; };

void main() {
  color = vec4(abs(atan(y, x)) / 3.14159265, 0.0, 0.0, 1.0);
}
