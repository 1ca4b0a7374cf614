#version 330
// SPDX-License-Identifier: Apache-2.0
// Few colours: an ordered pattern made by its recursion, errors handed on along a row, the nearest
// of a palette, a palette of cosines, blue-ish noise by a golden step, and curves that squeeze
// bright light.
#extension GL_ARB_separate_shader_objects : enable
layout(location = 0) in vec4 given;
layout(location = 1) flat in ivec2 cell;
layout(location = 0) out vec4 color;

float threshold(ivec2 at, int levels) {
  int value = 0;
  for (int bit = 0; bit < levels; ++bit) {
    int x = at.x & 1, y = at.y & 1;
    value = value * 4 + ((x ^ y) * 2 + y);
    at >>= 1;
  }
  float scale = 1.0;
  while (levels-- > 0) scale *= 0.25;
  return (float(value) + 0.5) * scale;
}

// Along a row of eight, there and back; what is lost goes to the neighbours.
int hand_on(float row[8], int bits, bool back) {
  float next[8];
  for (int i = 0; i < 8; ++i) next[i] = 0.0;
  float carried = 0.0;
  int word = 0;
  int i = back ? 7 : 0;
  do {
    float wanted = row[i] + carried + next[i];
    bool lit = wanted > 0.5;
    float lost = wanted - (lit ? 1.0 : 0.0);
    carried = lost * 0.4375;
    if (i > 0 && i < 7) {
      next[i - 1] += lost * 0.1875;
      next[i + 1] += lost * 0.0625;
    }
    word = (word << 1) | (lit ? 1 : 0);
    i += back ? -1 : 1;
    if (((bits >> 3) & 1) == 1) carried = -carried;
  } while (i >= 0 && i < 8);
  return word;
}

int nearest_colour(vec3 c, out float error) {
  const vec3 palette[8] = vec3[8](vec3(0.0), vec3(0.125, 0.25, 0.5), vec3(0.5, 0.125, 0.25),
                                  vec3(0.0, 0.5, 0.25), vec3(0.75, 0.375, 0.125), vec3(0.5),
                                  vec3(0.875, 0.875, 0.5), vec3(1.0));
  int best = 0;
  error = 3.0;
  for (int i = 0; i < 8; ++i) {
    vec3 d = palette[i] - c;
    float sum = 0.0;
    for (int k = 0; k < 3; ++k) {
      sum += d[k] * d[k] * (k == 1 ? 2.0 : 1.0);
      if (sum >= error) break;
    }
    if (sum >= error) continue;
    error = sum;
    best = i;
    if (sum == 0.0) return i;
  }
  return best;
}

vec3 cosine_palette(float t, vec3 phase) {
  return 0.5 + 0.5 * cos(6.2831853 * (vec3(1.0, 1.0, 0.5) * t + phase));
}

float golden(ivec2 at, int frame) {
  float x = float(at.x) * 0.7548777 + float(at.y) * 0.5698403 + float(frame & 63) * 0.6180340;
  x = fract(x);
  return x < 0.5 ? 2.0 * x : 2.0 - 2.0 * x;
}

vec3 squeeze(vec3 light, int curve) {
  vec3 result = light;
  for (int i = 0; i < 3; ++i) {
    float x = light[i];
    if (!(x > 0.0)) {
      result[i] = 0.0;
      continue;
    }
    switch (curve) {
      case 0:
        result[i] = x / (1.0 + x);
        break;
      case 1:
        result[i] = x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14);
      case 2:
        if (result[i] > 1.0) result[i] = 1.0;
        break;
      default:
        result[i] = x > 4.0 ? 1.0 : x * (1.0 - x * 0.125) * 0.5;
    }
  }
  return result;
}

void main() {
  float row[8];
  for (int i = 0; i < 8; ++i) {
    row[i] = fract(given.x * float(i) + threshold(cell + ivec2(i, 0), 3));
  }
  float error;
  vec3 light = squeeze(given.rgb, cell.x % 4);
  int word = hand_on(row, cell.y, (cell.y & 1) == 1);
  int which = nearest_colour(light + golden(cell, word) * 0.125, error);
  color = vec4(cosine_palette(float(which) * 0.125, light), error);
}
