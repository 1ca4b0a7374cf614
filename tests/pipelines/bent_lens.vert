#version 450

// A surface seen from one side: w differs from vertex to vertex, one output is told to ignore it.
layout(location = 0) in vec3 place;
layout(location = 0) out Surface {
  vec2 uv;
  noperspective vec2 screen;
  mat2 turn;
  float bands[2];
} surface;
layout(location = 6) out float steady;
layout(push_constant) uniform Camera { float depth; float tilt; };

void main() {
  float away = 1.0 + depth * (place.x + 1.0) + tilt * place.y * place.y;
  gl_Position = vec4(place.xy * away, 0.5 * away, away);
  surface.uv = place.xy * 0.5 + 0.5;
  surface.screen = place.yx * 0.25 + 0.5;
  surface.turn = mat2(place.x, place.y, -place.y, place.x);
  surface.bands[0] = place.x * 0.125;
  surface.bands[1] = 0.5;
  steady = 0.75;
}
