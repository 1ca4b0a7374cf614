#version 450
// SPDX-License-Identifier: Apache-2.0
// Text as quads: six vertices a character. Characters are taken out of words of four, their widths
// and kerning from switches, lines are broken at blanks, and letters are drawn from bitmaps of 15
// bits.
layout(location = 0) out vec2 in_cell;
layout(location = 1) flat out uint bitmap;

layout(set = 0, binding = 0) uniform Text {
  uvec4 letters[8];
  int columns;
  float size;
};

int advance_of(uint letter) {
  int advance = 4;
  switch (letter) {
    case 0x20u:
      return 2;
    case 0x21u:
    case 0x27u:
    case 0x2eu:
    case 0x3au:
      advance -= 1;
      // fall through
    case 0x69u:
    case 0x6cu:
      advance -= 1;
      break;
    case 0x4du:
    case 0x57u:
      advance += 1;
      // fall through
    case 0x6du:
    case 0x77u:
      advance += 1;
      break;
    case 0x09u:
      advance = 16;
      break;
    default:
      if (letter < 0x20u) {
        advance = 0;
      }
      break;
  }
  return advance;
}

int kerning(uint left, uint right) {
  switch (left << 8 | right) {
    case 0x4156u:
    case 0x5641u:
      return -2;
    case 0x4154u:
    case 0x5441u:
    case 0x546fu:
      return -1;
    case 0x6666u:
      return 1;
  }
  return 0;
}

uint glyph_bits(uint letter) {
  const uint digits[10] = uint[10](0x7b6fu, 0x2c97u, 0x73e7u, 0x73cfu, 0x5bc9u, 0x79cfu, 0x79efu,
                                   0x7249u, 0x7befu, 0x7bcfu);
  if (letter >= 0x30u && letter <= 0x39u) {
    return digits[letter - 0x30u];
  }
  uint bits = letter * 0x9e37u;
  bits ^= bits >> 7;
  return (bits & 0x7fffu) | 0x4001u;
}

bool is_lit(uint bits, ivec2 cell) {
  if (cell.x < 0 || cell.x > 2 || cell.y < 0 || cell.y > 4) {
    return false;
  }
  uint mask = 0x4000u;
  for (int i = 0; i < cell.y * 3 + cell.x; ++i) {
    mask >>= 1;
  }
  return (bits & mask) != 0u;
}

// Where to break a line of words with these lengths; bit n of the result: before word n.
uint break_lines(int lengths[8], int room) {
  uint breaks = 0u;
  uint bit = 1u;
  int used = 0;
  for (int i = 0; i < 8; ++i, bit <<= 1) {
    if (lengths[i] == 0) {
      continue;
    }
    if (used + lengths[i] > room) {
      breaks |= bit;
      used = 0;
      if (lengths[i] > room) {
        break;
      }
    }
    used += lengths[i] + 1;
  }
  return breaks;
}

uint letter_at(int n) {
  uint word = letters[(n >> 4) & 7][(n >> 2) & 3];
  return (word >> ((n & 3) * 8)) & 255u;
}

void main() {
  int n = gl_VertexIndex / 6;
  int corner = gl_VertexIndex % 6;
  ivec2 pen = ivec2(0);
  int lengths[8] = int[8](0, 0, 0, 0, 0, 0, 0, 0);
  int word = 0;
  uint before = 0u;
  for (int i = 0; i < n && i < 128; ++i) {
    uint letter = letter_at(i);
    if (letter == 0u) {
      break;
    }
    if (letter == 0x0au || pen.x > columns) {
      pen = ivec2(0, pen.y + 6);
      before = 0u;
      continue;
    }
    if (letter == 0x20u) {
      word = min(word + 1, 7);
    } else {
      ++lengths[word];
    }
    pen.x += advance_of(letter) + kerning(before, letter);
    before = letter;
  }
  bitmap = glyph_bits(letter_at(n)) | break_lines(lengths, columns) << 16;
  vec2 at = vec2(corner == 1 || corner == 2 || corner == 4, corner > 2 || corner == 2);
  in_cell = at * vec2(3.0, 5.0) + (is_lit(bitmap, ivec2(1, 2)) ? 0.5 : 0.0);
  gl_Position = vec4((vec2(pen) + in_cell) * size - 1.0, 0.0, 1.0);
}
