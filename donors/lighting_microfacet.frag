#version 450
// SPDX-License-Identifier: Apache-2.0
// Lighting by tiny mirrors: distribution, shadowing and Fresnel terms, metals by their two
// constants, a table of materials, energy that is kept, and points on a hemisphere by radical
// inverses.
layout(location = 0) in vec4 cosines;  // of normal and half, view, light; of view and half
layout(location = 1) flat in uint sample_count;
layout(location = 0) out vec4 color;

struct Material {
  vec3 base;
  float rough;
  bool metal;
};

const float pi = 3.14159265;

float distribution(float nh, float rough) {
  float a2 = rough * rough * rough * rough;
  float d = nh * nh * (a2 - 1.0) + 1.0;
  return a2 / (pi * d * d);
}

float shadowing(float nv, float nl, float rough) {
  float k = (rough + 1.0) * (rough + 1.0) * 0.125;
  return nv * nl / ((nv * (1.0 - k) + k) * (nl * (1.0 - k) + k));
}

vec3 fresnel(vec3 f0, float cosine) {
  float m = 1.0 - cosine;
  m = m < 0.0 ? 0.0 : (m > 1.0 ? 1.0 : m);
  float m2 = m * m;
  return f0 + (1.0 - f0) * (m2 * m2 * m);
}

// Straight through glass: the cosine inside, its root by Newton's steps; none at total reflection.
bool bends_through(float cosine, float ratio, out float inside) {
  float square = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
  inside = 0.0;
  if (square <= 0.0) return false;
  float y = uintBitsToFloat(0x5f3759dfu - (floatBitsToUint(square) >> 1));
  int left = 3;
  while (left-- > 0) {
    y *= 1.5 - 0.5 * square * y * y;
  }
  inside = square * y;
  return true;
}

void pick_material(int which, out vec3 base, out float rough, out bool metal) {
  metal = false;
  rough = 0.5;
  base = vec3(0.75);
  switch (which & 7) {
    case 0:
      base = vec3(1.0, 0.765625, 0.3359375);
      metal = true;
      break;
    case 1:
      base = vec3(0.953125, 0.640625, 0.5390625);
    case 2:
      metal = true;
      rough = 0.25;
      return;
    case 5:
      base.gb *= 0.125;
    case 6:
      rough = 0.75;
      break;
    default:
      rough *= which < 0 ? 0.5 : 1.0;
  }
  if (metal) {
    rough -= 0.125;
  }
}

vec2 hammersley(uint index, uint count_bits) {
  uint bits = index;
  bits = (bits << 16) | (bits >> 16);
  bits = ((bits & 0x00ff00ffu) << 8) | ((bits >> 8) & 0x00ff00ffu);
  bits = ((bits & 0x0f0f0f0fu) << 4) | ((bits >> 4) & 0x0f0f0f0fu);
  bits = ((bits & 0x33333333u) << 2) | ((bits >> 2) & 0x33333333u);
  bits = ((bits & 0x55555555u) << 1) | ((bits >> 1) & 0x55555555u);
  float step_size = 1.0;
  for (uint i = 0u; i < count_bits && i < 24u; ++i) {
    step_size *= 0.5;
  }
  return vec2(float(index) * step_size, float(bits >> 8) * (1.0 / 16777216.0));
}

vec3 shade(Material m, vec4 c) {
  vec3 f = fresnel(m.metal ? m.base : vec3(0.04), c.w);
  vec3 mirror = f * distribution(c.x, m.rough) * shadowing(c.y, c.z, m.rough) * 0.25;
  vec3 dull = m.metal ? vec3(0.0) : (1.0 - f) * m.base * (1.0 / pi);
  return (mirror + dull) * c.z;
}

void main() {
  Material m;
  vec3 sum = vec3(0.0);
  for (uint i = 0u; i < min(sample_count, 16u); ++i) {
    pick_material(int(i), m.base, m.rough, m.metal);
    sum += shade(m, cosines * (0.5 + 0.5 * hammersley(i, 4u).xyxy));
  }
  float inside;
  sum *= bends_through(cosines.w, 1.5, inside) ? inside : 1.0;
  color = vec4(sum, 1.0);
}
