#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Value noise in one, two and three dimensions: corners hashed from integers, weights of three
// kinds, a loop over the corners of a cube, and a sum of octaves that ends when nothing is to be
// seen.
precision highp float;
precision highp int;
layout(location = 0) in vec3 where;
layout(location = 0) out vec4 color;

// Wang's mixing, to a number from 0 up to 1 by way of the mantissa.
float hash_to_unit(uint n) {
  n = (n ^ 61u) ^ (n >> 16);
  n *= 9u;
  n ^= n >> 4;
  n *= 0x27d4eb2du;
  n ^= n >> 15;
  return uintBitsToFloat(0x3f800000u | (n >> 9)) - 1.0;
}

float ease(float t, int kind) {
  switch (kind) {
    case 0:
      return t;
    case 1:
      return t * t * (3.0 - 2.0 * t);
    case 2:
      return t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
  }
  return t < 0.5 ? 0.0 : 1.0;
}

// The whole part as an integer, by adding so much that the fraction falls off.
ivec2 whole_part(vec2 x) {
  vec2 low = floor(x);
  return ivec2(floatBitsToInt(low + 12582912.0)) - 0x4b400000;
}

float line_noise(float x, uint seed) {
  float low = floor(x);
  uint at = floatBitsToUint(low + 12582912.0) + seed;
  uint a = at * 0x9e3779b9u, b = (at + 1u) * 0x9e3779b9u;
  a ^= a >> 16;
  b ^= b >> 16;
  float t = x - low;
  t = t * t * (3.0 - 2.0 * t);
  return mix(float(a & 255u), float(b & 255u), t) * (1.0 / 255.0);
}

float cube_noise(ivec3 cell, vec3 inside) {
  float sum = 0.0;
  for (int i = 0; i < 8; ++i) {
    ivec3 corner = ivec3(i & 1, (i >> 1) & 1, i >> 2);
    ivec3 at = (cell + corner) * ivec3(131, 197, 269);
    uint h = uint(at.x + at.y + at.z);
    h = (h << 13) ^ h;
    h = h * (h * h * 15731u + 789221u) + 1376312589u;
    float weight = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
      weight *= corner[axis] == 1 ? inside[axis] : 1.0 - inside[axis];
    }
    if (weight == 0.0) continue;
    sum += weight * float((h >> 16) & 0x7fffu);
  }
  return sum * (1.0 / 32767.0);
}

float octaves(vec3 p, float gain) {
  float sum = 0.0, size = 1.0;
  int i = 0;
  do {
    ivec3 cell = ivec3(floor(p));
    sum += size * cube_noise(cell, p - vec3(cell));
    size *= gain;
    p = p.yzx * 2.0 + 0.375;
  } while (++i < 7 && size > 0.015625);
  return sum;
}

void main() {
  ivec2 cell = whole_part(where.xy);
  float flat_one = mix(hash_to_unit(uint(cell.x)), hash_to_unit(uint(cell.y)), ease(where.z, 2));
  color = vec4(flat_one, line_noise(where.x, 7u), octaves(where, 0.5), 1.0);
}
