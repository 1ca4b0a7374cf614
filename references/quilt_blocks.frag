#version 450
// SPDX-License-Identifier: Apache-2.0
// Prints the fabric of quilt blocks: stripes of a patch's history, checks, dots or sprigs, on the
// wrong side, which mirrored blocks show, paler and without a sharp print. Patches wear out with
// age, seams and a binding lie where patches end, and a quilting thread runs through everything in
// rings and waves, its stitches three pixels long.
//
// Exact: places from the middle are halves of pixels, rounded down; the rest are integers.
// Colours are k * (1/255).
layout(location = 0) flat in ivec4 history;
layout(location = 1) flat in uvec4 dyes;
layout(location = 2) in vec2 thread;
layout(location = 3) flat in float worn;
layout(location = 0) out vec4 color;

layout(std140, set = 0, binding = 1) uniform Prints {
  ivec4 sprigs;  // 25 bits each, rows from the top
  ivec4 seam;    // RGB of seams, of the binding, of the quilting thread; half a side
  ivec4 rings;   // radii of quilting, in pixels
  float opaque;  // 1.0
} prints;

ivec3 Levels(int rgb) { return ivec3(rgb >> 16, rgb >> 8, rgb) & 255; }

// Of values from -32 on: the rest of a negative number is undefined.
int Wrapped(int value, int period) { return (value + 32 * period) % period; }

bool InSprig(int sprig, ivec2 at) {
  ivec2 cell = ivec2(Wrapped(at.x, 6), Wrapped(at.y, 6));
  if (cell.x == 5 || cell.y == 5) return false;
  return (prints.sprigs[sprig] >> (24 - cell.y * 5 - cell.x) & 1) != 0;
}

bool IsPrinted(ivec2 at) {
  switch (int(dyes.z) & 3) {
    case 0: return (history.x >> (Wrapped(at.x + at.y, 16) >> 1) & 1) != 0;
    case 1: return ((Wrapped(at.x, 4 + history.z) >> 1) + (Wrapped(at.y, 6) >> 1) & 1) != 0;
    case 2: {
      ivec2 cell = ivec2(Wrapped(at.x, 5), Wrapped(at.y + history.w, 5)) - 2;
      return cell.x * cell.x + cell.y * cell.y <= 1 + history.y;
    }
  }
  return InSprig(history.w & 3, at + int(dyes.w));
}

// The number of the ring of quilting; -1: none.
int RingAt(ivec2 at) {
  int square = at.x * at.x + at.y * at.y;
  for (int i = 0; i < 4; ++i) {
    int radius = prints.rings[i];
    if (square >= radius * radius && square < (radius + 1) * (radius + 1)) return i;
  }
  return -1;
}

bool IsStitched(ivec2 at) {
  int ring = RingAt(at);
  if (ring >= 0) return Wrapped(abs(at.x) - abs(at.y) + ring, 4) != 3;
  int wave = abs(Wrapped(at.x + int(dyes.w) * 2, 12) - 6);
  return at.y == wave - 3 - prints.seam.w / 2 && Wrapped(at.x, 4) != 0;
}

// 0: a patch, 1: a seam between patches, 2: the binding at the block's sides.
int EdgeAt(ivec2 at) {
  ivec2 far = max(at, -1 - at);
  if (max(far.x, far.y) >= prints.seam.w - 1) return 2;
  bool inner = (at.x == 0 || at.y == 0) && history.z < 8;
  return inner || (far.x == far.y && (history.z & 1) == 1) ? 1 : 0;
}

void main() {
  ivec2 at = ivec2(floor(thread));
  bool front = gl_FrontFacing;
  bool printed = IsPrinted(front ? at : at >> 1);
  ivec3 level = Levels(int(printed ? dyes.y : dyes.x));
  if (!front) level = (level + 3 * 224) >> 2;
  level = min(level + int(worn), 255);
  int edge = EdgeAt(at);
  if (edge == 1) level = (level + Levels(prints.seam.x)) / 2;
  if (edge == 2) level = Levels(prints.seam.y) - ivec3(history.z * 4);
  if (edge == 0 && IsStitched(at)) level = Levels(prints.seam.z);
  color = vec4(vec3(clamp(level, 0, 255)) * (1.0 / 255.0), prints.opaque);
}
