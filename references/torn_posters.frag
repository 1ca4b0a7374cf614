#version 450
// SPDX-License-Identifier: Apache-2.0
// Layers of posters on a wall, torn by strips: where a poster is torn off, the fragment is demoted,
// or ends, or only loses its layer. Demoted fragments go on as helpers, which see the rest of the
// posters for the sake of their neighbours: the edges of a poster are found by differences within a
// quad, of integers that are exact in floats. Three targets: the wall, what was counted, and the
// paste.
//
// Exact: integers, and differences of whole numbers below 2^20 as floats. Derivatives are taken
// before any fragment ends, and demoted ones do not end. A colour is k * (1/255) for an integer k
// from 0 to 255.
#extension GL_EXT_demote_to_helper_invocation : require

layout(location = 0) out vec4 wall;
layout(location = 1) out uvec4 counts;
layout(location = 2) out ivec4 paste;

layout(std140, set = 0, binding = 0) uniform Posters {
  ivec4 place[6];  // left, top, width and height
  ivec4 paper[6];  // red, green, blue, and the way in which it is torn
  int strip;       // the width of a strip that comes off at once
  int zero;
  int one;
};
layout(constant_id = 3) const int kPosters = 4;   // 6 in the inputs
layout(constant_id = 4) const uint kMix = 0x1234u;
layout(constant_id = 7) const bool kRagged = false;

const int kOff = 1;      // the whole fragment is torn off
const int kEnded = 2;    // it ends at once
const int kPeeled = 4;   // only this layer comes off

uint Mixed(uint value) {
  value ^= value >> 16;
  value *= 0x7feb352du + kMix * 2u;
  value ^= value >> 15;
  value *= 0x846ca68bu;
  return value ^ value >> 16;
}

bool Covers(int poster, ivec2 at) {
  ivec2 inner = at - place[poster].xy;
  return all(greaterThanEqual(inner, ivec2(zero))) && all(lessThan(inner, place[poster].zw));
}

// How far a strip has come off, in pixels from the upper edge of the poster.
int TornTo(int poster, int x) {
  int number = x / strip;
  uint mixed = Mixed(uint(number * 8 + poster));
  int depth = int(mixed & 63u) - 12;
  if (kRagged) depth += (x * 5 ^ poster) & 3;
  return depth;
}

int TearOf(int poster, ivec2 at) {
  ivec2 inner = at - place[poster].xy;
  if (inner.y >= TornTo(poster, inner.x)) return zero;
  switch (paper[poster].w) {
    case 0:
      return kPeeled;
    case 1:
      return (inner.x ^ inner.y) % 5 == 0 ? kOff : kPeeled;
    case 2:
      return kOff;
    default:
      return inner.y < 6 ? kEnded : kPeeled;
  }
}

// Lines of print on a poster: dark where the bits of a mixed number say so.
int Ink(int poster, ivec2 at) {
  ivec2 inner = at - place[poster].xy;
  if ((inner.y & 7) > 4 || inner.x < 3) return zero;
  uint row = Mixed(uint(poster * 64 + (inner.y >> 3)));
  return (row >> (uint(inner.x) & 31u) & 1u) != 0u ? 90 : 8;
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int top = -one, layers = zero, tears = zero, thickness = zero;
  for (int poster = zero; poster < kPosters; poster++) {
    if (!Covers(poster, at)) continue;
    int tear = TearOf(poster, at);
    tears |= tear;
    if (tear != kPeeled) {
      top = poster;
      layers++;
      thickness += paper[poster].x & 15;
    }
  }

  // What neighbours in the quad see, before anything ends.
  float level = float(thickness * 16 + layers);
  ivec2 slope = ivec2(int(dFdxFine(level)), int(dFdyFine(level)));
  bool gone = (tears & kOff) != zero && layers < 3;
  if (gone) demote;

  // Helpers go on here, and take part in the differences of those that were not demoted.
  float height = float(gone ? thickness + 64 : thickness);
  int step_across = int(dFdxFine(height));
  int step_down = int(dFdyFine(height));

  if ((tears & kEnded) != zero && top < 2) discard;
  ivec3 levels = ivec3(150, 140, 130) - int(Mixed(uint(at.y * 97 + at.x * 3)) & 15u);
  if (top >= zero) levels = paper[top].xyz - Ink(top, at);
  if (slope.x != zero || slope.y != zero) levels = levels * 3 / 4;
  if (abs(step_across) >= 48) levels.y += 60;
  if (abs(step_down) >= 48) levels.z += 60;
  wall = vec4(vec3(clamp(levels, 0, 255)) * (1.0 / 255.0), 1.0);
  counts = uvec4(layers, tears, top + one, Mixed(uint(thickness)) >> 20);
  paste = ivec4(slope, step_across, step_down);
}
