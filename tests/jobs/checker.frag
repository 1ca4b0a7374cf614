// A chequered board, as a WebGL 2 page would write it: 300 es, the version behind this comment.

#version 300 es
precision highp float;

uniform vec2 resolution;
uniform vec2 injectionSwitch;
uniform float time;

out vec4 _GLF_color;

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int side = int(resolution.x) >> 2;
  bool dark = ((at.x >> 2) + (at.y >> 2)) % 2 == 0;
  if (injectionSwitch.x > injectionSwitch.y) {
    dark = !dark;
  }
  float shade = float(at.x + at.y) * (1.0 / 255.0);
  vec3 ink = at.x < side ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 0.0, 1.0);
  _GLF_color = dark ? vec4(ink, 1.0) : vec4(vec3(shade), time);
}
