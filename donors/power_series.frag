#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Functions as sums of powers: sine, exponential, logarithm, arc tangent, Bessel's and the error
// function, each left when the terms have become small; and sums of Chebyshev polynomials.
precision highp float;
precision highp int;
layout(location = 0) in float angle;
layout(location = 1) in float number;
layout(location = 0) out vec4 color;

float sine(float x) {
  float turns = floor(x * 0.15915494 + 0.5);
  x -= turns * 6.2831853;
  float square = x * x;
  float term = x, sum = x;
  for (int n = 1; n < 12; ++n) {
    float next = float(2 * n) * float(2 * n + 1);
    float inverse = uintBitsToFloat(0x7ef311c3u - floatBitsToUint(next));
    inverse *= 2.0 - next * inverse;
    inverse *= 2.0 - next * inverse;
    inverse *= 2.0 - next * inverse;
    term *= -square * inverse;
    sum += term;
    if (abs(term) < 0.00000001) break;
  }
  return sum;
}

// The whole part goes to the exponent, the rest through the series.
float exponential(float x) {
  float scaled = x * 1.44269504;
  if (scaled > 126.0) return 1.0e38;
  if (scaled < -125.0) return 0.0;
  float low = floor(scaled);
  int whole = floatBitsToInt(low + 12582912.0) - 0x4b400000;
  float rest = (scaled - low) * 0.69314718;
  float sum = 1.0;
  for (int n = 8; n >= 1; --n) {
    const float inverses[9] =
        float[9](1.0, 1.0, 0.5, 0.33333333, 0.25, 0.2, 0.16666667, 0.14285714, 0.125);
    sum = 1.0 + sum * rest * inverses[n];
  }
  return sum * intBitsToFloat((whole + 127) << 23);
}

float logarithm(float x) {
  uint bits = floatBitsToUint(x);
  if ((bits >> 31) != 0u || bits == 0u) return -1000.0;
  int exponent = int((bits >> 23) & 255u) - 127;
  float mantissa = uintBitsToFloat((bits & 0x7fffffu) | 0x3f800000u);
  if (mantissa > 1.41421356) {
    mantissa *= 0.5;
    ++exponent;
  }
  float t = mantissa - 1.0;
  float power = t, sum = 0.0;
  int n = 1;
  const float inverses[4] = float[4](1.0, 0.5, 0.33333333, 0.25);
  do {
    float part = n <= 4 ? inverses[n - 1] : 0.2 - 0.02 * float(n - 5);
    sum += (n & 1) == 1 ? power * part : -power * part;
    power *= t;
    ++n;
  } while (n < 14 && abs(power) > 0.0000001);
  return sum + float(exponent) * 0.69314718;
}

float arc_tangent(float x) {
  bool flip = x < 0.0;
  if (flip) x = -x;
  float base = 0.0;
  if (x > 1.0) {
    base = 1.57079633;
    x = -1.0 / x;
  }
  if (abs(x) > 0.41421356) {
    base += x > 0.0 ? 0.78539816 : -0.78539816;
    x = x > 0.0 ? (x - 1.0) / (x + 1.0) : (x + 1.0) / (1.0 - x);
  }
  float square = x * x, power = x, sum = 0.0;
  for (int n = 0; n < 7; ++n) {
    float term = power / float(2 * n + 1);
    sum += (n & 1) == 0 ? term : -term;
    power *= square;
  }
  sum += base;
  return flip ? -sum : sum;
}

// Clenshaw's way of summing them.
float chebyshev(float c[8], float x, int degree) {
  float last = 0.0, before = 0.0;
  for (int k = 7; k > 0; --k) {
    if (k > degree) continue;
    float kept = last;
    last = 2.0 * x * last - before + c[k];
    before = kept;
  }
  return x * last - before + c[0];
}

float error_function(float x) {
  float t = abs(x);
  if (t > 3.0) return sign(x);
  float sum = t, term = t;
  for (float n = 1.0; n < 24.0; n += 1.0) {
    term *= -t * t / n;
    float part = term / (2.0 * n + 1.0);
    sum += part;
    if (abs(part) < 0.000001) break;
  }
  return sign(x) * 1.12837917 * sum;
}

void main() {
  float c[8] = float[8](0.5, 0.25, -0.125, angle, 0.0625, 0.0, number, 0.03125);
  float a = sine(angle) + exponential(number) * 0.125;
  float b = logarithm(number) + arc_tangent(angle);
  color = vec4(a, b, chebyshev(c, fract(angle), 6), error_function(number));
}
