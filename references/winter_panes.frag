#version 450
// SPDX-License-Identifier: Apache-2.0
// Draws a window in winter: sixteen panes behind bars. Ice grows over a pane from its corner, in
// mirrored copies of one flake; frost mirrors only once and then stays as it is; the landscape behind
// ends at a border, and the curtain repeats. Holes are scratched into the ice. What is scratched is
// counted for each pane, once for each fragment that is not a helper, before the holes are discarded:
// tests come early, so the counts include what a nearer bar hides from nobody.
//
// Exact: integers; samples at the centres of texels, also of texels outside of the images, whose sides
// are powers of two. There is one sample for each pixel, so it is number 0, in the middle.
#extension GL_EXT_spirv_intrinsics : require

// SignedZeroInfNanPreserve, for 32 bits.
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);

layout(early_fragment_tests) in;
layout(location = 0) out vec4 color;

layout(set = 0, binding = 0) uniform sampler2D flake;      // mirrors
layout(set = 0, binding = 1) uniform sampler2D frost;      // mirrors once
layout(set = 0, binding = 2) uniform sampler2D landscape;  // has a border
layout(set = 0, binding = 3) uniform sampler2D curtain;    // repeats
layout(std140, set = 0, binding = 4) uniform Window {
  ivec4 bars;     // width, spacing, slant, seed
  ivec4 view;     // x and y of the landscape, x and y of the curtain
  ivec4 cold[4];  // reach of the ice, of the frost, scratches, turn
} window;
layout(std430, set = 0, binding = 5) buffer Counts {
  uint scratched[16];
  uint hidden[16];
} counts;

struct Pane {
  ivec2 place;   // of the pixel, from the corner of the pane
  int number;
  ivec4 cold;
};

// The level of red, green or blue of a texel, from 0 to 255.
int Level(sampler2D image, ivec2 texel, int component) {
  ivec2 size = textureSize(image, 0);
  vec2 centre = (vec2(texel) + 0.5) / vec2(size);
  vec4 sampled = textureLod(image, centre, 0.0);
  float levels[3] = float[3](sampled.r, sampled.g, sampled.b);
  return int(levels[component] * 255.0 + 0.5);
}

uint Mixed(uint key) {
  for (int i = 0; i < 3; ++i) key = (key ^ key >> 15) * 0x9e3779b1u + uint(window.bars.w);
  return key ^ key >> 13;
}

Pane PaneAt(ivec2 pixel) {
  ivec2 cell = pixel >> 4;
  int number = cell.x + 4 * cell.y;
  ivec2 place = pixel & 15;
  ivec4 cold = window.cold[(number + (number >> 2)) & 3];
  // Panes are turned by quarters.
  for (int turn = 0; turn < (cold.w + number & 3); ++turn) place = ivec2(15 - place.y, place.x);
  return Pane(place, number, cold);
}

bool IsBar(ivec2 pixel) {
  int along = pixel.x + (pixel.y * window.bars.z >> 3);
  return (along % window.bars.y) < window.bars.x || (pixel.y & 31) < window.bars.x;
}

// Ice from the corner; each copy of the flake is the mirror image of the one before.
int Ice(Pane pane) {
  int far = pane.place.x + pane.place.y;
  if (far > pane.cold.x) return 0;
  ivec2 texel = pane.place * 2 - ivec2(pane.number, 3 * pane.number);
  return Level(flake, texel, far & 1) * (pane.cold.x - far + 8) / (pane.cold.x + 8);
}

int Frost(Pane pane) {
  ivec2 texel = ivec2(pane.place.x - 8, 7 - pane.place.y) * 2;
  int level = Level(frost, texel, 0);
  return pane.place.y < pane.cold.y ? level : level / 4;
}

bool IsScratched(Pane pane, ivec2 pixel) {
  uint key = Mixed(uint(pixel.x / 3 + 64 * (pixel.y / 2)));
  return int(key & 15u) < pane.cold.z;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  Pane pane = PaneAt(pixel);
  bool bar = IsBar(pixel);
  bool scratched = IsScratched(pane, pixel) && !bar;
  // The sample, its place and its mask are those of a pixel with one sample.
  ivec2 middle = ivec2(gl_SamplePosition * 4.0) - 2 + gl_SampleID;
  int samples = bitCount(uint(gl_SampleMaskIn[0]));
  if (!gl_HelperInvocation) {
    if (scratched) atomicAdd(counts.scratched[pane.number], uint(samples));
    if (bar) atomicAdd(counts.hidden[15 - pane.number], uint(1 + gl_SampleID));
  }
  if (scratched && (pane.place.x + pane.place.y & 3) == 0) discard;

  ivec3 level = ivec3(0);
  for (int i = 0; i < 3; ++i) {
    level[i] = Level(landscape, pixel - window.view.xy + middle, i);
    if (level[i] == 0) level[i] = Level(curtain, pixel + window.view.zw, i) / 2;
  }
  int ice = Ice(pane), frost = Frost(pane);
  if (bar) {
    level = ivec3(40, 24, 16) + (level >> 3);
  } else if (scratched) {
    level = level * 3 / 4 + ivec3(16);
  } else {
    level = min(level + ivec3(ice / 3, ice / 2, ice), 255);
    level = (level * (512 - frost) + 255 * frost) / 512;
  }
  color = vec4(level, 255) * (1.0 / 255.0);
}
