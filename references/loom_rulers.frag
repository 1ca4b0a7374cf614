#version 450
// SPDX-License-Identifier: Apache-2.0
// Reads rulers at a loom. Coordinates of these samplers are those of texels: no sample asks how large its
// image is. A carpet is enlarged by whole steps and by halves, a strip of marks is read along a thread,
// and the fringe beyond the carpet is the border, or the last thread again.
//
// Exact: samples at the centres of texels, and halfway between texels that are equal.
layout(location = 0) out vec4 color;
layout(location = 1) out ivec4 marks;

layout(set = 0, binding = 0) uniform sampler2D carpet;   // nearest, clamps
layout(set = 0, binding = 1) uniform sampler2D fringe;   // nearest, with a border
layout(set = 0, binding = 2) uniform sampler1D ruler;    // linear
layout(set = 0, binding = 3) uniform itexture2D threads;
layout(set = 0, binding = 4) uniform sampler shuttle;    // nearest
layout(std140, set = 0, binding = 5) uniform Loom {
  ivec4 warp[4];  // step, shift, width, knot
  ivec4 weave;    // zoom, phase, slack, tint
} loom;

struct Thread {
  ivec2 at;    // the texel of the carpet
  ivec2 part;  // of the texel, in quarters
  int row;
};

ivec3 LevelsAt(vec2 place) {
  return ivec3(textureLod(carpet, place, 0.0).rgb * 255.0 + 0.5);
}

Thread ThreadAt(ivec2 pixel) {
  int row = pixel.y / 8 & 3;
  ivec4 warp = loom.warp[row];
  ivec2 moved = pixel * warp.x + ivec2(warp.y, loom.weave.y);
  return Thread(moved >> 2, moved & 3, row);
}

// A quarter of a texel away from the middle is the same texel; the marks of the border are black.
ivec3 Woven(Thread thread) {
  vec2 place = vec2(thread.at) + 0.25 + vec2(thread.part & 1) * 0.5;
  ivec3 own = LevelsAt(place);
  vec4 far = textureLod(fringe, place + vec2(loom.warp[thread.row].z, 0.0), 0.0);
  ivec3 edge = ivec3(far.rgb * 255.0 + 0.5);
  if (far.a == 0.0) return own / 2;
  return (own * (4 - thread.part.x) + edge * thread.part.x) / 4;
}

// The ruler has each mark twice, so that halfway between two texels is exact.
int MarkAt(int along) {
  return int(textureLod(ruler, float(along * 2 + 1), 0.0).r * 255.0 + 0.5);
}

int Knots(ivec2 at, int count) {
  int knots = 0;
  for (int i = 0; i < count; ++i) {
    vec2 place = vec2(at.x + i, at.y - i * (i & 1)) + 0.5;
    ivec4 tied = textureLod(isampler2D(threads, shuttle), place, 0.0);
    if (tied.x < 0) {
      knots += 3;
      continue;
    }
    knots += tied.x & 7;
    if (tied.y > 96) break;
  }
  return knots;
}

// A knot of the carpet with its four neighbours, as one gather sees them.
int Crossing(ivec2 at) {
  vec4 four = textureGather(carpet, vec2(at) + 1.0, 1);
  ivec4 level = ivec4(four * 255.0 + 0.5);
  return level.x - level.y + 2 * level.z - level.w;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  Thread thread = ThreadAt(pixel);
  ivec3 woven = Woven(thread);
  int mark = MarkAt(pixel.x / loom.weave.x - 1);
  int knots = Knots(thread.at & 15, loom.warp[thread.row].w);
  int crossing = Crossing(thread.at);
  if (mark > 140) {
    woven = woven.zxy + ivec3(mark / 8);
  } else if (crossing > 60 + loom.weave.z) {
    woven -= ivec3(knots, 2 * knots, 0);
  } else {
    woven.y = woven.y / 2 + knots * 6;
  }
  woven.x ^= loom.weave.w & thread.part.y * 16;
  color = vec4(clamp(woven, 0, 255), 255) * (1.0 / 255.0);
  marks = ivec4(mark, knots, crossing, thread.at.x + 64 * thread.at.y);
}
