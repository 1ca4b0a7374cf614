#version 310 es
precision highp float;
precision highp int;

// Division by subtraction, with what is left handed back through parameters; arrays and structs too.
struct Parts {
  int whole;
  int rest;
};

uniform int divisor;
out vec4 _GLF_color;

void Divide(in int number, int by, out Parts parts) {
  parts.whole = 0;
  parts.rest = number;
  while (parts.rest >= by) {
    parts.rest -= by;
    parts.whole++;
  }
}

void Digits(int number, inout int digits[4], out int used) {
  used = 0;
  do {
    Parts parts;
    Divide(number, divisor, parts);
    digits[used++] = parts.rest;
    number = parts.whole;
  } while (number > 0 && used < 4);
}

void Tint(inout vec3 colour, bool strong) {
  colour.g = strong ? 1.0 : 0.2;
}

void main() {
  int digits[4] = int[4](9, 9, 9, 9);
  int used;
  Digits(int(gl_FragCoord.x) * 16 + int(gl_FragCoord.y), digits, used);
  int shown = digits[int(gl_FragCoord.y) & 3];
  vec3 colour = vec3(float(shown * 28), 0.0, float(used * 60)) * (1.0 / 255.0);
  Tint(colour, shown == 9);
  _GLF_color = vec4(colour, 1.0);
}
