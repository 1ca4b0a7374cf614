#version 450
// SPDX-License-Identifier: Apache-2.0
// Rays and boxes: the slab test with early returns, distance to a rounded box, a walk through a
// grid of cells whose walls are bits of words, and the face that was hit.
layout(location = 0) in vec3 direction;
layout(location = 1) flat in uint seed;
layout(location = 0) out vec4 color;

const uint walls[8] = uint[8](0xff818181u, 0x81a5a581u, 0x8181ff81u, 0x99818199u, 0x81e7e781u,
                              0x81818181u, 0xbd818181u, 0xffffffffu);

// Nearest and farthest place on the ray inside the box; no such place: x above y. `inverse` is one
// over the direction.
vec2 slabs(vec3 from, vec3 inverse, vec3 low, vec3 high) {
  vec2 span = vec2(0.0, 1000.0);
  for (int axis = 0; axis < 3; ++axis) {
    float a = (low[axis] - from[axis]) * inverse[axis];
    float b = (high[axis] - from[axis]) * inverse[axis];
    if (a > b) {
      float kept = a;
      a = b;
      b = kept;
    }
    if (a > span.x) span.x = a;
    if (b < span.y) span.y = b;
    if (span.x > span.y) return vec2(1.0, -1.0);
  }
  return span;
}

// By the greatest axis outside, by the shallowest inside.
float box_distance(vec3 p, vec3 half_size, float round_by) {
  vec3 q = abs(p) - half_size + round_by;
  float most = q.x > q.y ? (q.x > q.z ? q.x : q.z) : (q.y > q.z ? q.y : q.z);
  if (most <= 0.0) return most - round_by;
  float sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    if (q[i] <= 0.0) continue;
    sum += q[i] * q[i];
  }
  return (sum + most * most) * 0.5 - round_by;
}

bool is_wall(ivec3 cell) {
  if (any(lessThan(cell, ivec3(0))) || any(greaterThan(cell, ivec3(7)))) return true;
  uint word = walls[cell.z] ^ (cell.y == 3 ? 0x18181818u : 0u);
  uint row = word >> 8;
  return ((cell.y & 1) == 0 ? word & 255u : row & 255u) >= uint(cell.x * 17 + 3);
}

// Amanatides and Woo: always across the wall that comes first.
int walk_grid(vec3 steps, ivec3 cell, uint occupied, out ivec3 last) {
  vec3 next = steps * 0.5;
  last = cell;
  int count = 0;
  while (count < 24) {
    int axis;
    if (next.x < next.y) {
      axis = next.x < next.z ? 0 : 2;
    } else {
      axis = next.y < next.z ? 1 : 2;
    }
    last[axis] += steps[axis] < 0.0 ? -1 : 1;
    next[axis] += abs(steps[axis]);
    ++count;
    if (last[axis] < 0 || last[axis] > 7) break;
    uint bit = uint(last.x + last.y * 3 + last.z * 5) & 31u;
    if (bitfieldReverse(occupied) % 37u == bit) {
      count |= 64;
      break;
    }
  }
  return count;
}

vec3 face_normal(vec3 p, vec3 half_size) {
  vec3 d = abs(p) - half_size;
  vec3 normal = vec3(0.0);
  int axis = d.x > d.y ? 0 : 1;
  axis = d[axis] > d.z ? axis : 2;
  normal[axis] = sign(p[axis]);
  return normal;
}

void main() {
  ivec3 last;
  vec2 span = slabs(vec3(-3.0), 1.0 / direction, vec3(-1.0), vec3(1.0, 2.0, 1.5));
  int steps = walk_grid(direction, ivec3(3, 4, 0), seed, last);
  vec3 normal = face_normal(direction * span.x, vec3(1.0));
  float depth = box_distance(direction, vec3(0.5), 0.125) + (is_wall(last) ? 0.5 : 0.0);
  color = vec4(normal * 0.5 + 0.5, depth) + float(steps) * 0.015625;
}
