#version 450
// SPDX-License-Identifier: Apache-2.0
// Fractals that escape: Julia's set with traps for the orbit, the burning ship, a magnet, a cycle
// finder that walks at two speeds, and a distance from the derivative.
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 color;
layout(constant_id = 1) const int most_steps = 48;

int escape(vec2 z, vec2 c, out vec2 last) {
  int n = 0;
  last = z;
  for (; n < most_steps; ++n) {
    float xx = last.x * last.x, yy = last.y * last.y;
    if (xx + yy > 16.0) break;
    last = vec2(xx - yy, 2.0 * last.x * last.y) + c;
  }
  return n;
}

// How near the orbit comes to a cross, a ring and a point, with the step at which it does.
vec4 traps(vec2 z, vec2 c) {
  vec4 nearest = vec4(8.0, 8.0, 8.0, 0.0);
  for (int n = 0; n < 32; ++n) {
    float square = dot(z, z);
    if (square > 64.0) {
      if (n < 4) nearest.w = -1.0;
      break;
    }
    z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    vec2 a = abs(z);
    float cross_trap = a.x < a.y ? a.x : a.y;
    if (cross_trap < nearest.x) nearest.x = cross_trap;
    float ring = abs(square - 1.0);
    nearest.y = ring < nearest.y ? ring : nearest.y;
    vec2 d = z - vec2(0.25, 0.5);
    if (dot(d, d) >= nearest.z) continue;
    nearest.z = dot(d, d);
    nearest.w = float(n);
  }
  return nearest;
}

int burning_ship(vec2 c) {
  vec2 z = vec2(0.0);
  int n = 0;
  while (true) {
    z = abs(z);
    z = vec2(z.x * z.x - z.y * z.y - c.x, 2.0 * z.x * z.y - c.y);
    if (z.x * z.x > 4.0) {
      return n;
    } else if (z.y * z.y > 4.0) {
      return n + 64;
    }
    if (++n == 40) break;
  }
  return -1;
}

// The length of the cycle in which the orbit ends; 0 if it escapes, -1 if none is found.
int cycle_length(vec2 c) {
  vec2 slow = vec2(0.0), fast = vec2(0.0);
  int n = 0;
  bool met = false;
  do {
    slow = vec2(slow.x * slow.x - slow.y * slow.y, 2.0 * slow.x * slow.y) + c;
    for (int twice = 0; twice < 2; ++twice) {
      fast = vec2(fast.x * fast.x - fast.y * fast.y, 2.0 * fast.x * fast.y) + c;
      if (dot(fast, fast) > 4.0) return 0;
    }
    vec2 d = fast - slow;
    met = dot(d, d) < 0.000001;
  } while (!met && ++n < 50);
  if (!met) return -1;
  int steps = 0;
  vec2 from = slow;
  for (;;) {
    slow = vec2(slow.x * slow.x - slow.y * slow.y, 2.0 * slow.x * slow.y) + c;
    ++steps;
    vec2 d = slow - from;
    if (dot(d, d) < 0.00001 || steps > 30) break;
  }
  return steps;
}

float boundary_distance(vec2 c) {
  vec2 z = vec2(0.0), dz = vec2(0.0);
  float square = 0.0;
  for (int n = 0; n < 60; ++n) {
    dz = 2.0 * vec2(z.x * dz.x - z.y * dz.y, z.x * dz.y + z.y * dz.x);
    dz.x += 1.0;
    z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    square = dot(z, z);
    if (square > 1024.0) break;
  }
  if (square <= 1024.0) return 0.0;
  return sqrt(square / dot(dz, dz)) * 0.5 * log(square);
}

void main() {
  vec2 last;
  int n = escape(place, vec2(-0.7, 0.27), last);
  vec4 near = traps(place, vec2(0.285, 0.01));
  if (n == most_steps && near.w < 0.0) discard;
  float sum = float(burning_ship(place) + cycle_length(place) * 8) * 0.0078125;
  color = vec4(float(n) * 0.03125, near.x, sum, boundary_distance(place));
}
