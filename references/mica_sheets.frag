#version 450
// SPDX-License-Identifier: Apache-2.0
// Splits a block of mica into sheets. The block is a 3D image of which one sampler sees the thinnest and
// one the thickest of eight texels; a crack runs where both differ much. The sheets are stacked as samples
// of an image with layers: the pixel that splits a sheet turns its samples round, and leaves a mark in the
// free sample. A torn sheet is left out of the drawn image, whose pixels have one sample.
//
// Exact: the minimum and the maximum of texels, at the middle of each cube of eight.
layout(location = 0) out vec4 color;
layout(location = 1) out ivec4 split;

layout(set = 0, binding = 0) uniform sampler3D thinnest;
layout(set = 0, binding = 1) uniform sampler3D thickest;
layout(set = 0, binding = 2, r32ui) uniform uimage2DMSArray stack;
layout(std140, set = 0, binding = 3) uniform Knife {
  ivec4 blade[4];  // depth, force, way, layers
  ivec4 block;     // width, height, depth, seed
} knife;
layout(set = 0, binding = 4, r32i) uniform writeonly iimage2DMS crumbs;

struct Crack {
  int thin, thick;
  int depth;
};

ivec2 BoundsAt(ivec3 cube) {
  vec3 middle = vec3(cube + 1) / vec3(knife.block.xyz);
  int thin = int(textureLod(thinnest, middle, 0.0).r * 255.0 + 0.5);
  int thick = int(textureLod(thickest, middle, 0.0).r * 255.0 + 0.5);
  return ivec2(thin, thick);
}

// Goes down until the block is even enough.
Crack CrackAt(ivec2 pixel, ivec4 blade) {
  Crack crack = Crack(255, 0, 0);
  for (int z = blade.x; z < blade.x + 6; ++z) {
    ivec2 bounds = BoundsAt(ivec3(pixel >> 1, z));
    crack.thin = min(crack.thin, bounds.x);
    crack.thick = max(crack.thick - blade.y, bounds.y);
    if (crack.thick - crack.thin > 150 + blade.y) break;
    crack.depth += 1 + (bounds.x & 1);
  }
  return crack;
}

uint Turned(uint sheet, int way) {
  int by = way & 31;
  return by == 0 ? ~sheet : sheet << by | sheet >> 32 - by;
}

// Moves the sheets of a layer by one; returns the sum of what moved.
uint Restack(ivec2 pixel, int layer, Crack crack, ivec4 blade) {
  ivec3 at = ivec3(pixel, layer);
  uint top = imageLoad(stack, at, 0).r;
  uint sum = top >> 8;
  for (int i = 0; i < 3; ++i) {
    uint next = imageLoad(stack, at, i + 1).r;
    if ((next & 15u) == uint(crack.depth)) next += uint(crack.thick);
    imageStore(stack, at, i, uvec4(Turned(next, blade.z + i)));
    sum += next & 0xffffu;
  }
  imageStore(stack, at, 3, uvec4(top ^ uint(crack.thin << layer)));
  return sum;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec4 blade = knife.blade[(pixel.x / 5 + pixel.y / 3) & 3];
  Crack crack = CrackAt(pixel, blade);
  uint sum = uint(knife.block.w);
  for (int layer = 0; layer < blade.w; ++layer) sum = sum * 3u + Restack(pixel, layer, crack, blade);

  int crumb = int(sum >> 3 & 3u);
  imageStore(crumbs, pixel, crumb, ivec4(crack.thick - 2 * crack.thin));
  if (crack.depth > 3) imageStore(crumbs, pixel, (crumb + 2) & 3, ivec4(-crack.depth));
  gl_SampleMask[0] = crack.depth > 4 ? 3 << crumb : -1;
  ivec3 level = ivec3(crack.thin * 2, crack.thick - 64, 24 * crack.depth + int(sum & 31u));
  color = vec4(clamp(level, 0, 255), 255) * (1.0 / 255.0);
  split = ivec4(crack.depth, crack.thin, crack.thick, int(sum & 0xffffffu));
}
