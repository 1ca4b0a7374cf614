#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Switches: cases that fall through, a state machine that is one in a loop, and a switch in a switch.
precision highp float;
precision highp int;
layout(location = 0) flat in ivec2 start;
layout(location = 0) out vec4 color;

int days_left(int month, int day) {
  int days = 31 - day;
  switch (month) {
    case 9:
      days += 30;
    case 10:
      days += 31;
    case 11:
      days += 30;
      break;
    case 12:
      return days;
    default:
      days = -1;
  }
  return days;
}

int run_machine(int tape) {
  int state = 0;
  int written = 0;
  for (int i = 0; i < 16; ++i) {
    int bit = tape & 1;
    tape >>= 1;
    switch (state) {
      case 0:
        state = bit == 1 ? 2 : 1;
        break;
      case 1:
        written += bit;
      case 2:
        written ^= 3;
        state = bit;
        break;
      default:
        state = 0;
    }
  }
  return written * 4 + state;
}

int inner_outer(int a, int b) {
  int x = 1;
  switch (a & 3) {
    case 1:
      switch (b & 3) {
        case 0: x = 5; break;
        case 2: x = 7; break;
      }
      x += b;
      break;
    case 2:
      x = b * 2;
  }
  return x;
}

void main() {
  int mixed = days_left(start.x, start.y) + run_machine(start.x) + inner_outer(start.x, start.y);
  color = vec4(float(mixed & 255) * (1.0 / 255.0));
}
