#version 450

// Part of it lies before the near plane, part beyond the far one, and one corner behind the eye.
layout(location = 0) in vec2 place;
layout(location = 0) out float depth;

void main() {
  float w = 1.0 + 1.25 * place.y;
  gl_Position = vec4(place.x, 0.5 * place.y, 0.25 + 0.5 * place.x, w);
  depth = 0.5 + 0.25 * place.x;
}
