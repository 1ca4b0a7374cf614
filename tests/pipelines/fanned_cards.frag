#version 450

layout(location = 0) flat in int card;
layout(location = 1) in vec2 worn;
layout(location = 0) out vec4 colour;
layout(location = 1) out ivec4 seen;

void main() {
  colour = vec4(fract(worn) * 0.5 + 0.25, float(card) / 128.0, 1.0);
  seen = ivec4(card, gl_FrontFacing ? 1 : 0, worn.x > 0.0 ? 1 : 0, 3);
}
