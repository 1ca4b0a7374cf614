#version 450
// SPDX-License-Identifier: Apache-2.0
// A floor of tesserae, drawn with four samples for each pixel. A fragment looks at the mortar below its
// pixel, which is an image with as many samples, finds where it is hardest, and chips samples off the stone
// where it is hard. Samples that are chipped off keep the stone below.
//
// Exact: all is integers, but for levels of 8 bits. It runs once for each pixel of a stone.
layout(location = 0) flat in ivec4 cut;  // kind, shade, cut, number
layout(location = 1) flat in ivec2 anchor;
layout(location = 0) out vec4 color;
layout(location = 1) out ivec4 ledger;

layout(set = 0, binding = 0) uniform sampler2DMS mortar;
layout(set = 0, binding = 1) uniform Stones {
  ivec4 palette[4];
} stones;
const int kSamples = 4;
// Where the samples are in a pixel, in sixteenths.
const ivec2 kPlaces[kSamples] = ivec2[kSamples](ivec2(6, 2), ivec2(14, 6), ivec2(2, 10), ivec2(10, 14));

struct Seen {
  int hardness[kSamples];
  int hardest;
  int sum;
};

int Level(float channel) {
  return int(channel * 255.0 + 0.5);
}

Seen Look(uint chosen, ivec2 pixel) {
  Seen seen = Seen(int[kSamples](0, 0, 0, 0), -1, 0);
  for (int i = 0; i < kSamples; ++i) {
    if ((chosen >> i & 1u) == 0u) continue;
    vec4 grout = texelFetch(mortar, pixel, i);
    int hard = Level(grout.r) + 2 * Level(grout.g) - Level(grout.b);
    seen.hardness[i] = hard;
    if (seen.hardest < 0 || hard > seen.hardness[seen.hardest]) seen.hardest = i;
    seen.sum += hard;
  }
  return seen;
}

// How far a sample is from the anchor of the stone, by the grain of its cut.
int Along(ivec2 pixel, int number, int grain) {
  ivec2 away = abs(pixel * 16 + kPlaces[number] - anchor);
  if (grain < 5) return away.x + grain * away.y;
  if (grain < 10) return max(away.x * 2, away.y);
  return (away.x ^ away.y) + grain;
}

uint Chipped(Seen seen, uint chosen, ivec2 pixel) {
  uint left = chosen;
  for (int i = 0; i < kSamples; ++i) {
    int limit = stones.palette[cut.x & 3].z;
    if (seen.hardness[i] > limit && (Along(pixel, i, cut.z) & 31) < 9) left &= ~(1u << i);
  }
  // A stone keeps at least the sample at which the mortar is hardest.
  return left != 0u ? left : chosen & 1u << seen.hardest;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  // Not gl_SampleMaskIn: a device may run the fragment several times, for some samples each.
  uint chosen = 15u ^ 1u << (cut.w & 3);
  if ((cut.z & 1) == 0) chosen = 15u;
  Seen seen = Look(chosen, pixel);
  uint left = Chipped(seen, chosen, pixel);
  gl_SampleMask[0] = int(left);

  ivec4 paint = stones.palette[cut.x & 3];
  int grain = Along(pixel, seen.hardest, cut.z) % 24;
  ivec3 level = ivec3(paint.x + grain, paint.y - grain, (cut.y * 5 + seen.sum / 8) & 255);
  if (bitCount(left) < kSamples) level = level * 3 / 4 + ivec3(8 * int(left));
  color = vec4(clamp(level, 0, 255), 255) * (1.0 / 255.0);
  ledger = ivec4(cut.w, int(chosen) | int(left) << 4, seen.sum, grain);
}
