#version 450

layout(location = 0) in Surface {
  vec2 uv;
  noperspective vec2 screen;
  mat2 turn;
  float bands[2];
} surface;
layout(location = 6) in float steady;
layout(location = 0) out vec4 colour;

void main() {
  vec2 turned = surface.turn * vec2(0.25, 0.125) + 0.5;
  colour = vec4(surface.uv * 0.5 + surface.screen * 0.5, turned.x + surface.bands[0],
                steady * surface.bands[1] + turned.y * 0.5);
}
