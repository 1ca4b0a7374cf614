#version 450
// SPDX-License-Identifier: Apache-2.0
// Prints a folded map: on the front contour lines, layers of height as tints, streams that run
// to the lowest neighbour, lakes; on the back the grid of sheets and a watermark. What lies on
// more layers is dappled, what was turned over an odd number of times leans its hatching the
// other way.
//
// Exact: heights at pixels are odd 32nds, coordinates on the paper odd quarters, a long way from
// where they are rounded. Colours are k * (1/255) for integers k from 0 to 255.
layout(location = 0) flat in ivec4 print;
layout(location = 1) in float height;
layout(location = 2) in vec2 sheet_at;
layout(location = 0) out vec4 color;

layout(std140, set = 0, binding = 1) uniform Inks {
  ivec4 tints[2];
  ivec4 paper;    // its colour, and how dark ink is
  ivec3 contour;  // 16ths between lines, between tints in whole units, how many of these
  float opaque;   // 1.0
} inks;

ivec3 Levels(int rgb) { return ivec3(rgb >> 16, rgb >> 8, rgb) & 255; }

ivec3 Tint(int number) {
  ivec4 four = inks.tints[clamp(number, 0, inks.contour.z - 1) >> 2];
  switch (clamp(number, 0, inks.contour.z - 1) & 3) {
    case 0: return Levels(four.x);
    case 1: return Levels(four.y);
    case 2: return Levels(four.z);
    default: return Levels(four.w);
  }
}

ivec3 Inked(ivec3 rgb, int share) { return rgb - rgb * share * inks.paper.w / 1024; }

bool OnStream(ivec2 local) {
  ivec2 from = local - 4;
  int bend = (local.x ^ local.y) & 1;
  switch (print.x) {
    case 0: return abs(from.x) <= bend && from.y <= 0;
    case 1: return abs(from.y) <= bend && from.x >= 0;
    case 2: return abs(from.x) <= bend && from.y >= 0;
    case 3: return abs(from.y) <= bend && from.x <= 0;
  }
  return false;
}

// Rings about the middle of a cell, counted by steps away from it.
int Ring(ivec2 local) {
  ivec2 from = abs(2 * local - 7);
  int steps = 0;
  while (from.x > 1 || from.y > 1) {
    if (from.x >= from.y) {
      from.x -= 2;
    } else {
      from.y -= 2;
    }
    ++steps;
  }
  return steps;
}

ivec3 Front(ivec2 at) {
  int level = int(floor(height * 16.0));
  ivec3 rgb = Tint(level / (16 * inks.contour.y));
  if (print.w != 0) return Inked(ivec3(60, 110, 190), Ring(at & 7) & 3);
  int line = level % inks.contour.x;
  if (line < 6) rgb = Inked(rgb, line < 3 ? 7 : 4);
  if (OnStream(at & 7)) rgb = (rgb + 3 * ivec3(40, 90, 200)) / 4;
  return rgb;
}

ivec3 Back(ivec2 at) {
  ivec3 rgb = inks.paper.xyz;
  if ((at.x & 31) == 0 || (at.y & 31) == 0) return Inked(rgb, 8);
  int lean = print.z != 0 ? at.x + at.y : at.x - at.y + 128;
  if (lean % 6 == 0) rgb = Inked(rgb, 4);
  int mark = 0;
  for (int bits = (at.x >> 2) * (at.y >> 2); bits != 0; bits &= bits - 1) ++mark;
  return (mark & 1) != 0 ? Inked(rgb, 2) : rgb;
}

void main() {
  ivec2 at = ivec2(floor(sheet_at));
  ivec3 rgb = gl_FrontFacing ? Front(at) : Back(at);
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  int layers = print.y - 1;
  for (int layer = 0; layer < layers; ++layer) {
    if (((pixel.x + (pixel.y << layer)) & 7) < 2) rgb = Inked(rgb, 2 + layer);
  }
  color = vec4(vec3(rgb) * (1.0 / 255.0), inks.opaque);
}
