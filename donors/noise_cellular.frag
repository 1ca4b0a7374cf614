#version 330
// SPDX-License-Identifier: Apache-2.0
// Cellular noise: the two nearest of hashed points by several measures, kept in order as they come,
// cracks between cells, spots of random size, and Poisson numbers of points in each cell.
#extension GL_ARB_separate_shader_objects : enable
layout(location = 0) in vec2 place;
layout(location = 1) flat in int measure;
layout(location = 0) out vec4 color;

uint state;

vec2 feature(ivec2 cell) {
  uint h = uint(cell.x * 1597 + cell.y * 51749);
  h = (h ^ (h >> 16)) * 0x7feb352du;
  h = (h ^ (h >> 15)) * 0x846ca68bu;
  state ^= h;
  return vec2(h & 0xffffu, h >> 16) * (1.0 / 65536.0);
}

float distance_by(vec2 d, int kind) {
  vec2 a = abs(d);
  switch (kind & 3) {
    case 0:
      return dot(d, d);
    case 1:
      a.x += a.y;
      break;
    case 2:
      if (a.y > a.x) return a.y;
      break;
    default:
      a = a * a * a;
      a.x += a.y;
  }
  return a.x;
}

// The nearest and the second nearest, kept in order.
void note(float d, inout vec2 nearest, inout int count) {
  if (d >= nearest.y) return;
  ++count;
  if (d < nearest.x) {
    nearest.y = nearest.x;
    nearest.x = d;
    return;
  }
  nearest.y = d;
}

vec3 cells(vec2 inside, ivec2 cell, int kind) {
  vec2 nearest = vec2(8.0);
  int best = 0;
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) {
      uint h = uint((cell.x + x) * 374761393 + (cell.y + y) * 668265263);
      h = (h ^ (h >> 13)) * 1274126177u;
      if ((h & 7u) == 0u) continue;
      vec2 d = vec2(x, y) + vec2((h >> 8) & 255u, h >> 24) * (1.0 / 256.0) - inside;
      float far = kind == 0 ? dot(d, d) : abs(d.x) + abs(d.y);
      if (far < nearest.x) {
        nearest = vec2(far, nearest.x);
        best = int(h >> 4);
      } else if (far < nearest.y) {
        nearest.y = far;
      }
    }
  }
  return vec3(nearest, float(best & 15) * 0.0625);
}

float cracks(vec3 cell, float width) {
  float gap = cell.y - cell.x;
  if (gap > width) return 1.0;
  return gap < width * 0.5 ? 0.0 : smoothstep(width * 0.5, width, gap);
}

// How many points a cell gets: multiply random numbers until the product is small.
int poisson(uint h, float limit) {
  int count = -1;
  float product = 1.0;
  do {
    h = h * 747796405u + 2891336453u;
    product *= float(h >> 8) * (1.0 / 16777216.0);
    ++count;
  } while (product > limit && count < 9);
  return count;
}

void main() {
  state = 1u;
  ivec2 cell = ivec2(floor(place));
  vec2 nearest = vec2(4.0);
  int count = 0;
  for (int i = 0; i < 9; ++i) {
    ivec2 offset = ivec2(i % 3, i / 3) - 1;
    note(distance_by(vec2(offset) + feature(cell + offset) - fract(place), measure), nearest,
         count);
  }
  vec3 other = cells(fract(place), cell, measure);
  color = vec4(nearest.y - nearest.x, cracks(other, 0.125), count + poisson(state, 0.125), 1);
}
