#version 320 es
// SPDX-License-Identifier: Apache-2.0
// Sums of octaves: plain, ridged and billowed in one function, turned between octaves by a matrix
// that is itself turned, a domain that is warped by its own noise, and a flow that follows the
// slope.
precision highp float;
precision highp int;
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 color;

mat2 turn = mat2(0.8, 0.6, -0.6, 0.8);

// A cheap wave without a sine: parabolas, one after the other.
float wave(float x) {
  float t = fract(x) * 2.0 - 1.0;
  float hump = 4.0 * t * (1.0 - abs(t));
  return hump * 0.775 + hump * abs(hump) * 0.225;
}

float octaves(vec2 p, int kind, int count) {
  float sum = 0.0, size = 0.5, last = 1.0;
  mat2 m = turn;
  for (int i = 0; i < count; ++i) {
    float hump = fract(p.x) * 2.0 - 1.0;
    float n = (1.0 - hump * hump) * (fract(p.y) - 0.5);
    switch (kind) {
      case 2:
        n = 0.5 - abs(n);
        n *= n * last;
        last = n;
      case 1:
        n = abs(n);
      default:
        sum += n * size;
    }
    size *= 0.5;
    if (size < 0.01) break;
    p = m * p * 2.0 + vec2(0.31, 0.17);
    m = m * turn;
  }
  return sum;
}

vec2 warp(vec2 p, float strength) {
  vec2 q = p;
  for (int i = 1; i <= 3; ++i) {
    float along = q.y * float(i) + 0.3;
    float t = fract(along) * 2.0 - 1.0;
    q.x += strength * t * (1.0 - t * t);
    along = q.x * float(i) + 0.7;
    t = fract(along) * 2.0 - 1.0;
    q.y -= strength * t * (1.0 - t * t);
    strength *= 0.625;
  }
  return q;
}

// Downhill on a little field of heights, until the ground is level or the field ends.
ivec2 flow(float start, ivec2 at, out int steps) {
  float ground[36];
  for (int i = 0; i < 36; ++i) {
    ground[i] = fract(start * float(i * i + 3));
  }
  steps = 0;
  do {
    int here = at.y * 6 + at.x;
    ivec2 best = at;
    for (int side = 0; side < 4; ++side) {
      ivec2 to = at + ivec2((side & 1) * (side - 2), (1 - (side & 1)) * (side - 1));
      if (to.x < 0 || to.y < 0 || to.x > 5 || to.y > 5) continue;
      if (ground[to.y * 6 + to.x] < ground[best.y * 6 + best.x]) best = to;
    }
    if (best == at) break;
    ground[here] += 0.5;
    at = best;
  } while (++steps < 20);
  return at;
}

float warped(vec2 p) {
  vec2 q = vec2(octaves(p, 0, 4), octaves(p + vec2(5.2, 1.3), 0, 4));
  vec2 r = vec2(octaves(p + 4.0 * q, 1, 5), wave(q.x + q.y));
  return octaves(warp(p + 4.0 * r, 0.25), 2, 6);
}

void main() {
  int steps;
  ivec2 end = flow(place.x, ivec2(3, 2), steps);
  color = vec4(warped(place), float(end.x) * 0.125, float(end.y) * 0.125, float(steps));
}
