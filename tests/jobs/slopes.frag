#version 300 es
precision highp float;

// A sky by floating point as pages write it: divided by the resolution, with a sine.
uniform vec2 resolution;
uniform float time;
out vec4 _GLF_color;

float Hill(float x, float phase) {
  return 0.3 + 0.2 * sin(x * 3.0 - phase);
}

void main() {
  vec2 uv = gl_FragCoord.xy / resolution;
  vec3 colour = mix(vec3(0.9, 0.7, 0.4), vec3(0.1, 0.2, 0.5), uv.y);
  float height = Hill(uv.x, time) - uv.y;
  colour = mix(colour, vec3(0.1, 0.3, 0.1), smoothstep(-0.2, 0.2, height));
  _GLF_color = vec4(colour, 1.0);
}
