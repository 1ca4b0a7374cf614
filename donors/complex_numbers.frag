#version 320 es
// SPDX-License-Identifier: Apache-2.0
// Complex arithmetic in pairs: powers by squaring, polynomials by Horner, a short Fourier transform
// in place with turned bits, Moebius maps as matrices, and square roots with their sign.
precision highp float;
precision highp int;
layout(location = 0) in vec2 place;
layout(location = 1) flat in int power;
layout(location = 0) out vec4 color;

vec2 times(vec2 a, vec2 b) {
  return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

vec2 over(vec2 a, vec2 b) {
  return vec2(dot(a, b), a.y * b.x - a.x * b.y) / dot(b, b);
}

vec2 raised(vec2 z, int exponent) {
  vec2 result = vec2(1.0, 0.0);
  bool below = exponent < 0;
  for (int left = abs(exponent); left != 0; left >>= 1) {
    if ((left & 1) != 0) {
      result = mat2(z.x, z.y, -z.y, z.x) * result;
    }
    z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y);
    if (dot(z, z) > 1.0e9) break;
  }
  return below ? vec2(result.x, -result.y) : result;
}

vec2 polynomial(vec2 c[5], vec2 z, out vec2 slope) {
  vec2 value = c[4];
  slope = vec2(0.0);
  mat2 by_z = mat2(z, vec2(-z.y, z.x));
  for (int i = 3; i >= 0; --i) {
    slope = by_z * slope + value;
    value = by_z * value + c[i];
  }
  return value;
}

// Eight points: bits of the places turned round, then three rounds of butterflies.
void transform(inout vec2 v[8], bool back) {
  const vec2 turns[4] = vec2[4](vec2(1.0, 0.0), vec2(0.70710678, -0.70710678), vec2(0.0, -1.0),
                                vec2(-0.70710678, -0.70710678));
  for (int i = 0; i < 8; ++i) {
    int j = ((i & 1) << 2) | (i & 2) | (i >> 2);
    if (j <= i) continue;
    vec2 kept = v[i];
    v[i] = v[j];
    v[j] = kept;
  }
  for (int size = 1, stride = 4; size < 8; size *= 2, stride >>= 1) {
    for (int group = 0; group < 8; group += 2 * size) {
      for (int k = 0; k < size; ++k) {
        vec2 w = turns[(k * stride) & 3];
        if (back) w.y = -w.y;
        vec2 b = v[group + k + size];
        b = vec2(w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x);
        v[group + k + size] = v[group + k] - b;
        v[group + k] += b;
      }
    }
  }
  if (!back) return;
  for (int i = 0; i < 8; ++i) v[i] *= 0.125;
}

// The map (az + b) / (cz + d) of maps: two by two complex numbers in the columns of two matrices.
void compose(inout mat2 re, inout mat2 im, mat2 other_re, mat2 other_im) {
  mat2 kept = re * other_re - im * other_im;
  im = re * other_im + im * other_re;
  re = kept;
  for (int i = 0; i < 2; ++i) {
    if (abs(re[i][i]) > 16.0) {
      re = re * 0.0625;
      im = im * 0.0625;
      break;
    }
  }
}

vec2 square_root(vec2 z) {
  float size = length(z);
  vec2 root = sqrt(max(0.5 * vec2(size + z.x, size - z.x), 0.0));
  return z.y < 0.0 ? vec2(root.x, -root.y) : root;
}

void main() {
  vec2 v[8], c[5], slope;
  for (int i = 0; i < 8; ++i) {
    v[i] = raised(place, i);
    c[i % 5] = times(v[i], place.yx);
  }
  transform(v, power < 0);
  mat2 re = mat2(1.0), im = mat2(0.0, 1.0, 1.0, 0.0);
  compose(re, im, mat2(place, -place), mat2(0.5));
  vec2 value = polynomial(c, place, slope);
  color = vec4(over(value, slope) + v[power & 7], square_root(re[0] + im[1]));
}
