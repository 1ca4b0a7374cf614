#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
// SPDX-License-Identifier: Apache-2.0
// Draws a key-stream cipher built from 16-bit registers at work on an icon of 16 by 16 bits. The
// columns of panels are four generators: a Galois register, a Fibonacci register, one register
// stepped by another, and a sum of squares. The rows of panels are the bare key stream, the icon
// under the key stream, the icon deciphered with a wrong key, and with the right one. The registers'
// upper bits, with and without their sign, tint the cells.
//
// Stable: all arithmetic of the generators is on 16-bit unsigned integers, which wrap by definition,
// and shifts by 1 to 15; inputs are 32 bits wide and converted. Colours are k * (1/255) for integers
// k from 0 to 255.
layout(location = 0) out vec4 color;

layout(std140, set = 0, binding = 0) uniform Cipher {
  uvec4 icon[2];   // two rows a word
  uvec4 keys;      // of the generators
  uint taps;       // 0xb400: of the Galois register
  uint one;        // 1
  uint flip;       // 0x0020: what is wrong with the wrong key
  int burn_in;     // 5: steps before the first row
  float opaque;    // 1.0
};

struct Stream {
  uint16_t main;
  uint16_t clock;
  uint16_t last;  // the last word of key stream
};

uint16_t Galois(uint16_t state) {
  bool carry = (state & uint16_t(one)) != uint16_t(0u);
  state >>= uint16_t(1u);
  if (carry) state ^= uint16_t(taps);
  return state;
}

uint16_t Fibonacci(uint16_t state) {
  uint16_t bit = state ^ (state >> uint16_t(2u)) ^ (state >> uint16_t(3u)) ^ (state >> uint16_t(5u));
  return (state >> uint16_t(1u)) | (bit << uint16_t(15u));
}

uint16_t SumOfSquares(uint16_t state, uint16_t other) {
  uint16_t square = state * state + other;
  return (square << uint16_t(7u)) | (square >> uint16_t(9u));
}

void Clock(inout Stream stream, int kind) {
  stream.clock += uint16_t(0x3d4bu);
  switch (kind) {
    case 2:
      stream.clock = Fibonacci(stream.clock);
      if ((stream.clock & uint16_t(4u)) == uint16_t(0u)) return;
      // falls through
    case 0:
      stream.main = Galois(stream.main);
      break;
    case 1:
      stream.main = Fibonacci(stream.main);
      break;
    default:
      stream.main = SumOfSquares(stream.main, stream.clock);
      break;
  }
}

uint16_t NextWord(inout Stream stream, int kind) {
  uint16_t word = uint16_t(0u);
  int bits = 0;
  for (;;) {
    Clock(stream, kind);
    if (kind == 3) {
      word = stream.main - (stream.last >> uint16_t(one));
      break;
    }
    word = (word << uint16_t(1u)) | (stream.main & uint16_t(1u));
    bits++;
    if (bits == 5 && kind == 0) word ^= stream.last;
    if (bits == 16) break;
  }
  stream.last = word;
  return word;
}

uint16_t IconRow(int row) {
  uint two = icon[row >> 3][(row >> 1) & 3];
  return uint16_t((row & 1) == 0 ? two >> 16u : two & 0xffffu);
}

uint16_t KeyRow(int kind, uint16_t key, int row, out Stream stream) {
  stream = Stream(key, ~key, uint16_t(0x1234u));
  for (int i = 0; i < burn_in; i++) Clock(stream, kind);
  uint16_t word;
  int left = row;
  do {
    word = NextWord(stream, kind);
  } while (left-- > 0);
  return word;
}

uint16_t PanelRow(int kind, int use, int row, out Stream stream) {
  uint16_t right_key = uint16_t(keys[kind]);
  uint16_t word = KeyRow(kind, right_key, row, stream);
  if (use == 0) return word;
  word ^= IconRow(row);
  if (use == 1) return word;
  uint16_t tried = use == 2 ? right_key ^ uint16_t(flip) : right_key;
  return word ^ KeyRow(kind, tried, row, stream);
}

ivec3 Cell(bool set, int use, Stream stream) {
  int level = int(stream.main >> uint16_t(10u));           // 0 to 63
  int swing = int(int16_t(stream.clock) >> int16_t(11));   // -16 to 15
  ivec3 rgb = ivec3(24 + level / 2, 30, 48 + swing);
  if (set) rgb = ivec3(170 + swing, 160 + level, 120 - level);
  if (use == 1) rgb = rgb.yzx;
  if (use == 2) rgb = rgb.zxy + 8;
  return rgb;
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  ivec2 panel = at / 36;
  ivec2 inner = at - panel * 36 - 2;
  ivec3 rgb = ivec3(10 + 16 * panel.x, 60 - 12 * panel.y, 70);
  if (all(greaterThanEqual(inner, ivec2(0))) && all(lessThan(inner, ivec2(32)))) {
    Stream stream;
    uint16_t word = PanelRow(panel.x, panel.y, inner.y >> 1, stream);
    uint16_t bit = (word >> uint16_t(15 - (inner.x >> 1))) & uint16_t(one);
    rgb = Cell(bit == uint16_t(1u), panel.y, stream);
    if ((inner.x & inner.y & 1) == 1) rgb = rgb * 3 / 4;
  }
  color = vec4(vec3(rgb) * (1.0 / 255.0), opaque);
}
