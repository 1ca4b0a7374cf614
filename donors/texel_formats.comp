#version 450
// SPDX-License-Identifier: Apache-2.0
// Storage images of many formats, and the arithmetic of their texels: rounding to levels, shared
// exponents, planes of bits, palettes, and texels that are blended in integers.
layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0, rgba8) uniform image2D colours;
layout(set = 0, binding = 1, rg8_snorm) uniform image2D slopes;
layout(set = 0, binding = 2, r16ui) uniform uimage2D numbers;
layout(set = 0, binding = 3, rg32i) uniform iimage3D pairs;
layout(set = 0, binding = 4, rgba16) uniform image2DArray layers;
layout(set = 0, binding = 5, r8) uniform image1D ramp;
layout(set = 0, binding = 6, r32i) uniform iimage2D counts;
layout(set = 0, binding = 7, rg16) uniform imageBuffer strip;
layout(set = 0, binding = 8) uniform samplerBuffer tones;

uvec4 bytes_of(vec4 colour) { return uvec4(clamp(colour, 0.0, 1.0) * 255.0 + 0.5); }

// Blends bytes without a division: (x * 257 + 257) >> 16 is x / 255, rounded down.
uvec3 over(uvec4 above, uvec3 below) {
  uvec3 sum = above.rgb * above.a + below * (255u - above.a);
  return (sum * 257u + 257u) >> 16;
}

// Three numbers of nine bits and the exponent that they share.
uint with_shared_exponent(uvec3 whole) {
  uint most = max(max(whole.r, whole.g), whole.b);
  uint shift = 0u;
  while (most >> shift > 511u && shift < 31u) {
    ++shift;
  }
  uvec3 kept = whole >> shift;
  if (shift > 0u) {
    uvec3 carry = whole >> (shift - 1u) & 1u;
    kept = min(kept + carry, uvec3(511u));
  }
  return kept.r | kept.g << 9 | kept.b << 18 | shift << 27;
}

uint plane_of(uint texels[8], uint plane) {
  uint bits = 0u;
  for (int i = 0; i < 8; i++) {
    bits = bits << 1 | (texels[i] >> (plane & 7u) & 1u);
  }
  return bits;
}

int nearest_entry(uvec3 colour, uvec3 palette[4]) {
  int best = -1;
  uint least = ~0u;
  for (int i = 0; i < 4; ++i) {
    ivec3 away = ivec3(colour) - ivec3(palette[i]);
    uint far = uint(away.x * away.x * 2 + away.y * away.y * 4 + away.z * away.z);
    if (far < least) {
      least = far;
      best = i;
    } else if (far == least && (i & 1) == 0) {
      best = i;
    }
  }
  return best;
}

// A tone between those of a buffer, in thirds, and kept in another buffer.
float kept_tone(int at, int thirds) {
  float low = texelFetch(tones, at & 31).x, high = texelFetch(tones, (at + 1) & 31).x;
  float tone = low;
  for (int i = thirds % 3; i > 0; --i) {
    tone += (high - low) * 0.25;
  }
  vec4 old = imageLoad(strip, at & 31);
  imageStore(strip, at & 31, old.x < tone ? vec4(tone, old.yzw) : vec4(old.x, tone, 0.0, 1.0));
  return old.x + tone;
}

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy) & 15;
  uvec4 colour = bytes_of(imageLoad(colours, at));
  vec2 slope = imageLoad(slopes, at.yx).xy;
  uint texels[8];
  for (int i = 0; i < 8; ++i) {
    texels[i] = imageLoad(numbers, (at + i) & 15).x;
  }
  uvec3 first = uvec3(texels[0], texels[1], texels[2]);
  uvec3 palette[4] = uvec3[4](colour.rgb, first, uvec3(255u), uvec3(0u));
  uvec3 blended = over(colour, uvec3(texels[5], texels[6], texels[7]) & 255u);
  int entry = nearest_entry(blended, palette);
  uint shared_word = with_shared_exponent(blended << (texels[3] & 15u));
  imageStore(colours, at, vec4(blended, 255.0) * (1.0 / 255.0));
  imageStore(pairs, ivec3(at, entry & 3), ivec4(shared_word, plane_of(texels, uint(entry)), 0, 0));
  imageStore(layers, ivec3(at, entry & 1), vec4(slope, kept_tone(at.x, entry & 7), 1.0));
  imageStore(ramp, at.x, vec4(abs(slope.x)));
  imageAtomicMin(counts, at, int(shared_word >> 27));
}
