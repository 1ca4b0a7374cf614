#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Ifs in ifs: a classification by ranges, a leap year, the place of a point among three rectangles, and
// what a shader leaves by: early returns and a discard.
precision highp float;
precision highp int;
layout(location = 0) flat in ivec2 place;
layout(location = 0) out vec4 color;

int classify(int value) {
  int kind = 0;
  if (value < 0) {
    kind = value < -100 ? 1 : 2;
  } else if (value < 10) {
    if ((value & 1) == 0) {
      kind = 3;
    } else {
      kind = value > 5 ? 4 : 5;
    }
  } else {
    if (value > 1000) {
      kind = 6;
    }
    kind += 7;
  }
  return kind;
}

bool is_leap(int year) {
  if (year % 4 != 0) {
    return false;
  }
  if (year % 100 != 0) {
    return true;
  }
  return year % 400 == 0;
}

int region(ivec2 p) {
  ivec4 box = ivec4(0, 0, 8, 4);
  int hits = 0;
  for (int i = 0; i < 3; ++i) {
    if (p.x >= box.x && p.x < box.z) {
      if (p.y >= box.y && p.y < box.w) {
        hits |= i + 1;
      }
    }
    box += ivec4(4, 2, 3, 5);
  }
  return hits;
}

float shade(int level) {
  if (level > 250) {
    discard;
  }
  return float(level) * (1.0 / 255.0);
}

void main() {
  int kind = classify(place.x) + (is_leap(place.y) ? 1 : 0) + region(place);
  color = vec4(shade(kind & 255));
}
