#version 310 es
// This file ends its lines with carriage return and line feed.
precision highp float;
#extension GL_OES_shader_image_atomic : enable

#define WIDTH 32
#define CELL(x, y) \
  (((x) ^ (y)) & 15)

uniform int add;

out vec4 _GLF_color;

void main() {
  int cell = CELL(int(gl_FragCoord.x), int(gl_FragCoord.y)) + add;
#if WIDTH > 16
  cell *= 15;
#else
#error the width is too small
#endif
  _GLF_color = vec4(vec3(float(cell)) * (1.0 / 255.0), 1.0);
}
