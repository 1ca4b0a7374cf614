#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Bezier curves: de Casteljau's triangle in one array, both halves of a split, how often a curve
// has to be split to be flat (a stack instead of recursion), the nearest point, crossings of a
// line, and area.
precision highp float;
precision highp int;
layout(location = 0) in vec4 place;
layout(location = 1) flat in int degree;
layout(location = 0) out vec4 color;

vec2 casteljau(vec2 p[5], int count, float t) {
  for (int last = count - 1; last > 0; --last) {
    if (last > 4) continue;
    for (int i = 0; i < last; ++i) {
      p[i] = mix(p[i], p[i + 1], t);
    }
  }
  return p[0];
}

void split(inout vec2 p[4], out vec2 rest[4]) {
  for (int i = 0; i < 4; ++i) {
    rest[3 - i] = p[3];
    for (int j = 3; j > i; --j) {
      p[j] = 0.5 * (p[j] + p[j - 1]);
    }
  }
}

// Depth first over halves, told by the bits of their path; the count of flat pieces.
int pieces(vec2 a, vec2 b, vec2 c, float flatness) {
  vec2 stack[18];
  int depth = 0, count = 0;
  do {
    vec2 bend = a - 2.0 * b + c;
    if (dot(bend, bend) <= flatness || depth >= 15) {
      ++count;
      if (depth == 0) break;
      depth -= 3;
      a = stack[depth];
      b = stack[depth + 1];
      c = stack[depth + 2];
      continue;
    }
    vec2 ab = 0.5 * (a + b), bc = 0.5 * (b + c);
    vec2 middle = 0.5 * (ab + bc);
    stack[depth] = middle;
    stack[depth + 1] = bc;
    stack[depth + 2] = c;
    depth += 3;
    b = ab;
    c = middle;
  } while (count < 32);
  return count;
}

float nearest(vec2 a, vec2 b, vec2 c, vec2 from, out float at) {
  float best = 1.0e9;
  at = 0.0;
  float reach = 0.125;
  for (int i = 0; i <= 8; ++i) {
    float t = float(i) * 0.125;
    vec2 d = (a * (1.0 - t) + 2.0 * b * t) * (1.0 - t) + c * t * t - from;
    if (dot(d, d) < best) {
      best = dot(d, d);
      at = t;
    }
  }
  for (int round = 0; round < 8; ++round) {
    bool better = false;
    for (float side = -1.0; side < 2.0; side += 2.0) {
      float t = at + side * reach;
      if (t < 0.0 || t > 1.0) continue;
      vec2 d = (a * (1.0 - t) + 2.0 * b * t) * (1.0 - t) + c * t * t - from;
      if (dot(d, d) >= best) continue;
      best = dot(d, d);
      at = t;
      better = true;
      break;
    }
    if (!better) reach *= 0.5;
  }
  return best;
}

// How often the ray to the right meets the curve, by the signs along it.
int crossings(vec2 p[4], vec2 from) {
  int count = 0;
  float last_y = p[0].y - from.y;
  for (int i = 1; i <= 16; ++i) {
    float t = float(i) * 0.0625, s = 1.0 - t;
    vec4 weights = vec4(s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t);
    float x = dot(weights, vec4(p[0].x, p[1].x, p[2].x, p[3].x)) - from.x;
    float y = dot(weights, vec4(p[0].y, p[1].y, p[2].y, p[3].y)) - from.y;
    if (x > 0.0 && (y < 0.0) != (last_y < 0.0)) {
      count += y < last_y ? -1 : 1;
    }
    last_y = y;
  }
  return count;
}

float area(vec2 p[4]) {
  const vec4 rows[3] =
      vec4[3](vec4(0.0, 6.0, 3.0, 1.0), vec4(-6.0, 0.0, 3.0, 3.0), vec4(-3.0, -3.0, 0.0, 6.0));
  float sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    float inner = 0.0;
    for (int j = 0; j < 4; ++j) {
      inner += rows[i][j] * p[j].y;
    }
    sum += inner * p[i].x;
  }
  return 0.05 * (sum - p[3].x * (p[0].y + 3.0 * p[1].y + 6.0 * p[2].y));
}

void main() {
  vec2 p[5] = vec2[5](vec2(0.0), place.xy, place.zw, vec2(1.0, 0.5), place.yx);
  vec2 first[4] = vec2[4](p[0], p[1], p[2], p[3]);
  vec2 rest[4];
  float at;
  split(first, rest);
  vec2 point = casteljau(p, degree, place.x);
  float far = nearest(p[0], p[1], p[2], point, at);
  int count = pieces(p[0], p[1], p[2], 0.01) + crossings(rest, point);
  color = vec4(far, at, area(first), float(count) * 0.03125);
}
