#version 320 es
precision highp float;
precision highp int;

// A machine of four states reads the bits of the pixel's number; some cases fall through.
uniform int start;
uniform int mask;
out vec4 colour_of_the_pixel;

int Next(int state, int bit) {
  switch (state) {
    case 0:
      return bit == 1 ? 1 : 0;
    case 1:
      if (bit == 0) {
        return 2;
      }
    case 2:
      state += bit;
      break;
    default:
      state = 3 * (1 - bit);
  }
  return state;
}

void main() {
  int word = int(gl_FragCoord.x) + int(gl_FragCoord.y) * 32;
  int state = start;
  for (int i = 0; i < 10; i++) {
    state = Next(state, (word >> i) & 1);
    if ((state & mask) == mask) continue;
    word ^= 5 << state;
  }
  vec4 colour = vec4(0.0, 0.0, 0.0, 1.0);
  switch (state) {
    case 0: colour.r = 1.0; break;
    case 1: colour.g = 1.0; break;
    case 2: colour.b = 1.0;
    default: colour.rg = vec2(float(word & 63) * (4.0 / 255.0), 0.2);
  }
  colour_of_the_pixel = colour;
}
