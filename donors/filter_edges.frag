#version 450
// SPDX-License-Identifier: Apache-2.0
// Finding edges: the operators of Sobel, Prewitt, Scharr and Laplace from three numbers, directions
// in eighths, thinning to the crest, two thresholds joined by a flood, and corners.
layout(location = 0) in vec2 place;
layout(location = 1) flat in int operation;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec2 mask;

// By a window of three by three as the columns of a matrix.
vec2 slope(mat3 window, int which) {
  vec3 weights;
  switch (which & 3) {
    case 0: weights = vec3(1.0, 2.0, 1.0); break;
    case 1: weights = vec3(1.0); break;
    case 2: weights = vec3(3.0, 10.0, 3.0) * 0.1875; break;
    default: weights = vec3(0.0, 1.0, 0.0);
  }
  vec3 difference = vec3(-1.0, 0.0, 1.0);
  vec2 result;
  result.x = dot(window * difference, weights);
  result.y = dot(difference * window, weights);
  return result;
}

float laplace(mat3 window, bool diagonals) {
  float sum = window[0].y + window[2].y + window[1].x + window[1].z - 4.0 * window[1][1];
  if (diagonals) {
    for (int i = 0; i < 4; ++i) {
      sum += window[(i & 1) * 2][i & 2];
    }
    sum -= 4.0 * window[1].y;
    sum *= 0.5;
  }
  return sum;
}

int eighth(vec2 d) {
  int code = 0;
  if (d.y < 0.0) {
    d = -d;
    code = 4;
  }
  if (d.x < 0.0) {
    d = vec2(d.y, -d.x);
    code += 2;
  }
  if (d.y > d.x * 2.41421) {
    code += 2;
  } else if (d.y > d.x * 0.41421) {
    code += 1;
  }
  return code & 7;
}

bool is_crest(float strength[9], int direction) {
  int a = 4, b = 4;
  switch (direction & 3) {
    case 0: a = 3; b = 5; break;
    case 1: a = 0; b = 8; break;
    case 2: a = 1; b = 7; break;
    case 3: a = 2; b = 6;
  }
  return strength[4] > strength[a] && strength[4] >= strength[b];
}

// Rows of bits: what is weak and touches what is strong is strong, until nothing changes.
uvec2 join(uvec2 strong, uvec2 weak) {
  for (int round = 0;; ++round) {
    uvec2 grown = strong | (strong << 1) | (strong >> 1);
    grown.x |= (grown.x << 8) | (grown.x >> 8) | (grown.y << 24);
    grown.y |= (grown.y << 8) | (grown.y >> 8) | (grown.x >> 24);
    grown &= weak;
    if (all(equal(grown | strong, strong)) || round == 15) break;
    strong |= grown;
  }
  return strong;
}

float corner_response(vec2 slopes[4], float k) {
  mat2 sums = mat2(0.0);
  for (int i = 0; i < 4; ++i) {
    sums += outerProduct(slopes[i], slopes[i]);
  }
  float det = sums[0][0] * sums[1][1] - sums[0][1] * sums[1][0];
  float trace = sums[0][0] + sums[1][1];
  return det - k * trace * trace;
}

void main() {
  mat3 window;
  float strength[9];
  vec2 slopes[4];
  for (int i = 0; i < 9; ++i) {
    window[i % 3][i / 3] = fract(place.x * float(i + 1) + place.y);
    strength[i] = abs(laplace(window, (i & 1) == 1));
    slopes[i & 3] = slope(window, operation + i);
  }
  int direction = eighth(slopes[0]);
  bool crest = is_crest(strength, direction);
  mask = join(uvec2(direction, 1u << 9), uvec2(floatBitsToUint(place.x), ~0u));
  color = vec4(slopes[0], crest ? 1.0 : 0.0, corner_response(slopes, 0.04));
}
