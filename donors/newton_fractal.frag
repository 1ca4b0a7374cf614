#version 460
// SPDX-License-Identifier: Apache-2.0
// Which root Newton's method comes to: roots of one in a table, several roots at once by Durand and
// Kerner, a relaxed step, a basin told by its code, and a contour of steps.
layout(location = 0) in vec2 place;
layout(location = 1) flat in int degree;
layout(location = 0) out vec4 color;

const vec2 unit_roots[3] = vec2[3](vec2(1.0, 0.0), vec2(-0.5, 0.8660254), vec2(-0.5, -0.8660254));

// A step for z^3 = 1; where the slope vanishes, aside.
vec2 newton_step(vec2 z, float relax) {
  vec2 zz = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y);
  float size = dot(zz, zz);
  if (size < 0.0000001) return z + vec2(0.125, 0.0625);
  vec2 inverse = vec2(zz.x, -zz.y) / size;
  return z - relax * (z - inverse) / 3.0;
}

int nearest_root(vec2 z, float close) {
  int best = -1;
  for (int i = 0; i < 3; ++i) {
    vec2 d = z - unit_roots[i];
    float square = dot(d, d);
    if (square >= close) continue;
    close = square;
    best = i;
    if (square < 0.0001) break;
  }
  return best;
}

// The same without division: the reciprocal of the square's size comes by Newton's method, too.
int basin(vec2 z, out int steps) {
  steps = 0;
  while (steps < 32) {
    vec2 zz = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y);
    float size = dot(zz, zz);
    if (size < 0.00001) return 3;
    float inverse = uintBitsToFloat(0x7ef311c7u - floatBitsToUint(size));
    for (int i = 0; i < 3; ++i) {
      inverse *= 2.0 - size * inverse;
    }
    z = z * 0.66666667 + vec2(zz.x, -zz.y) * inverse * 0.33333333;
    ++steps;
    if (abs(z.y) < 0.001) {
      if (abs(z.x - 1.0) < 0.001) return 0;
      continue;
    }
    if (abs(z.x + 0.5) < 0.001) {
      if (z.y > 0.8 && z.y < 0.9) {
        return 1;
      } else if (z.y < -0.8) {
        if (z.y > -0.9) return 2;
      }
    }
  }
  return -1;
}

// All roots of z^4 + c at once; each step takes the others' distances.
float all_at_once(vec2 c, inout vec2 roots[4]) {
  float moved = 0.0;
  for (int i = 0; i < 4; ++i) {
    vec2 z = roots[i];
    vec2 zz = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y);
    vec2 value = vec2(zz.x * zz.x - zz.y * zz.y, 2.0 * zz.x * zz.y) + c;
    vec2 product = vec2(1.0, 0.0);
    for (int j = 0; j < 4; ++j) {
      if (j == i) continue;
      vec2 d = z - roots[j];
      product = vec2(product.x * d.x - product.y * d.y, product.x * d.y + product.y * d.x);
    }
    float size = dot(product, product);
    if (size == 0.0) {
      roots[i] += vec2(0.015625, -0.03125);
      continue;
    }
    vec2 change = vec2(dot(value, product), value.y * product.x - value.x * product.y) / size;
    roots[i] -= change;
    moved += dot(change, change);
  }
  return moved;
}

vec3 paint(int root, int steps) {
  vec3 base = vec3(0.125);
  if (root >= 0) {
    if (root < 3) {
      base[root] = 1.0;
      if ((steps & 1) == 1) {
        base *= 0.75;
      }
    } else {
      base = vec3(1.0);
    }
    for (int i = 0; i < steps; i += 4) base *= 0.9375;
  }
  return base;
}

void main() {
  vec2 z = place;
  for (int i = 0; i < degree; ++i) {
    z = newton_step(z, 0.75);
  }
  vec2 roots[4] = vec2[4](vec2(1.0, 0.5), vec2(-1.0, 0.25), vec2(0.5, -1.0), z);
  int steps;
  int root = basin(place, steps);
  float moved = all_at_once(place, roots) + all_at_once(z, roots);
  color = vec4(paint(root, steps) + paint(nearest_root(z, 0.5), degree), moved);
}
