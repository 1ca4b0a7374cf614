#version 450
#extension GL_EXT_samplerless_texture_functions : require
// SPDX-License-Identifier: Apache-2.0
// Draws a chart of a bay that was sounded four times: a texel of the depths has one sample for each
// survey. A pixel sorts the four soundings of its square, believes the one in the middle unless they
// are too far apart, and lets a float drift from survey to survey to the deepest sounding nearby.
// The bottom, which was sampled with the same surveys on two days, gives the colour.
//
// Exact: integers throughout. Colours are k * (1/255) for integers k from 0 to 255.
layout(location = 0) out vec4 colour;

layout(set = 0, binding = 0) uniform usampler2DMS depths;
layout(set = 0, binding = 1) uniform utexture2DMSArray bottoms;
layout(std140, set = 0, binding = 2) uniform Chart {
  ivec4 tide;     // what each survey has too much
  ivec4 drift;    // steps, how far soundings may differ, what a change of the survey costs, day
  uvec4 inks[2];  // RGB of mud, sand, weed, rock; of contours, doubts, floats, land
} chart;

int DepthAt(ivec2 square, int survey) {
  ivec2 last = textureSize(depths) - 1;
  return int(texelFetch(depths, clamp(square, ivec2(0), last), survey).x) - chart.tide[survey];
}

void Order(inout int a, inout int b) {
  int less = min(a, b);
  b = max(a, b);
  a = less;
}

// The four soundings of a square, the smallest first.
ivec4 Sorted(ivec2 square) {
  ivec4 all;
  for (int survey = 0; survey < textureSamples(depths); ++survey) all[survey & 3] = DepthAt(square, survey);
  Order(all.x, all.y);
  Order(all.z, all.w);
  Order(all.x, all.z);
  Order(all.y, all.w);
  Order(all.y, all.z);
  return all;
}

// Moves the float to the deepest of the soundings around it; returns the depth there.
int Drift(inout ivec2 square, inout int survey) {
  int deepest = DepthAt(square, survey), to = survey;
  ivec2 from = square;
  for (int k = 0; k < 5; ++k) {
    ivec2 next = from + (k < 4 ? ivec2((k & 1) * 2 - 1, 0) * (1 - (k >> 1)) + ivec2(0, (k & 1) * 2 - 1) * (k >> 1)
                               : ivec2(0));
    for (int other = 0; other < 4; ++other) {
      int found = DepthAt(next, other) - (other == survey ? 0 : chart.drift.z);
      if (found <= deepest) continue;
      deepest = found;
      square = next;
      to = other;
    }
  }
  survey = to;
  return deepest;
}

uvec3 Ink(int kind) {
  uint packed = chart.inks[kind >> 2 & 1][kind & 3];
  return uvec3(packed, packed >> 8, packed >> 16) & 255u;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 square = pixel >> 1;
  int survey = (pixel.x & 1) | (pixel.y & 1) << 1;
  ivec4 soundings = Sorted(square);
  bool doubtful = soundings.w - soundings.x > chart.drift.y;
  int depth = doubtful ? DepthAt(square, survey) : (soundings.y + soundings.z) >> 1;

  ivec2 place = square;
  int steps = 0;
  for (int before = -1000; steps < chart.drift.x; ++steps) {
    int now = Drift(place, survey);
    if (now <= before) break;
    before = now;
  }
  uvec4 bottom = texelFetch(bottoms, ivec3(place & 7, chart.drift.w + (steps & 1)), survey);
  uint kind = (bottom[survey] >> 3 ^ bottom.x) & 3u;
  uvec3 rgb = (Ink(int(kind)) * uint(clamp(255 - depth, 64, 255))) >> 8;
  if (depth < 24) rgb = Ink(7);
  if (depth / 32 != soundings.y / 32) rgb = Ink(4);
  if (doubtful && ((pixel.x + pixel.y) & 3) == 0) rgb = Ink(5);
  if (all(equal(place, square)) && steps > 0) rgb = (rgb + Ink(6)) >> 1;
  colour = vec4(vec3(min(rgb, uvec3(255u))) * (1.0 / 255.0), 1.0);
}
