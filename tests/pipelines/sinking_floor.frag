#version 450

layout(location = 0) in float depth;
layout(location = 0) out vec4 colour;

void main() {
  colour = vec4(depth, gl_FragCoord.z, 0.5, 1.0);
}
