#version 320 es
precision highp float;
precision highp int;

// Pixels thrown away in main and in a function that it calls; what is left says how often it asked.
uniform vec2 injectionSwitch;
uniform int period;

out vec4 _GLF_color;

int asked = 0;

void Keep(int number) {
  asked++;
  if (number % period == 0) {
    discard;
  }
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  if (injectionSwitch.x > injectionSwitch.y) {
    discard;
  }
  for (int i = 1; i < 4; i++) {
    if (at.x * i > at.y) {
      Keep(at.x * i + at.y);
    }
  }
  _GLF_color = vec4(float(asked) * (80.0 / 255.0), at.x > at.y ? 1.0 : 0.0, 0.2, 1.0);
}
