#version 450

layout(location = 0) flat in uvec4 colours;
layout(location = 1) in vec4 light;
layout(location = 2) flat in ivec4 numbers;
layout(location = 0) out vec4 lit;
layout(location = 1) out uvec4 seen;
layout(location = 2) out ivec4 counted;

void main() {
  lit = vec4(light.xyz, light.w / 16.0);
  seen = colours + uvec4(gl_FrontFacing ? 1000u : 0u);
  counted = numbers * 10;
}
