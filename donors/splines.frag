#version 460
// SPDX-License-Identifier: Apache-2.0
// Splines: the span between knots by halving, B-splines after Cox and de Boor, Catmull and Rom's by
// a matrix, Hermite's with slopes that keep what rises rising, natural cubics by one sweep there
// and one back, and a path walked by its length.
layout(location = 0) in vec4 place;
layout(location = 1) flat in int seed;
layout(location = 0) out vec4 color;

int span_of(float knots[12], float t) {
  int low = 3, high = 8;
  if (t >= knots[8]) return 7;
  while (high - low > 1) {
    int middle = (low + high) >> 1;
    if (t < knots[middle]) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return low;
}

// Knots at whole numbers, so that the widths are known.
float b_spline(float points[8], int span, float t) {
  const float inverses[4] = float[4](0.0, 1.0, 0.5, 0.33333333);
  float d[4];
  for (int j = 0; j < 4; ++j) {
    d[j] = points[(span + j) & 7];
  }
  for (int r = 1; r <= 3; ++r) {
    float inverse = inverses[4 - r];
    for (int j = 3; j >= r; --j) {
      float alpha = (t - float(span + j - 3)) * inverse;
      d[j] = (1.0 - alpha) * d[j - 1] + alpha * d[j];
    }
  }
  return d[3];
}

vec2 catmull_rom(vec2 p[6], int at, float t, float tension) {
  mat4 basis = mat4(0.0, 1.0, 0.0, 0.0, -tension, 0.0, tension, 0.0, 2.0 * tension, tension - 3.0,
                    3.0 - 2.0 * tension, -tension, -tension, 2.0 - tension, tension - 2.0, tension);
  vec4 weights = basis * vec4(1.0, t, t * t, t * t * t);
  vec2 sum = vec2(0.0);
  for (int i = 0; i < 4; ++i) {
    int from = at + i - 1;
    if (from < 0) from = 0;
    if (from > 5) from = 5;
    sum += weights[i] * p[from];
  }
  return sum;
}

// Fritsch and Carlson, plainly: no slope where the data turn, and none above three times the rise.
void monotone_slopes(float y[6], out float slopes[6]) {
  slopes[0] = y[1] - y[0];
  slopes[5] = y[5] - y[4];
  for (int i = 1; i < 5; ++i) {
    float before = y[i] - y[i - 1], after = y[i + 1] - y[i];
    if (before * after <= 0.0) {
      slopes[i] = 0.0;
      continue;
    }
    float slope = 0.5 * (before + after);
    float least = abs(before) < abs(after) ? before : after;
    slopes[i] = abs(slope) > 3.0 * abs(least) ? 3.0 * least : slope;
  }
}

float hermite(float y0, float y1, float m0, float m1, float t) {
  float s = 1.0 - t;
  if (t <= 0.0) return y0 + m0 * t;
  if (t >= 1.0) return y1 - m1 * s;
  float values = (1.0 + 2.0 * t) * s * s * y0 + t * t * (3.0 - 2.0 * t) * y1;
  return values + t * s * (s * m0 - t * m1);
}

// The second derivatives of a natural cubic through equally spaced points.
float natural(float y[8], int wanted) {
  const float pivots[7] =
      float[7](0.0, 0.25, 0.26666667, 0.26785714, 0.26794258, 0.26794872, 0.267949);
  float carried[8];
  carried[0] = 0.0;
  int i = 1;
  for (; i < 7; ++i) {
    float right = 6.0 * (y[i - 1] - 2.0 * y[i] + y[i + 1]);
    carried[i] = (right - carried[i - 1]) * pivots[i];
  }
  float second = 0.0;
  while (--i > 0) {
    second = carried[i] - pivots[i] * second;
    if (i == wanted) break;
  }
  return second;
}

vec2 walk(vec2 p[6], float far, out int at) {
  for (at = 0; at < 5; ++at) {
    vec2 d = p[at + 1] - p[at];
    float piece = sqrt(dot(d, d));
    if (far > piece) {
      far -= piece;
      continue;
    }
    if (piece < 0.0001) break;
    return p[at] + d * (far / piece);
  }
  return p[5];
}

void main() {
  float knots[12], points[8], slopes[6], y[6];
  vec2 path[6];
  for (int i = 0; i < 12; ++i) {
    knots[i] = float(i);
    points[i & 7] = place[i & 3] * float(i);
    path[i % 6] = place.xy + float(i) * place.zw;
    y[i % 6] = points[i & 7];
  }
  int at;
  vec2 there = walk(path, place.x, at);
  int span = span_of(knots, there.x);
  monotone_slopes(y, slopes);
  float a = b_spline(points, span, there.x) + natural(points, seed & 7);
  float b = hermite(y[0], y[1], slopes[0], slopes[1], fract(place.y));
  color = vec4(catmull_rom(path, at, fract(place.x), 0.5), a, b);
}
