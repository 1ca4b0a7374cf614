#version 300 es

// The vertex shader of lit.frag: fuzzed, not run.
in vec4 position;
in vec2 texcoord;
in vec3 normal;
uniform mat4 view;
uniform mat3 normals;
out highp vec2 uv;
out highp vec3 facing;
flat out highp int side;

void main() {
  gl_Position = view * position;
  uv = texcoord;
  facing = normals * normal;
  side = gl_VertexID % 3;
}
