#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Draws 16 texts of 16 letters from the alphabet A, C, G, T, one a row, each letter in its cell as a
// small glyph. Over every text runs a string-matching automaton (Knuth, Morris, Pratt) for one
// pattern. A cell's colour is the automaton's state after its letter; cells of a full match are
// bright, and a row with a match has a mark at its left edge. The uniforms are plain ones, gathered
// into one block.
//
// Stable: integers only; states stay within the pattern, indices within their arrays; colours are
// k * (1/255) for integers k from 0 to 255.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

uniform int pattern_length;  // 5
uniform int pattern[8];      // A C A C G: 0 1 0 1 2
uniform uint seed;           // 3
uniform int zero;            // 0
uniform int one;             // 1
uniform float opaque;        // 1.0

const int kMaxPattern = 8;
const int kLetters = 16;

struct Match {
  int state;     // after the letter that was asked for
  int hits;      // in the whole text
  bool covered;  // the letter is part of a match
};

int fallback[kMaxPattern + 1];
int text[kLetters];

// Texts of a repeating tail and a random head, so that matches happen.
void MakeText(int row) {
  uint state = (seed + uint(row)) * 747796405u + 2891336453u;
  int phase = row & 3;
  for (int i = zero; i < kLetters; i += one) {
    state = state * 747796405u + 2891336453u;
    int letter = int(state >> 29u) & 3;
    switch ((i + phase) & 7) {
      case 1:
      case 3:
        letter = zero;
        break;
      case 2:
        letter = letter & 1;
        // falls through
      case 4:
        letter |= one;
        break;
      case 5:
        letter = letter == 3 ? zero : 2;
        break;
      default:
        break;
    }
    text[i] = letter;
  }
}

// fallback[n]: the longest proper prefix of the pattern that ends its first n letters.
void MakeFallback() {
  fallback[0] = zero;
  fallback[1] = zero;
  int length = zero;
  int i = one;
  while (i < pattern_length) {
    if (pattern[i] == pattern[length]) {
      length += one;
      i += one;
      fallback[i] = length;
    } else if (length > zero) {
      length = fallback[length];
    } else {
      i += one;
      fallback[i] = zero;
    }
  }
}

int Advance(int state, int letter) {
  for (int hops = 0; hops <= kMaxPattern; hops++) {
    if (state < pattern_length && pattern[state] == letter) return state + one;
    if (state == zero) return zero;
    state = fallback[state];
  }
  return zero;
}

Match Run(int column) {
  Match match = Match(zero, zero, false);
  int state = zero;
  for (int i = 0; i < kLetters; i++) {
    state = Advance(state, text[i]);
    if (i == column) match.state = state;
    if (state != pattern_length) continue;
    match.hits++;
    if (column <= i && column > i - pattern_length) match.covered = true;
  }
  return match;
}

// Three by five bits, the top row highest.
bool Glyph(int letter, int x, int y) {
  int bits = zero;
  switch (letter) {
    case 0:
      bits = 0x2b7d;  // 010 101 101 111 101
      break;
    case 1:
      bits = 0x3923;  // 011 100 100 100 011
      break;
    case 2:
      bits = 0x396b;  // 011 100 101 101 011
      break;
    default:
      bits = 0x7492;  // 111 010 010 010 010
      break;
  }
  if (x < 0 || x > 2 || y < 0 || y > 4) return false;
  return ((bits >> (14 - (3 * y + x))) & 1) == one;
}

int StateColour(int state) {
  int rgb = 0x203848;
  switch (state) {
    case 5:
      rgb += 0x602000;
      // falls through
    case 4:
      rgb += 0x301810;
      // falls through
    case 3:
      rgb += 0x182800;
      // falls through
    case 2:
      rgb += 0x081c18;
      // falls through
    case 1:
      rgb += 0x081820;
      break;
    default:
      break;
  }
  return rgb;
}

vec4 Paint(int rgb) {
  ivec3 levels = ivec3(rgb >> 16, rgb >> 8, rgb) & 255;
  return vec4(vec3(levels) * (1.0 / 255.0), opaque);
}

void main() {
  int x = int(gl_FragCoord.x);
  int y = int(gl_FragCoord.y);
  int column = (x >> 4) & 15;
  int row = (y >> 4) & 15;

  MakeText(row);
  MakeFallback();
  Match match = Run(column);

  int rgb = StateColour(match.state);
  if (match.covered) rgb += 0x303020;
  if (Glyph(text[column], ((x & 15) - 5) >> 1, ((y & 15) - 3) >> 1)) {
    rgb = match.covered ? 0xffffff : 0x90a0a8;
  } else if ((x & 15) == zero || (y & 15) == zero) {
    rgb = 0x101418;
  } else if (column == zero && (x & 15) < 3 && match.hits > zero) {
    rgb = match.hits > one ? 0xff5050 : 0xf0b040;
  }
  color = Paint(rgb);
}
