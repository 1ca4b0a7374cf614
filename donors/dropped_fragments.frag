#version 450
// SPDX-License-Identifier: Apache-2.0
// Fragments that are dropped: by discarding, by becoming helpers, and by what neighbours see;
// dithered fading, holes by patterns, and layers that are peeled. Three targets, and a depth that
// only grows.
#extension GL_EXT_demote_to_helper_invocation : require
layout(depth_greater) out float gl_FragDepth;
layout(location = 0) in vec4 place;
layout(location = 1) flat in uvec2 mask;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec2 marks;
layout(location = 2) out ivec4 edges;

// A rank of a 4 by 4 pattern, from bits of the place.
uint dither_rank(ivec2 at) {
  uint rank = 0u;
  int crossed = at.x ^ at.y;
  for (int bit = 0; bit < 2; ++bit) {
    rank = rank << 2 | uint(crossed >> bit & 1) << 1 | uint(at.y >> bit & 1);
  }
  return rank;
}

bool fades(ivec2 at, float share) {
  if (share <= 0.0) {
    return true;
  }
  return share < 1.0 && share * 16.0 <= float(dither_rank(at)) + 0.5;
}

// Whether a mask of 8 by 8 has a hole here, after turns and mirrors that the upper bits name.
bool has_hole(ivec2 at, uvec2 bits) {
  uint way = bits.y >> 29;
  at &= 7;
  if ((way & 1u) != 0u) {
    at = at.yx;
  }
  if ((way & 2u) != 0u) {
    at.x = 7 - at.x;
  }
  uint place_in = uint(at.y * 8 + at.x) % 61u;
  return (place_in < 32u ? bits.x >> place_in & 1u : bits.y >> (place_in - 32u) & 1u) != 0u;
}

vec4 peeled(vec4 layers[4], float depth, out int count) {
  vec4 sum = vec4(0.0);
  count = 0;
  for (int i = 3; i >= 0; --i) {
    if (layers[i].w <= depth) {
      continue;
    }
    sum = mix(sum, vec4(layers[i].rgb, 1.0), 0.5);
    ++count;
    if (count == 3) {
      break;
    }
  }
  return sum;
}

ivec2 steps_of(float level) {
  return ivec2(int(dFdxFine(level)), int(dFdyFine(level)));
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  vec4 bits = vec4(mask & 255u, mask >> 24) * 0.004;
  vec4 layers[4] = vec4[4](place, place.yzwx * 0.5, bits, vec4(0.25));
  int count;
  vec4 sum = peeled(layers, place.z, count);
  bool hole = has_hole(at, mask);
  if (hole) {
    demote;
  }
  ivec2 steps = steps_of(floor(place.x * 16.0));
  if (fades(at, place.w)) {
    discard;
  }
  gl_FragDepth = min(1.0, gl_FragCoord.z + 0.125 * float(count));
  color = sum;
  marks = uvec2(dither_rank(at), helperInvocationEXT() ? 1u : 0u);
  edges = ivec4(steps, count, hole ? 1 : 0);
}
