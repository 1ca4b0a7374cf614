#version 450
// SPDX-License-Identifier: Apache-2.0
// Writes a ledger's entries: digits of three by five pixels as far as they fit, debits in red, a
// bar for the rank in the row, a dot where the check digit is odd, a stroke towards the entry
// that makes a round sum of it; totals are ruled twice and show how the balance went. A half of
// each cell is the entry's at its left corner, the other half that of the right one, read
// backwards.
//
// Exact: integers throughout. Colours are k * (1/255) for integers k from 0 to 255.
layout(location = 0) flat in ivec4 entry;
layout(location = 1) flat in ivec4 notes;
layout(location = 0) out vec4 color;

layout(std140, set = 0, binding = 1) uniform Desk {
  ivec4 glyphs[3];  // 15 bits each, rows from the top; the digits, a minus, a plus
  ivec3 paper;      // of even and odd balances, and of totals
  ivec4 ink;        // of credits, debits, bars, strokes
  float opaque;     // 1.0
} desk;

ivec3 Levels(int rgb) { return ivec3(rgb >> 16, rgb >> 8, rgb) & 255; }

bool InGlyph(int glyph, ivec2 at) {
  if (at.x < 0 || at.x > 2 || at.y < 0 || at.y > 4) return false;
  int bits = desk.glyphs[glyph >> 2][glyph & 3];
  return (bits >> (14 - at.y * 3 - at.x) & 1) != 0;
}

// The digit so many places from the left; -1: the number is shorter.
int DigitAt(int number, int place) {
  int unit = 1;
  while (number / unit >= 10) unit *= 10;
  for (int i = 0; i < place; ++i) {
    number %= unit;
    unit /= 10;
    if (unit == 0) return -1;
  }
  return number / unit;
}

bool Written(ivec2 at) {
  int column = at.x >> 2;
  if (column == 0 && entry.z < 0) return InGlyph(10, at);
  int place = entry.z < 0 ? column - 1 : column;
  int digit = DigitAt(abs(entry.z), place);
  if (digit < 0) return false;
  return InGlyph(digit, ivec2(at.x & 3, at.y));
}

bool OnStroke(ivec2 at) {
  if (notes.z == 0 || notes.w != 0) return false;
  int slope = abs(notes.z);
  int y = 0;
  for (int x = 0; x <= at.x; x += 1 + slope / 4) {
    y += notes.z > 0 ? 1 : 2;
    if (y > 6) y -= 6;
  }
  return at.y == y && (at.x + slope) % 3 != 0;
}

ivec3 Total(ivec3 rgb, ivec2 at) {
  if (at.y == 0 || at.y == 2) return rgb / 3;
  int share = abs(entry.w) % 97;
  int level = 0;
  while (share > 0) {
    share = share * 3 / 4 - 1;
    ++level;
  }
  if (at.y > 2 && at.x % 4 < level / 4) rgb = (rgb + Levels(desk.ink.z)) / 2;
  return rgb;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 at = pixel - entry.xy;
  bool backwards = at.x < 0;
  if (backwards) at.x = -1 - at.x;
  int kind = notes.w != 0 ? 2 : entry.w & 1;
  ivec3 rgb = Levels(desk.paper[kind]);
  if (backwards) rgb -= rgb / 16;
  ivec3 ink = Levels(entry.z < 0 ? desk.ink.y : desk.ink.x);
  if (notes.w != 0) rgb = Total(rgb, at);
  if (at.x == 11 - notes.x) rgb = (rgb * 2 + Levels(desk.ink.z)) / 3;
  if (OnStroke(at)) rgb = (rgb * 3 + Levels(desk.ink.w)) / 4;
  if (Written(ivec2(at.x, at.y - 1))) {
    rgb = ink;
  } else if (at.y == 6 && at.x == notes.y) {
    rgb = (notes.y & 1) != 0 ? ink : 255 - ink;
  } else if (at.x == 0 || at.y == 0) {
    rgb = rgb * 7 / 8;
  }
  color = vec4(vec3(rgb) * (1.0 / 255.0), desk.opaque);
}
