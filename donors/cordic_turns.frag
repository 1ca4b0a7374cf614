#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Angles without floats: CORDIC both ways, a sine from a table with a parabola between its entries,
// an atan by octants, logarithms and powers of two by squaring and by tables, and a hypotenuse.
precision highp float;
precision mediump int;
layout(location = 0) flat in highp ivec2 place;
layout(location = 0) out vec4 color;

// 65536 units make a turn; coordinates have 14 bits behind the point.
highp ivec3 cordic_turn(highp int angle) {
  const highp int steps[14] = int[14](8192, 4836, 2555, 1297, 651, 326, 163, 81, 41, 20, 10, 5,
                                          3, 1);
  highp int rest = angle & 65535;
  highp ivec2 at = ivec2(9949, 0);
  if (rest > 32768) {
    rest -= 65536;
  }
  if (rest > 16384) {
    rest -= 32768;
    at.x = -at.x;
  } else if (rest < -16384) {
    rest += 32768;
    at.x = -at.x;
  }
  highp ivec2 shifted = at;
  for (int i = 0; i < 14; ++i) {
    shifted = at;
    for (int j = 0; j < i; ++j) {
      shifted >>= ivec2(1);
    }
    if (rest < 0) {
      at += ivec2(shifted.y, -shifted.x);
      rest += steps[i];
    } else {
      at += ivec2(-shifted.y, shifted.x);
      rest -= steps[i];
    }
    if (rest == 0) {
      break;
    }
  }
  return ivec3(at, rest);
}

highp int table_sine(highp int angle) {
  const highp int quarter[17] = int[17](0, 1606, 3196, 4756, 6270, 7723, 9102, 10394, 11585, 12665,
                                        13623, 14449, 15137, 15679, 16069, 16305, 16384);
  highp int within = angle & 16383;
  highp int cell;
  switch ((angle >> 14) & 3) {
    case 1:
    case 3:
      within = 16384 - within;
      break;
    default:
      break;
  }
  cell = within >> 10;
  highp int part = within & 1023;
  highp int value = quarter[cell];
  if (cell < 16) {
    highp int slope = quarter[cell + 1] - quarter[cell];
    highp int bend = cell > 0 ? quarter[cell + 1] + quarter[cell - 1] - 2 * quarter[cell] : 0;
    value += (slope * part + ((bend * part) >> 11) * (part - 1024)) >> 10;
  }
  return (angle & 32768) != 0 ? -value : value;
}

highp int octant_angle(highp ivec2 v) {
  highp int angle = 0;
  highp ivec2 w = v;
  if (w.y < 0) {
    w = -w;
    angle = 32768;
  }
  if (w.x < 0) {
    w = ivec2(w.y, -w.x);
    angle += 16384;
  }
  bool steep = w.y > w.x;
  if (steep) {
    w = w.yx;
  }
  if (w.x == 0) {
    return -1;
  }
  highp int ratio = 0;
  highp int rest = w.y;
  for (int i = 0; i < 10; ++i) {
    ratio += ratio;
    rest += rest;
    if (rest >= w.x) {
      rest -= w.x;
      ++ratio;
    }
  }
  highp int within = (ratio * (10430 - ((ratio * 2230) >> 10))) >> 10;
  return angle + (steep ? 16384 - within : within);
}

// The logarithm to base 2, 8 bits behind the point.
highp int log_by_squaring(highp uint x) {
  if (x == 0u) {
    return -32768;
  }
  highp int whole = findMSB(x);
  highp uint y = x;
  highp int i = whole;
  while (i > 15) {
    y >>= 1;
    --i;
  }
  while (i < 15) {
    y <<= 1;
    ++i;
  }
  highp int result = whole;
  for (int bit = 0; bit < 8; ++bit) {
    y = (y >> 1) * (y >> 1) >> 13;
    result <<= 1;
    if (y >= 65536u) {
      y >>= 1;
      result |= 1;
    }
  }
  return result;
}

highp uint power_of_two(highp int exponent) {
  const highp uint roots[8] = uint[8](46341u, 38968u, 35734u, 34219u, 33486u, 33125u, 32946u,
                                         32857u);
  highp uint y = 32768u;
  highp int mask = 128;
  for (int i = 0; i < 8; ++i) {
    if ((exponent & mask) != 0) {
      y = y * roots[i] >> 15;
    }
    mask >>= 1;
  }
  highp int whole = exponent >> 8;
  for (; whole > 0; --whole) {
    if (y >= 0x80000000u) {
      return 0xffffffffu;
    }
    y <<= 1;
  }
  for (; whole < 0 && y != 0u; ++whole) {
    y >>= 1;
  }
  return y;
}

highp int hypotenuse(highp int a, highp int b) {
  highp int longer = max(abs(a), abs(b)) & 0x7fff;
  highp int shorter = min(abs(a), abs(b)) & 0x7fff;
  highp int target = longer * longer + (shorter >> 1) * (shorter >> 1) * 4;
  highp int low = longer;
  highp int high = longer + shorter;
  while (low < high) {
    highp int middle = (low + high + 1) >> 1;
    if (middle > 46340 || middle * middle > target) {
      high = middle - 1;
    } else {
      low = middle;
    }
  }
  return low;
}

void main() {
  highp ivec3 turned = cordic_turn(place.x * 331);
  highp int mixed = turned.x + turned.y * 3 + turned.z + table_sine(place.y * 257);
  mixed ^= octant_angle(place - 64) + hypotenuse(place.x, place.y);
  mixed += log_by_squaring(uint(place.x * place.y)) + int(power_of_two(place.x & 2047) >> 4);
  color = vec4(float(mixed & 255) * (1.0 / 255.0));
}
