#version 330
// SPDX-License-Identifier: Apache-2.0
// Newton's iteration and its kin: reciprocals and roots without division, a cube root from its
// bits, a polynomial deflated after each root, bisection with a guard, Halley's steps, and fixed
// points sped up by Aitken.
#extension GL_ARB_separate_shader_objects : enable
#extension GL_ARB_shader_bit_encoding : enable
layout(location = 0) in vec4 start;
layout(location = 0) out vec4 color;

float reciprocal(float x) {
  uint flip = floatBitsToUint(x) & 0x80000000u;
  float positive = uintBitsToFloat(floatBitsToUint(x) ^ flip);
  float y = uintBitsToFloat(0x7ef311c7u - floatBitsToUint(positive));
  float error;
  int steps = 0;
  do {
    error = 1.0 - positive * y;
    y += y * error;
  } while (abs(error) > 0.00001 && ++steps < 6);
  return uintBitsToFloat(floatBitsToUint(y) | flip);
}

float cube_root(float x) {
  uint bits = floatBitsToUint(x);
  uint flip = bits & 0x80000000u;
  bits ^= flip;
  if (bits == 0u) return 0.0;
  float inverse = uintBitsToFloat(0x54a2fa8cu - bits / 3u);
  float positive = uintBitsToFloat(bits);
  for (int i = 0; i < 4; ++i) {
    inverse *= 1.33333333 - 0.33333333 * positive * inverse * inverse * inverse;
  }
  float root = positive * inverse * inverse;
  return flip == 0u ? root : -root;
}

// All real roots of a cubic that are found from one start; each found one is divided out.
int cubic_roots(vec4 c, float from, out vec3 roots) {
  int found = 0;
  roots = vec3(0.0);
  for (int degree = 3; degree > 0; --degree) {
    float x = from;
    bool good = false;
    for (int i = 0; i < 20; ++i) {
      float value = 0.0, slope = 0.0;
      for (int k = degree; k >= 0; --k) {
        slope = slope * x + value;
        value = value * x + c[k];
      }
      if (abs(value) < 0.0001) {
        good = true;
        break;
      }
      if (slope == 0.0) {
        x += 0.125;
        continue;
      }
      x -= value / slope;
    }
    if (!good) return found;
    roots[found++] = x;
    float carried = c[degree];
    for (int k = degree - 1; k >= 0; --k) {
      float kept = c[k];
      c[k] = carried;
      carried = kept + carried * x;
    }
  }
  return found;
}

// A step of the secant where it stays inside, else half the way.
float guarded(float low, float high, float wanted) {
  float at = low;
  for (int i = 0; i < 24; ++i) {
    float value = at * at * at + at - wanted;
    if (value == 0.0) break;
    if (value > 0.0) {
      high = at;
    } else {
      low = at;
    }
    float guess = at - value * 0.125;
    if (guess <= low || guess >= high) {
      at = 0.5 * (low + high);
    } else {
      at = guess;
    }
    if (high - low < 0.0001) break;
  }
  return at;
}

float halley_root(float square, int steps) {
  float x = square > 1.0 ? square * 0.5 : 1.0;
  while (steps-- > 0) {
    float xx = x * x;
    float next = x * (xx + 3.0 * square) / (3.0 * xx + square);
    if (next == x) break;
    x = next;
  }
  return x;
}

// x = cos x by a parabola, every third step a leap.
float fixed_point(float x) {
  float last[3];
  for (int i = 0; i < 15; ++i) {
    last[i % 3] = x;
    x = 1.0 - x * x * (0.5 - x * x * 0.041666667);
    if (i % 3 != 2) continue;
    float bend = last[2] - 2.0 * last[1] + last[0];
    if (abs(bend) < 0.000001) {
      return x;
    }
    float leap = last[1] - last[0];
    x = last[0] - leap * leap / bend;
  }
  return x;
}

void main() {
  vec3 roots;
  int found = cubic_roots(start, 0.5, roots);
  float sum = reciprocal(start.x) + cube_root(start.y) + guarded(0.0, 4.0, start.z);
  color = vec4(roots, float(found)) + sum + halley_root(start.w, 5) * fixed_point(start.x);
}
