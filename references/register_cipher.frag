#version 450
// SPDX-License-Identifier: Apache-2.0
// Draws a key-stream cipher built from 16-bit registers at work on an icon of 16 by 16 bits. The
// columns of panels are four generators: a Galois register, a Fibonacci register, one register
// stepped by another, and a sum of squares. The rows of panels are the bare key stream, the icon
// under the key stream, the icon deciphered with a wrong key, and with the right one. The registers'
// upper bits, with and without their sign, tint the cells.
//
// Stable: the registers are the lower halves of 32-bit unsigned integers, cut off after each step
// that may outgrow them, and shifts are by 1 to 15 places. Colours are k * (1/255) for integers k from
// 0 to 255.
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
  uint main;
  uint clock;
  uint last;  // the last word of key stream
};

uint Cut(uint wide) { return wide & 0xffffu; }

uint Galois(uint state) {
  uint shifted = state >> 1u;
  if ((state & one) != 0u) shifted ^= taps;
  return shifted;
}

uint Fibonacci(uint state) {
  uint bit = state ^ (state >> 2u) ^ (state >> 3u) ^ (state >> 5u);
  return Cut((state >> 1u) | (bit << 15u));
}

uint SumOfSquares(uint state, uint other) {
  uint square = Cut(state * state + other);
  return Cut(square << 7u) | (square >> 9u);
}

void Clock(inout Stream stream, int kind) {
  stream.clock = Cut(stream.clock + 0x3d4bu);
  switch (kind) {
    case 2:
      stream.clock = Fibonacci(stream.clock);
      if ((stream.clock & 4u) == 0u) return;
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

uint NextWord(inout Stream stream, int kind) {
  uint word = 0u;
  int pairs = 0;
  for (;;) {
    Clock(stream, kind);
    if (kind == 3) {
      word = stream.main - (stream.last >> one);
      break;
    }
    word = (word << 2u) | (stream.main & 3u);
    pairs++;
    if (pairs == 5 && kind == 0) word ^= stream.last;
    if (pairs == 8) break;
  }
  stream.last = Cut(word);
  return stream.last;
}

uint IconRow(int row) {
  uint two = icon[row >> 3][(row >> 1) & 3];
  return (row & 1) == 0 ? two >> 16u : Cut(two);
}

uint KeyRow(int kind, uint key, int row, out Stream stream) {
  stream = Stream(key, Cut(~key), 0x1234u);
  for (int i = 0; i < burn_in; i++) Clock(stream, kind);
  uint word;
  int left = row;
  do {
    word = NextWord(stream, kind);
  } while (left-- > 0);
  return word;
}

uint PanelRow(int kind, int use, int row, out Stream stream) {
  uint right_key = keys[kind];
  uint word = KeyRow(kind, right_key, row, stream);
  if (use == 0) return word;
  word ^= IconRow(row);
  if (use == 1) return word;
  uint tried = use == 2 ? right_key ^ flip : right_key;
  return word ^ KeyRow(kind, tried, row, stream);
}

ivec3 Cell(bool set, int use, Stream stream) {
  int level = int(stream.main >> 10u);         // 0 to 63
  int swing = int(stream.clock << 16u) >> 27;  // -16 to 15
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
    uint word = PanelRow(panel.x, panel.y, inner.y >> 1, stream);
    uint bit = (word >> uint(15 - (inner.x >> 1))) & one;
    rgb = Cell(bit == 1u, panel.y, stream);
    if ((inner.x & inner.y & 1) == 1) rgb = rgb * 3 / 4;
  }
  color = vec4(vec3(rgb) * (1.0 / 255.0), opaque);
}
