#version 460
// SPDX-License-Identifier: Apache-2.0
// A ribbon along a curve: control points by de Casteljau's and de Boor's constructions, a cubic and
// its slope by Horner's rule, Chebyshev polynomials by their recurrence, and a table of lengths
// searched for even steps.
layout(location = 0) in float width;
layout(location = 0) out vec2 across;
layout(location = 1) out float along;

layout(std140, set = 0, binding = 0) uniform Path {
  vec4 control[16];
  ivec4 kinds;
  float lengths[17];
};

vec2 de_casteljau(vec2 a, vec2 b, vec2 c, vec2 d, vec2 e, float t) {
  vec2 points[5] = vec2[5](a, b, c, d, e);
  for (int count = 4; count > 0; --count) {
    for (int i = 0; i < count; ++i) {
      points[i] = mix(points[i], points[i + 1], t);
    }
  }
  return points[0];
}

float de_boor(float knots[8], vec4 values, float t) {
  float d[4];
  for (int i = 0; i < 4; ++i) {
    d[i] = values[i];
  }
  for (int level = 1; level <= 3; ++level) {
    for (int i = 3; i >= level; --i) {
      float low = knots[i];
      float span = knots[i + 4 - level] - low;
      float share = abs(span) < 0.0009765625 ? 0.0 : (t - low) * (1.0 - 0.5 * span);
      d[i] = d[i - 1] + (d[i] - d[i - 1]) * share;
    }
  }
  return d[3];
}

void cubic(vec4 factors, float x, out float value, out float slope) {
  value = factors.w;
  slope = 0.0;
  for (int i = 2; i >= 0; --i) {
    slope = fma(slope, x, value);
    value = fma(value, x, factors[i]);
  }
}

float chebyshev(int degree, float x) {
  float before = 1.0;
  float now = x;
  if (degree <= 0) {
    return before;
  }
  int i = 1;
  do {
    if (i >= degree) {
      break;
    }
    float next = 2.0 * x * now - before;
    before = now;
    now = next;
    ++i;
  } while (i < 24);
  return now;
}

mat4 basis_of(int kind) {
  switch (kind) {
    case 0:
      return mat4(1.0, -3.0, 3.0, -1.0, 0.0, 3.0, -6.0, 3.0, 0.0, 0.0, 3.0, -3.0, 0.0, 0.0, 0.0,
                  1.0);
    case 1:
      return mat4(0.0, -0.5, 1.0, -0.5, 1.0, 0.0, -2.5, 1.5, 0.0, 0.5, 2.0, -1.5, 0.0, 0.0, -0.5,
                  0.5);
    case 2:
      return mat4(1.0, 0.0, -3.0, 2.0, 0.0, 1.0, -2.0, 1.0, 0.0, 0.0, 3.0, -2.0, 0.0, 0.0, -1.0,
                  1.0);
    default:
      return mat4(1.0);
  }
}

float even_step(float wanted) {
  int i = 0;
  for (; i < 16; ++i) {
    if (lengths[i + 1] >= wanted) {
      break;
    }
  }
  float span = lengths[i + 1] - lengths[i];
  return (float(i) + (span > 0.0 ? (wanted - lengths[i]) / span : 0.0)) * 0.0625;
}

void main() {
  float t = even_step(lengths[16] * float(gl_VertexIndex >> 1) * 0.015625);
  mat4 basis = basis_of(kinds[gl_InstanceIndex & 3]);
  vec4 powers = vec4(1.0, t, t * t, t * t * t);
  vec4 shares = powers * basis;
  vec2 middle = vec2(dot(shares, vec4(control[0].x, control[1].x, control[2].x, control[3].x)),
                     dot(shares, vec4(control[0].y, control[1].y, control[2].y, control[3].y)));
  middle += de_casteljau(control[4].xy, control[5].xy, control[6].xy, control[7].xy, control[8].xy,
                         t);
  float knots[8] = float[8](0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0);
  float value, slope;
  cubic(control[9], t, value, slope);
  vec2 side = normalize(vec2(-slope, 1.0)) * width * de_boor(knots, control[10], t);
  across = vec2(gl_VertexIndex & 1, chebyshev(kinds.x, 2.0 * t - 1.0));
  along = value;
  gl_Position = vec4(middle + ((gl_VertexIndex & 1) == 0 ? side : -side), 0.0, 1.0);
}
