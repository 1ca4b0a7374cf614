#version 450
#extension GL_EXT_samplerless_texture_functions : require
// SPDX-License-Identifier: Apache-2.0
// Images of every kind: sampled with bias, gradients and levels, fetched, gathered, in arrays,
// cubes and volumes, with shadow; texture and sampler apart; and filters that work on what came.
layout(location = 0) in vec2 place;
layout(location = 1) in vec3 way;
layout(location = 2) flat in int layer;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec2 counts;

layout(set = 0, binding = 0) uniform sampler2D base;
layout(set = 0, binding = 1) uniform sampler2DArray sheets;
layout(set = 0, binding = 2) uniform samplerCube sky;
layout(set = 0, binding = 3) uniform sampler3D volume;
layout(set = 0, binding = 4) uniform usampler2D marks;
layout(set = 0, binding = 5) uniform sampler2DShadow shadow;
layout(set = 0, binding = 6) uniform texture2D bare;
layout(set = 0, binding = 7) uniform sampler plain;
layout(set = 0, binding = 8, r32ui) uniform uimage2D tally;
layout(set = 0, binding = 9, rgba8) uniform readonly image2D old;

// Fifteen bits of neighbours around a corner become a tile's number.
int tile_number(uvec4 around, uint kind) {
  int number = 0;
  for (int i = 0; i < 4; ++i) {
    number += number;
    if (around[i] == kind) {
      ++number;
    } else if (around[i] > kind + 8u) {
      number |= 16;
    }
  }
  switch (number) {
    case 5:
    case 10:
      number ^= 15;
      break;
    case 15:
      return 0;
    default:
      if (number > 15) {
        number &= 15;
      }
      break;
  }
  return number;
}

vec4 cubic_shares(float t) {
  float u = 1.0 - t;
  vec4 shares;
  shares.x = u * u * u * (1.0 / 6.0);
  shares.y = (4.0 - 3.0 * t * t * (2.0 - t)) * (1.0 / 6.0);
  shares.z = (4.0 - 3.0 * u * u * (2.0 - u)) * (1.0 / 6.0);
  shares.w = t * t * t * (1.0 / 6.0);
  return shares;
}

float smallest_of(float samples[9], int skipped) {
  float least = 1.0e9;
  float next = 1.0e9;
  for (int i = 0; i < 9; ++i) {
    if (i == skipped) {
      continue;
    }
    if (samples[i] < least) {
      next = least;
      least = samples[i];
    } else if (samples[i] < next) {
      next = samples[i];
    }
    if (least <= 0.0) {
      break;
    }
  }
  return next - least > 0.5 ? next : least;
}

int face_of(vec3 v) {
  vec3 size = abs(v);
  if (size.x >= size.y && size.x >= size.z) {
    return v.x < 0.0 ? 1 : 0;
  }
  if (size.y >= size.z) {
    return v.y < 0.0 ? 3 : 2;
  }
  return v.z < 0.0 ? 5 : 4;
}

vec4 bicubic(vec2 at) {
  ivec2 size = textureSize(base, 0);
  vec2 texel = at * vec2(size) - 0.5;
  ivec2 corner = ivec2(floor(texel));
  vec4 across = cubic_shares(fract(texel.x));
  vec4 down = cubic_shares(fract(texel.y));
  vec4 sum = vec4(0.0);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 4; ++x) {
      ivec2 from = clamp(corner + ivec2(x, y) - 1, ivec2(0), size - 1);
      sum += texelFetch(base, from, 0) * across[x] * down[y];
    }
  }
  return sum;
}

float soft_shadow(vec3 at) {
  float lit = 0.0;
  for (int i = 0; i < 4; ++i) {
    vec2 offset = vec2(i & 1, i >> 1) * 0.01;
    lit += textureLod(shadow, at + vec3(offset, 0.0), 0.0);
  }
  vec4 four = textureGather(shadow, at.xy, at.z);
  return 0.125 * lit + 0.125 * dot(four, vec4(1.0));
}

vec4 all_kinds(vec2 at, vec3 to) {
  vec4 sum = texture(base, at, 0.5) + textureGrad(base, at, dFdx(at) * 2.0, dFdy(at) * 2.0);
  sum += textureOffset(base, at, ivec2(1, -1)) + textureProj(base, vec3(at, 2.0));
  sum += textureLod(sheets, vec3(at, float(layer)), 1.0) + texture(sky, to);
  sum += texelFetch(volume, ivec3(to * 4.0) & 3, 0);
  sum += textureGather(base, at, 2) + textureGatherOffset(base, at, ivec2(0, 1), 1);
  sum += texture(sampler2D(bare, plain), at.yx) + texelFetch(bare, ivec2(at * 8.0) & 7, 0);
  return sum * (1.0 / 11.0);
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  uvec4 around = textureGather(marks, place, 0);
  int number = tile_number(around, uint(layer));
  vec2 lod = textureQueryLod(base, place);
  float samples[9];
  for (int i = 0; i < 9; ++i) {
    samples[i] = imageLoad(old, pixel + ivec2(i % 3, i / 3) - 1).x;
  }
  vec4 sum = all_kinds(place, way) + 0.25 * bicubic(place);
  if (number > 12 && soft_shadow(way) < 0.125) {
    discard;
  }
  uint before = imageAtomicAdd(tally, pixel & 15, uint(number));
  imageStore(tally, (pixel + 1) & 15, uvec4(before >> 1));
  sum.w = smallest_of(samples, face_of(way));
  color = sum + vec4(lod, 0.0, 0.0) * float(textureQueryLevels(base));
  counts = uvec2(before, uint(number) + uint(imageSize(tally).x));
}
