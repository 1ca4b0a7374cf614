#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Tilings: bricks in four bonds, hexagons by rounding in three coordinates, triangles, Truchet's
// arcs that join up, squares and rhombs by substitution, and a knot that goes over and under.
precision highp float;
precision highp int;
layout(location = 0) in vec2 place;
layout(location = 1) flat in ivec2 kind;
layout(location = 0) out vec4 color;

// The place inside the brick, and its number; z below zero is mortar.
vec3 brick(vec2 p, int bond, out ivec2 number) {
  float row = floor(p.y);
  number.y = floatBitsToInt(row + 12582912.0) - 0x4b400000;
  float shift = 0.0;
  switch (bond) {
    case 0:
      break;
    case 1:
      shift = (number.y & 1) == 1 ? 0.5 : 0.0;
      break;
    case 2:
      if ((number.y & 1) == 0) {
        p.x *= 2.0;
        shift = 0.5;
      }
      break;
    default:
      shift = fract(row * 0.61803399);
  }
  float along = p.x * 0.5 + shift;
  number.x = floatBitsToInt(floor(along) + 12582912.0) - 0x4b400000;
  vec2 inside = vec2(fract(along), p.y - row);
  vec2 edge = 0.5 - abs(inside - 0.5);
  bool mortar = edge.x < 0.03125 || edge.y < 0.0625;
  return vec3(inside, mortar ? -1.0 : edge.x * edge.y);
}

// Rounded, and the coordinate that moved most set right, so that the three add up to nothing.
ivec3 hexagon(vec2 p) {
  vec3 q = vec3(p.x * 0.57735027 - p.y * 0.33333333, 0.0, p.y * 0.66666667);
  q.y = -q.x - q.z;
  vec3 r = floor(q + 0.5);
  vec3 moved = abs(r - q);
  if (moved.x > moved.y && moved.x > moved.z) {
    r.x = -r.y - r.z;
  } else if (moved.y > moved.z) {
    r.y = -r.x - r.z;
  } else {
    r.z = -r.x - r.y;
  }
  return floatBitsToInt(r + 12582912.0) - 0x4b400000;
}

// Steps between two hexagons, round by way of neighbours, at most sixteen.
int hexagon_path(ivec3 from, ivec3 to, out int turns) {
  int steps = 0, last = -1;
  turns = 0;
  while (from != to && steps < 16) {
    ivec3 d = to - from;
    int up = 0, down = 0;
    for (int i = 1; i < 3; ++i) {
      if (d[i] > d[up]) up = i;
      if (d[i] < d[down]) down = i;
    }
    if (up == down) break;
    ++from[up];
    --from[down];
    int way = up * 3 + down;
    if (way != last && last >= 0) ++turns;
    last = way;
    ++steps;
  }
  return steps;
}

// Which of two arcs in the square is near, by the square of the distance to a quarter circle.
float truchet(vec2 p, uint seed) {
  vec2 low = floor(p);
  uvec2 at = floatBitsToUint(low + 12582912.0);
  uint h = at.x * 0x632be5abu ^ at.y * 0x85157af5u ^ seed;
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  vec2 inside = p - low;
  if ((h & 0x10000u) != 0u) inside.x = 1.0 - inside.x;
  vec2 other = 1.0 - inside;
  float a = abs(dot(inside, inside) - 0.25), b = abs(dot(other, other) - 0.25);
  if (a < 0.0625 && b < 0.0625) return 0.0;
  return a < b ? a : -b;
}

// A half square with a right angle is cut in two again and again; the code of the piece.
uint substituted(vec2 p, int rounds) {
  uint code = 1u;
  for (int i = 0; i < rounds; ++i) {
    if (p.x + p.y > 1.0) {
      code |= 0x80000000u;
      break;
    }
    bool right = p.x > p.y;
    code = (code << 1) | (right ? 1u : 0u);
    if (right) {
      p = vec2(1.0 - p.x - p.y, p.x - p.y);
    } else {
      p = vec2(p.y - p.x, 1.0 - p.x - p.y);
    }
  }
  return code;
}

int woven(ivec2 thread, int over, int under) {
  int period = (over & 3) + (under & 3) + 1;
  int at = thread.x + thread.y * 2;
  for (int guard = 0; at >= period; ++guard) {
    at -= period;
    if (guard > 40) return -1;
  }
  for (; at < 0; at += period) {
    if (at < -200) return -1;
  }
  return at < (over & 3) ? 1 : (at == period - 1 ? 2 : 0);
}

void main() {
  ivec2 number;
  int turns;
  vec3 wall = brick(place, kind.x, number);
  ivec3 cell = hexagon(place * 4.0);
  int steps = hexagon_path(cell, ivec3(3, -1, -2), turns) + woven(number, kind.x, kind.y);
  uint code = substituted(fract(place), 8);
  color = vec4(wall.z, truchet(place, code), float(steps) * 0.0625, float(turns));
}
