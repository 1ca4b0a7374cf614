#version 450
// SPDX-License-Identifier: Apache-2.0
// Weaves a carpet whose field is a motif of 8 by 8 knots and whose margins are what samplers make of
// the motif outside of it: on the left it is mirrored, on the right its last knots are drawn out, at
// the top it mirrors once, and at the bottom bare wool follows. Knots are compared with their three
// neighbours by gathers, and where two colours meet, a thread is cut. Cut threads leave the carpet
// after the tests for depth, which come early, so the hole keeps the height of the thread.
//
// Exact: integers; gathers at corners between texels, and samples at centres, of images whose sides
// are powers of two. With one sample for each pixel, everything per sample is per pixel.
layout(early_fragment_tests) in;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 knots;

layout(set = 0, binding = 0) uniform usampler2D mirrored;
layout(set = 0, binding = 1) uniform usampler2D drawn;
layout(set = 0, binding = 2) uniform usampler2D once;
layout(set = 0, binding = 3) uniform usampler2D wool;
layout(std140, set = 0, binding = 4) uniform Loom {
  uvec4 dyes[8];
  ivec4 frame;   // left, top, right, bottom of the field
  ivec4 thread;  // least difference, shade of a cut, turns of the border, step of the border
} loom;
layout(std430, set = 0, binding = 5) buffer Basket {
  uint cut[32];
  uint least;
  uint most;
};

const ivec2 kSide = ivec2(8);

// 0: the field; then the margins.
int MarginOf(ivec2 knot) {
  if (knot.x < loom.frame.x) return 1;
  if (knot.x >= loom.frame.z) return 2;
  if (knot.y < loom.frame.y) return 3;
  return knot.y >= loom.frame.w ? 4 : 0;
}

// The four knots around the upper left corner of one: below, right below, right, itself.
uvec4 Around(int margin, ivec2 knot) {
  vec2 corner = vec2(knot + 1) / vec2(kSide);
  switch (margin) {
    case 1:
      return textureGather(mirrored, corner);
    case 2:
      return textureGather(drawn, corner);
    case 4:
      return textureGather(wool, corner);
    default:
      break;
  }
  vec2 centre = (vec2(knot) + 0.5) / vec2(kSide);
  uint own = margin == 3 ? textureLod(once, centre, 0.0).x : textureLod(drawn, centre, 0.0).x;
  uint right = textureLodOffset(mirrored, centre, 0.0, ivec2(1, 0)).x;
  uint below = textureLodOffset(once, centre, 0.0, ivec2(0, 1)).x;
  return uvec4(below, own ^ right ^ below, right, own);
}

uint Turned(uint value, int turns) {
  for (int i = 0; i < turns; ++i) value = (value << 3 | value >> 5) & 255u ^ (value & 6u);
  return value;
}

int Difference(uvec4 around) {
  ivec4 knots = ivec4(around & 255u);
  int across = abs(knots.w - knots.z), down = abs(knots.w - knots.x);
  return max(max(across, down), abs(knots.w - knots.y) * 3 / 4);
}

uvec3 Dyed(uint knot, int margin, ivec2 thread) {
  uvec4 dye = loom.dyes[(knot >> 2 ^ uint(margin)) & 7u];
  uint shade = 160u + (knot & 31u) * 2u + ((thread.x ^ thread.y) & 1u) * 24u;
  return min(dye.xyz * shade / 255u, uvec3(255));
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy + (gl_SamplePosition - 0.5));
  ivec2 thread = pixel & 3, knot = (pixel >> 2) - loom.frame.xy;
  int margin = MarginOf(pixel >> 2);
  uvec4 around = Around(margin, knot);
  uint own = margin == 0 ? around.w : Turned(around.w & 255u, loom.thread.z);
  int difference = Difference(around);
  bool edge = difference > loom.thread.x && (thread.x == 3 || thread.y == 3);
  if (!gl_HelperInvocation) {
    uint samples = uint(gl_SampleMaskIn[0] >> gl_SampleID);
    if (edge) atomicAdd(cut[uint(margin) * 6u + (own >> 6)], samples);
    atomicMin(least, own + (uint(difference) << 8));
    atomicMax(most, own + (uint(difference) << 8));
  }
  if (edge && (pixel.x + pixel.y) % 3 == 0) discard;

  uvec3 dyed = Dyed(own, margin, thread);
  if (edge) dyed = dyed * uint(loom.thread.y) / 255u;
  if (margin != 0 && (knot.x + knot.y + 64) % loom.thread.w == 0) dyed = dyed.zxy;
  color = vec4(dyed, 255u) * (1.0 / 255.0);
  knots = uvec4(own, difference, around.xy);
}
