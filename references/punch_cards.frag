#version 450
// SPDX-License-Identifier: Apache-2.0
// Draws three punched cards. Each has its text printed along the top edge and punched below in
// Hollerith's code: a letter is two holes of a column, one in a zone row and one in a digit row. A
// hole, the cut corner and what is beside the cards are invocations that are demoted: they go on
// as helpers, through the wear of the paper and its stripes, and must leave nothing in the
// picture. The last column of a card counts its holes, as a check.
//
// Exact: the font is a texture of integers, 64 by 16, sampled at centres. The one sum in floats is
// of integers below 2^24. A colour is k * (1/255) for an integer k from 0 to 255.
#extension GL_EXT_demote_to_helper_invocation : require

layout(location = 0) out vec4 color;

layout(set = 0, binding = 0) uniform usampler2D font;  // 3 by 5 in cells of 4 by 5, 16 in a row
layout(set = 0, binding = 1) uniform Deck {
  uvec4 texts[6];  // two for each card: 28 letters of a byte each: 0 is a space, 1 to 26, 27 to 36
  uvec4 papers;    // 0xRRGGBB of each card, and of the ink
  ivec4 card;      // width 120, height 40, pitch 43, columns 28
  ivec3 shifts;    // how far to the right each card lies: 2, 6, 3
  int corner;      // 6: pixels cut from the upper left corner
  vec4 counted;    // 1, 1, 1, 1: what a hole of a column's four kinds of row adds
  int worn;        // 3
  int zero;        // 0
};

const int kTop = 9;  // pixels above the first row
const int kSpace = 0;

int Letter(int which, int column) {
  uint word = texts[which * 2 + (column >> 4)][(column >> 2) & 3];
  return int((word >> uint((column & 3) * 8)) & 0xffu);
}

// Rows 0 and 1 are called 12 and 11, row 2 is 0, and rows 3 to 11 are 1 to 9.
ivec2 PunchedRows(int letter) {
  if (letter == kSpace) return ivec2(-1);
  if (letter > 26) return ivec2(letter - 27 + 2, -1);
  int place = letter - 1;
  switch (place / 9) {
    case 0: return ivec2(0, place + 3);
    case 1: return ivec2(1, place - 9 + 3);
    default: break;
  }
  return ivec2(2, place - 18 + 4);
}

bool IsPunched(int which, int column, int row) {
  return any(equal(PunchedRows(Letter(which, column)), ivec2(row)));
}

// The holes of all columns but the last, by kind of row, weighed and added up.
int CountHoles(int which) {
  ivec4 kinds = ivec4(zero);
  for (int column = zero; column < card.w - 1; ++column) {
    ivec2 rows = PunchedRows(Letter(which, column));
    kinds += ivec4(equal(rows.xxxx, ivec4(0, 1, 2, 99)));
    if (rows.x > 2) kinds.w++;
    if (rows.y > 2) kinds.w++;
  }
  return int(dot(vec4(kinds), counted));
}

// The check column: bits of the count, from the last row up.
bool IsCheckPunched(int which, int row) {
  return row > 3 && ((CountHoles(which) >> (11 - row)) & 1) != 0;
}

bool IsInk(int letter, ivec2 at, uint from_sheet) {
  if (letter == kSpace) return false;
  if (any(lessThan(at, ivec2(zero))) || any(greaterThan(at, ivec2(2, 4)))) return false;
  ivec2 texel = ivec2((letter & 15) * 4, (letter >> 4) * 5) + at;
  uint ink = textureLod(font, (vec2(texel) + 0.5) * vec2(1.0 / 64.0, 1.0 / 16.0), 0.0).x;
  return ink > (from_sheet & 1u) * uint(zero);
}

// How worn the paper is: steps of a walk that goes over it and comes back on itself.
int Wear(ivec2 at, int which) {
  int state = at.x * 37 + at.y * 101 + which * 17 & 255;
  int steps = zero;
  while (state != 1 && steps < 12) {
    state = (state & 1) != 0 ? state * worn + 1 & 255 : state >> 1;
    if (state == 0) break;
    ++steps;
  }
  return steps;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  uint sheet = texture(font, gl_FragCoord.xy * (1.0 / 128.0)).x;
  int which = min(pixel.y / card.z, 2);
  ivec2 at = pixel - ivec2(shifts[which], which * card.z);

  if (any(lessThan(at, ivec2(zero))) || any(greaterThanEqual(at, card.xy))) demote;
  if (at.x + at.y < corner) demote;

  // Four pixels a column, the hole two of them wide; rows are two and a half apart.
  int column = (at.x - 4) >> 2;
  int row = (at.y - kTop) * 2 / 5;
  bool in_column = at.x >= 4 && column < card.w;
  bool in_row = at.y >= kTop && row < 12 && (at.y - kTop) * 2 % 5 < 3;
  bool in_hole = in_column && in_row && (at.x & 3) < 2;
  if (in_hole) {
    bool is_check = column == card.w - 1;
    if (is_check ? IsCheckPunched(which, row) : IsPunched(which, column, row)) demote;
  }

  uint paper = papers[which];
  int letter = in_column && column < card.w - 1 ? Letter(which, column) : kSpace;
  if (IsInk(letter, ivec2((at.x - 4) & 3, at.y - 2), sheet)) paper = papers.w;
  else if (in_hole) paper -= 0x181410u;  // a row number, faintly

  int wear = Wear(at, which);
  uvec3 levels = uvec3(paper >> 16, paper >> 8, paper) & 0xffu;
  levels = uvec3(max(ivec3(levels) - wear * 2 - int(sheet) * 4, ivec3(zero)));
  color = vec4(vec3(levels) * (1.0 / 255.0), 1.0);
}
