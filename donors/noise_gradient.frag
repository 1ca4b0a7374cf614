#version 450
// SPDX-License-Identifier: Apache-2.0
// Gradient noise: directions from a constant table and from the bits of a hash, a permutation that
// is shuffled in place, the skewed triangles of simplex noise, and a pattern of marble made of it.
layout(location = 0) in vec2 place;
layout(location = 1) flat in uint seed;
layout(location = 0) out vec4 color;

const vec2 directions[8] =
    vec2[8](vec2(1.0, 0.0), vec2(0.7071, 0.7071), vec2(0.0, 1.0), vec2(-0.7071, 0.7071),
            vec2(-1.0, 0.0), vec2(-0.7071, -0.7071), vec2(0.0, -1.0), vec2(0.7071, -0.7071));

void shuffle(inout uint table[16], uint state) {
  for (int i = 0; i < 16; ++i) {
    table[i] = uint(i);
  }
  for (int i = 15; i > 0; --i) {
    state = state * 1664525u + 1013904223u;
    uint other = (state >> 16) & 15u;
    if (other > uint(i)) continue;
    uint kept = table[i];
    table[i] = table[other];
    table[other] = kept;
  }
}

float perlin(ivec2 cell, vec2 inside, uint table[16]) {
  float dots[4];
  for (int i = 0; i < 4; ++i) {
    ivec2 corner = ivec2(i & 1, i >> 1);
    uint row = table[(cell.y + corner.y) & 15];
    uint which = table[(row + uint(cell.x + corner.x)) & 15u] & 7u;
    dots[i] = dot(directions[which], inside - vec2(corner));
  }
  vec2 t = inside * inside * inside * (inside * (inside * 6.0 - 15.0) + 10.0);
  return mix(mix(dots[0], dots[1], t.x), mix(dots[2], dots[3], t.x), t.y);
}

// The dot product with one of twelve directions to the edges of a cube, told by four bits.
float edge_gradient(uint hash, vec3 p) {
  uint h = hash & 15u;
  float u = h < 8u ? p.x : p.y;
  float v;
  if (h < 4u) {
    v = p.y;
  } else if (h == 12u || h == 14u) {
    v = p.x;
  } else {
    v = p.z;
  }
  return ((h & 1u) == 0u ? u : -u) + ((h & 2u) == 0u ? v : -v);
}

float simplex(vec2 p) {
  float skew = (p.x + p.y) * 0.3660254;
  vec2 cell = floor(p + skew);
  vec2 from = p - cell + (cell.x + cell.y) * 0.2113249;
  ivec2 at = floatBitsToInt(cell + 12582912.0);
  ivec2 second = from.x > from.y ? ivec2(1, 0) : ivec2(0, 1);
  float sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    ivec2 step_by = i == 0 ? ivec2(0) : (i == 1 ? second : ivec2(1));
    vec2 d = from - vec2(step_by) + float(i) * 0.2113249;
    float reach = 0.5 - dot(d, d);
    if (reach <= 0.0) continue;
    ivec2 corner = at + step_by;
    int h = (corner.x * 34 + 1) * corner.x + corner.y;
    h = (h * 34 + 1) * h;
    reach *= reach;
    sum += reach * reach * dot(directions[(h >> 4) & 7], d);
  }
  return sum * 70.0;
}

float marble(vec2 p) {
  float wave = p.x;
  float size = 1.0;
  for (int i = 0; i < 4; ++i) {
    wave += size * simplex(p);
    p = mat2(1.6, 1.2, -1.2, 1.6) * p;
    size *= 0.5;
  }
  return abs(fract(wave) * 2.0 - 1.0);
}

void main() {
  uint table[16];
  shuffle(table, seed);
  float a = perlin(ivec2(floor(place)), fract(place), table);
  float b = edge_gradient(table[3], vec3(place, 0.5));
  color = vec4(a * 0.5 + 0.5, b, marble(place), 1.0);
}
