#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Sorting small local arrays: insertion, selection and a median, with indices that are computed. The
// loops go down as well as up, and one has a condition of two parts.
precision highp float;
precision highp int;
layout(location = 0) flat in int start;
layout(location = 0) out vec4 color;

int insertion_sort(ivec4 start, int which) {
  int values[8] = int[8](start.x, start.y, start.z, start.w, start.w ^ start.x, 4, 2, start.y * 3);
  for (int i = 1; i < 8; ++i) {
    int value = values[i];
    int j = i - 1;
    while (j >= 0 && values[j] > value) {
      values[j + 1] = values[j];
      --j;
    }
    values[j + 1] = value;
  }
  return values[which & 7];
}

int selection_sort(int seed) {
  int values[6];
  for (int i = 0; i < 6; ++i) {
    values[i] = (seed * (i + 3)) % 17;
  }
  for (int i = 0; i < 5; ++i) {
    int least = i;
    for (int j = i + 1; j < 6; ++j) {
      if (values[j] < values[least]) {
        least = j;
      }
    }
    int kept = values[i];
    values[i] = values[least];
    values[least] = kept;
  }
  return values[0] + values[5] * 32;
}

int median(ivec3 three) {
  return max(min(three.x, three.y), min(max(three.x, three.y), three.z));
}

void main() {
  int at = start;
  int mixed = insertion_sort(ivec4(at, 9 - at, 3, 7), at) + selection_sort(at) +
               median(ivec3(at, 4, 8 - at));
  color = vec4(float(mixed & 255) * (1.0 / 255.0));
}
