#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Draws six panels of bit tricks: Hilbert's curve and the Z-order curve, each a line through 16 by
// 16 cells in the colours of the rainbow; the track of a Gray code disk, unrolled; the bit-reversal
// permutation as bars; the highest and lowest bits of products; and a weave of extracted and
// inserted bit fields.
//
// Stable: bit counts, reversals, extracts and inserts are exact integer operations; their offsets
// and widths stay within 32 bits. Searches for bits are done only on numbers that are not 0. Hues
// and brightnesses are integers, and colours k/255 of them.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

layout(set = 0, binding = 0) uniform buf0 { ivec2 panel_size; };  // 64, 64
layout(set = 0, binding = 1) uniform buf1 { int order; };         // 4: bits of a curve's cells
layout(set = 0, binding = 2) uniform buf2 { ivec4 fields; };      // 3, 2, 7, 4: offsets and widths
layout(set = 0, binding = 3) uniform buf3 { uint pattern; };      // 0x6d2b79f5
layout(set = 0, binding = 4) uniform buf4 { int zero; };          // 0
layout(set = 0, binding = 5) uniform buf5 { int one; };           // 1
layout(set = 0, binding = 6) uniform buf6 { uvec4 spread[4]; };   // mask, shift for each halving

// Turns the square so that the curve of the next smaller order fits.
void TurnQuarter(inout ivec2 at, int side, ivec2 quarter) {
  if (quarter.y != zero) return;
  if (quarter.x == one) at = side - one - at;
  at = at.yx;
}

int HilbertIndex(ivec2 at) {
  int index = zero;
  for (int bit = order - one; bit >= zero; bit--) {
    ivec2 quarter = (at >> bit) & 1;
    index = index * 4 + ((3 * quarter.x) ^ quarter.y);
    at &= (one << bit) - one;
    TurnQuarter(at, one << bit, quarter);
  }
  return index;
}

uint Spread(uint bits) {
  for (int i = zero; i < 4; i += one) bits = (bits | (bits << spread[i].y)) & spread[i].x;
  return bits;
}

int MortonIndex(ivec2 at) {
  uvec2 cell = uvec2(at);
  return int(Spread(cell.x) | (Spread(cell.y) << 1u));
}

int CurveIndex(int kind, ivec2 at) { return kind == zero ? HilbertIndex(at) : MortonIndex(at); }

// 96 hues in six sectors; a channel rises or falls through a sector by 15 steps.
ivec3 Hue(int hue, int bright) {
  int part = (hue & 15) * bright / 16;
  ivec3 levels = ivec3(bright, part, zero);
  int sector = (hue >> 4) % 6;
  switch (sector) {
    case 1:
      levels = ivec3(bright - part, bright, zero);
      break;
    case 2:
      levels = ivec3(zero, bright, part);
      break;
    case 3:
      part = bright - part;
      levels = ivec3(zero, part, bright);
      break;
    case 5:
      part = bright - part;
      // falls through: towards red, as towards blue but the other way
    case 4:
      levels = ivec3(sector == 5 ? bright : part, zero, sector == 5 ? part : bright);
      break;
    default:
      break;
  }
  return levels;
}

// The middle of a cell, and arms to the neighbours that come before and after on the curve.
bool OnLine(int kind, ivec2 cell, ivec2 inner, int index) {
  bvec2 middle = bvec2((inner.x + 1 & 2) != 0, (inner.y + 1 & 2) != 0);
  if (middle.x && middle.y) return true;
  if (middle.x == middle.y) return false;
  ivec2 next = cell;
  if (middle.x) next.y += inner.y == 0 ? -1 : 1;
  if (middle.y) next.x += inner.x == 0 ? -1 : 1;
  int cells = one << order;
  if (next.x < zero || next.y < zero || next.x >= cells || next.y >= cells) return false;
  int away = CurveIndex(kind, next) - index;
  return away == one || away == -one;
}

ivec3 Curve(int kind, ivec2 place) {
  ivec2 cell = place >> 2;
  int index = CurveIndex(kind, cell);
  int hue = index * 3 >> 3;
  if (OnLine(kind, cell, place & 3, index)) return Hue(hue, 240);
  return Hue(hue, 40) + (index & 7) * 5;
}

// Rings of the disk from the outermost, and in the last one how many bits are set.
ivec3 GrayTrack(ivec2 place) {
  uint code = uint(place.x) ^ (uint(place.x) >> 1u);
  int ring = place.y >> 3;
  uint parity = uint(bitCount(code)) & 1u;
  if (ring >= 6) return Hue(bitCount(code ^ pattern) * 4 + ring, 150 + int(parity) * 90);
  bool is_set = bitfieldExtract(code, 5 - ring, one) == 1u;
  return is_set ? ivec3(220 - 9 * ring, 200, 170) : ivec3(34, 40 + 6 * ring, 60);
}

ivec3 Reversal(ivec2 place) {
  uint reversed = bitfieldReverse(uint(place.x)) >> 26u;
  int height = 63 - place.y;
  if (height > int(reversed)) return Hue(70 + (height >> 3), 36 + place.x / 2);
  int trailing = findLSB(reversed | 64u);
  return Hue(trailing * 13, 120 + 2 * height);
}

ivec3 Magnitudes(ivec2 place) {
  int product = (place.x + one) * (place.y - 20);
  if (product == zero) return ivec3(250);
  int high = findMSB(product);
  int low = findLSB(product);
  return Hue(7 * high + 20, 90 + 22 * low - high);
}

ivec3 Weave(ivec2 place) {
  uint warp = bitfieldExtract(pattern, place.x & 15, fields.w);
  int weft = bitfieldExtract(int(pattern), place.y >> 2, fields.y + one);
  uint thread = bitfieldInsert(warp, uint(place.y), fields.x, fields.y);
  int crossing = bitfieldInsert(place.x, weft, one, fields.z);
  bool over = ((uint(crossing) ^ thread) & 3u) != 0u;
  return over ? Hue(int(thread), 225 - 4 * weft) : Hue(crossing & 63, 100 + 6 * int(warp));
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  ivec2 place = at % panel_size;
  ivec2 panel = at / panel_size;
  int kind = panel.x + 3 * panel.y;
  ivec3 levels;
  if (kind < 2) {
    levels = Curve(kind, place);
  } else if (kind == 2) {
    levels = GrayTrack(place);
  } else {
    switch (kind) {
      case 3:
        levels = Reversal(place);
        break;
      case 4:
        levels = Magnitudes(place);
        break;
      default:
        levels = Weave(place);
        break;
    }
  }
  color = vec4(vec3(levels) / 255.0, 1.0);
}
