#version 450

// A strip with a repeated index, drawn three times. Attributes of all kinds: a vector, narrow
// integers with missing components, a matrix and an array, components that share a location.
layout(location = 0) in vec2 place;
layout(location = 1) in uvec3 tint;
layout(location = 2) in ivec2 shift;
layout(location = 3) in mat2 turn;
layout(location = 5) in float levels[2];
layout(location = 8, component = 1) in float own;
layout(location = 8, component = 2) in vec2 rest;
layout(location = 0) flat out uvec4 colours;
layout(location = 1) out vec4 light;
layout(location = 2) flat out ivec4 numbers;

void main() {
  gl_Position = vec4(turn * place + vec2(shift) / 8.0, 0.5, 1.0);
  colours = uvec4(tint, uint(gl_VertexIndex));
  light = vec4(own, rest, levels[0] + levels[1]);
  numbers = ivec4(shift, gl_InstanceIndex, gl_VertexIndex);
}
