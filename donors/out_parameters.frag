#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Results through parameters: a generator that moves its state on, a swap, a split into digits and an
// array that is turned round in place.
precision highp float;
precision highp int;
layout(location = 0) flat in uint start;
layout(location = 0) out vec4 color;

uint next_random(inout uint state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state >> 8;
}

void order(inout int a, inout int b) {
  if (a > b) {
    int kept = a;
    a = b;
    b = kept;
  }
}

int digits(int number, out int last) {
  int count = 0;
  last = 0;
  for (int rest = number; rest != 0; rest /= 10) {
    last = rest % 10;
    ++count;
  }
  return count;
}

void turn_round(inout int values[6], int from) {
  int to = 5;
  while (from < to) {
    int kept = values[from];
    values[from] = values[to];
    values[to] = kept;
    ++from;
    --to;
  }
}

void main() {
  int at = int(start);
  uint state = uint(at) + 1u;
  int last, other = 3;
  int values[6] = int[6](1, 2, 3, 5, 8, at);
  uint sum = next_random(state) + uint(digits(at * 37, last));
  order(last, other);
  turn_round(values, at & 3);
  uint mixed = sum + uint(other + values[at & 3]);
  color = vec4(float(mixed & 255u) * (1.0 / 255.0));
}
