#version 300 es
// Every precision, and the defaults where none is given: int is mediump in a fragment shader.
precision mediump float;

uniform int small;
uniform lowp ivec2 tiny;
uniform highp int large;
uniform mediump vec2 pair;

out lowp vec4 _GLF_color;

mediump int Clip(mediump int value) {
  return value > 200 ? 200 : value;
}

void main() {
  highp ivec2 at = ivec2(gl_FragCoord.xy);
  mediump int sum = at.x * small + at.y;
  sum = Clip(sum) + tiny.x - tiny.y;
  highp int wide = at.x * large ^ at.y * large;
  bool upper = (wide >> 20 & 1) == 1;
  mediump float half_or_one = upper ? pair.x : pair.y;
  _GLF_color = vec4(sum > 64 ? 1.0 : 0.0, half_or_one, upper ? 1.0 : 0.0, 1.0);
}
