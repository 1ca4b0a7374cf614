#version 460
// SPDX-License-Identifier: Apache-2.0
// Draws string art with Bresenham's lines and the midpoint circle: ten strings across a corner, a
// wheel of four rings, and a dashed polygon round it. There is no canvas: each pixel walks every
// figure from its start until the walk comes by, and the colour tells how many steps that took (so
// strings and rings are dashed). Pixels that no figure meets look at a checkered paper; pixels
// outside the paper's round corners are discarded and keep the clear colour.
//
// Stable: integer coordinates and error terms only; every walk ends by the number of its steps.
// Colours are k * (1/255) for integers k from 0 to 255.
layout(location = 0) out vec4 color;

layout(std140, set = 0, binding = 0) uniform Figures {
  ivec4 rings[4];    // middle, radius, bits of the octants drawn
  ivec2 corners[7];  // of the polygon
  ivec4 fan;         // first string: from (x, y) to (z, w)
  ivec4 fan_step;    // from string to string
  int strings;       // 10
  int sides;         // 6
  int round_corner;  // 14
  uint dash;         // 32 steps, drawn or not
} figures;
layout(std140, set = 0, binding = 1) uniform Helpers {
  int one;       // 1
  float opaque;  // 1.0
} helpers;

const int kMiss = -1;

struct Hit {
  int figure;  // its number, the last one met is on top
  int steps;   // how far along it
  int met;     // figures
};

bool Drawn(int steps) { return ((figures.dash >> (steps & 31)) & 1u) == 1u; }

// The number of the step at which the line comes to the pixel.
int WalkLine(ivec2 from, ivec2 to, ivec2 pixel) {
  ivec2 low = min(from, to);
  ivec2 high = max(from, to);
  if (any(lessThan(pixel, low)) || any(greaterThan(pixel, high))) return kMiss;
  ivec2 span = high - low;
  ivec2 turn = sign(to - from);
  ivec2 at = from;
  int error = span.x - span.y;
  int steps = 0;
  while (at != pixel) {
    if (at == to) return kMiss;
    int twice = 2 * error;
    if (twice + span.y >= 0) {
      error -= span.y;
      at.x += turn.x;
    }
    if (twice <= span.x) {
      error += span.x;
      at.y += turn.y;
    }
    steps += helpers.one;
  }
  return steps;
}

// Which of the eight images of the octant's point is the pixel, or kMiss.
int Octant(ivec2 offset, int x, int y) {
  int octant = 0;
  ivec2 first = abs(offset);
  if (first.y > first.x) {
    octant = 4;
    first = first.yx;
  }
  if (first.x != x || first.y != y) return kMiss;
  if (offset.x < 0) octant |= 1;
  if (offset.y < 0) octant |= 2;
  return octant;
}

int WalkRing(ivec4 ring, ivec2 pixel) {
  ivec2 offset = pixel - ring.xy;
  int x = ring.z;
  int y = 0;
  int decision = 1 - x;
  for (; y <= x; y++) {
    int octant = Octant(offset, x, y);
    if (octant != kMiss) {
      if (((ring.w >> octant) & 1) == 0) break;
      return 4 * octant + y;
    }
    if (decision > 0) {
      x--;
      decision -= 2 * x;
    }
    decision += 2 * y + 3;
  }
  return kMiss;
}

void Meet(inout Hit hit, int figure, int steps) {
  if (steps == kMiss) return;
  hit.met++;
  if (!Drawn(steps + figure)) return;
  hit.figure = figure;
  hit.steps = steps;
}

Hit FindAll(ivec2 pixel) {
  Hit hit = Hit(kMiss, 0, 0);
  ivec4 string = figures.fan;
  for (int i = 0; i < figures.strings; i++) {
    Meet(hit, i, WalkLine(string.xy, string.zw, pixel));
    string += figures.fan_step;
  }
  int figure = figures.strings;
  for (int i = 0; i < figures.sides; i++) {
    Meet(hit, figure++, WalkLine(figures.corners[i], figures.corners[i + 1], pixel));
  }
  for (int i = 0; i < 4; i++) Meet(hit, figure++, WalkRing(figures.rings[i], pixel));
  return hit;
}

bool OffThePaper(ivec2 pixel, int side) {
  ivec2 inward = min(pixel, side - 1 - pixel);
  ivec2 left = figures.round_corner - inward;
  if (left.x <= 0 || left.y <= 0) return false;
  return left.x * left.x + left.y * left.y > figures.round_corner * figures.round_corner;
}

ivec3 Ink(Hit hit) {
  int fade = hit.steps & 63;
  if (hit.figure < figures.strings) return ivec3(250 - 2 * fade, 90 + 12 * hit.figure, 40 + fade);
  int shape = hit.figure - figures.strings;
  if (shape >= figures.sides) return ivec3(60 + fade, 200 - 30 * (shape - figures.sides), 250);
  return ivec3(90 + 25 * shape, 240 - fade, 110);
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  if (OffThePaper(pixel, 128)) discard;
  Hit hit = FindAll(pixel);
  ivec3 rgb;
  if (hit.figure != kMiss) {
    rgb = Ink(hit);
  } else {
    int tile = ((pixel.x >> 3) + (pixel.y >> 3)) & 1;
    rgb = ivec3(20, 22, 36) + 7 * tile + 30 * hit.met + (pixel >> 3).xyy;
  }
  color = vec4(vec3(rgb) * (1.0 / 255.0), helpers.opaque);
}
