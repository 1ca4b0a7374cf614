#version 460
// SPDX-License-Identifier: Apache-2.0
// Voronoi's cells over points in arrays: the nearest two by a measure, borders half way, floods by
// jumps on a small grid, centres that move to the middle of their cell, and areas by scan lines.
layout(location = 0) in vec2 place;
layout(location = 1) flat in int measure;
layout(location = 0) out vec4 color;

vec2 seeds[8];

void scatter(out vec2 points[8], float at, float step_size) {
  for (int i = 0; i < 8; ++i) {
    at = fract(at + step_size);
    points[i].x = at;
    at = fract(at * 3.0 + 0.125);
    points[i].y = at;
  }
}

ivec2 nearest_two(vec2 points[8], vec2 p, int kind, float power) {
  ivec2 best = ivec2(-1);
  vec2 found = vec2(100.0);
  for (int i = 0; i < 8; ++i) {
    vec2 d = abs(p - points[i]);
    float far;
    if (kind == 0) {
      far = dot(d, d);
    } else if (kind == 1) {
      far = d.x + d.y;
    } else if (kind == 2) {
      far = d.x > d.y ? d.x : d.y;
    } else {
      far = dot(d, d) - power * float(i);
    }
    if (far >= found.y) continue;
    if (far >= found.x) {
      found.y = far;
      best.y = i;
      continue;
    }
    found = vec2(far, found.x);
    best = ivec2(i, best.x);
  }
  return best;
}

// To the border with each other point, along the line between the two; not scaled by its length.
float border(vec2 points[8], vec2 p, int own) {
  float least = 100.0;
  vec2 mine = points[own];
  int other = own;
  do {
    other = (other + 1) & 7;
    if (other == own) break;
    vec2 along = points[other] - mine;
    vec2 middle = 0.5 * (points[other] + mine);
    float d = dot(middle - p, along);
    if (d < 0.0) return 0.0;
    if (d < least) least = d;
  } while (least > 0.0);
  return least;
}

// Each cell of six by six asks its neighbours at 4, 2 and 1 steps whose seed is nearest to it.
int flood(vec2 points[8], ivec2 wanted) {
  int owner[36];
  for (int i = 0; i < 36; ++i) owner[i] = -1;
  for (int i = 0; i < 8; ++i) {
    ivec2 at = ivec2(floatBitsToInt(floor(points[i] * 6.0) + 12582912.0)) - 0x4b400000;
    owner[at.y * 6 + at.x] = i;
  }
  for (int jump = 4; jump > 0; jump >>= 1) {
    for (int cell = 0; cell < 36; ++cell) {
      ivec2 here = ivec2(cell % 6, cell / 6);
      vec2 centre = (vec2(here) + 0.5) * 0.16666667;
      float best = 100.0;
      int winner = owner[cell];
      for (int side = 0; side < 9; ++side) {
        ivec2 there = here + jump * ivec2(side % 3 - 1, side / 3 - 1);
        if (any(lessThan(there, ivec2(0))) || any(greaterThan(there, ivec2(5)))) continue;
        int who = owner[there.y * 6 + there.x];
        if (who < 0) continue;
        vec2 d = points[who & 7] - centre;
        if (dot(d, d) < best) {
          best = dot(d, d);
          winner = who;
        }
      }
      owner[cell] = winner;
    }
  }
  return owner[wanted.y * 6 + wanted.x];
}

// A round of Lloyd's: seeds go to the mean of the samples that are theirs.
int relax(inout vec2 points[8], int samples) {
  vec3 sums[8];
  for (int i = 0; i < 8; ++i) sums[i] = vec3(0.0);
  vec2 p = vec2(0.5);
  for (int n = 0; n < samples; ++n) {
    p = fract(p + vec2(0.75487767, 0.56984029));
    int own = 0;
    float best = 4.0;
    for (int i = 0; i < 8; ++i) {
      vec2 d = p - points[i];
      float square = dot(d, d);
      own = square < best ? i : own;
      best = square < best ? square : best;
    }
    sums[own] += vec3(p, 1.0);
  }
  int moved = 0;
  for (int i = 0; i < 8; ++i) {
    if (sums[i].z == 0.0) continue;
    vec2 mean = sums[i].xy / sums[i].z;
    vec2 d = mean - points[i];
    if (dot(d, d) > 0.0001) ++moved;
    points[i] = mean;
  }
  return moved;
}

vec4 painted(int own, int next, float edge) {
  if (own < 0) discard;
  vec4 paint = vec4(own & 1, (own >> 1) & 1, own >> 2, 1.0);
  if (edge < 0.015625) {
    if (next > own) {
      paint.rgb = 1.0 - paint.rgb;
    } else {
      if (next < 0) return vec4(0.0);
      paint.rgb = vec3(edge * 32.0);
    }
  }
  return paint;
}

void main() {
  scatter(seeds, place.x, 0.61803399);
  for (int round = 0; round < 4; ++round) {
    if (relax(seeds, 24) == 0) break;
  }
  ivec2 two = nearest_two(seeds, place, measure, 0.0625);
  float edge = border(seeds, place, two.x & 7);
  color = painted(two.x, flood(seeds, ivec2(two.y & 3, 3)), edge);
}
