#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Vectors of integers and booleans: comparisons by component, choices by a mask, components picked by
// computed indices, and a small cellular automaton in the components of two vectors.
precision highp float;
precision highp int;
layout(location = 0) flat in ivec4 start;
layout(location = 0) out vec4 color;

int compare_all(ivec4 a, ivec4 b) {
  bvec4 less = lessThan(a, b);
  bvec4 same = equal(a, b);
  int bits = any(less) ? 1 : 0;
  bits |= all(not(same)) ? 2 : 0;
  bits |= less.x != same.w ? 4 : 0;
  return bits;
}

ivec4 choose(ivec4 a, ivec4 b, bool flip) {
  ivec4 low = min(a, b);
  ivec4 high = max(a, b);
  ivec4 mixed = ivec4(low.xy, high.zw).wxzy;
  return flip ? -mixed : mixed ^ (a & b);
}

int walk_components(ivec4 v, int first) {
  int at = first & 3;
  int sum = 0;
  for (int i = 0; i < 6; ++i) {
    sum += v[at];
    v[at] += i;
    at = (at + v[i & 3]) & 3;
  }
  return sum;
}

uvec2 automaton(uvec2 cells, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    uvec2 left = (cells << 1) | (cells.yx >> 31);
    uvec2 right = (cells >> 1) | (cells.yx << 31);
    cells = left ^ (cells | right);
  }
  return cells;
}

void main() {
  ivec4 picked = choose(start, start.wzyx, start.x > 3);
  uvec2 cells = automaton(uvec2(start.xy), start.z & 7);
  int sum = compare_all(start, picked) + walk_components(picked, start.y) + int(cells.x & 15u);
  color = vec4(float(sum & 255) * (1.0 / 255.0));
}
