#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Big switches: labels far apart and negative, labels without a gap, cases that fall through in
// chains, defaults in the middle, switches in switches and in loops, and one on what another gave.
precision highp float;
precision highp int;
layout(location = 0) flat in ivec2 place;
layout(location = 0) out vec4 color;

int sparse(int label) {
  int sum = 1;
  switch (label) {
    case -2147483647:
      sum = -7;
      break;
    case -1000000:
      sum += 3;
    case -65536:
      sum *= 5;
    case -32768:
      sum -= 11;
      break;
    case -255:
      return -255;
    case -17:
    case -16:
    case -15:
      sum = label * 3;
      break;
    case -2:
      sum <<= 4;
    case -1:
      sum |= 9;
    case 0:
      sum ^= 0x55;
    case 1:
      sum += 2;
      break;
    default:
      sum = label ^ (label >> 3);
    case 13:
      sum *= 7;
      break;
    case 100:
      if ((sum & 1) != 0) {
        sum = 100;
        break;
      }
      sum = 99;
    case 1000:
      sum += 1000;
      break;
    case 4095:
    case 4097:
      sum = 4096 - label;
      break;
    case 16777216:
      sum = 0;
    case 33554432:
      return sum + 24;
    case 2147483647:
      sum = ~sum;
      break;
  }
  return sum;
}

uint dense(uint label, uint value) {
  switch (label & 31u) {
    case 0u: value += 1u; break;
    case 1u: value ^= 0x101u; break;
    case 2u: value *= 3u; break;
    case 3u: value -= 17u; break;
    case 4u: value |= 64u;
    case 5u: value >>= 1; break;
    case 6u: value = ~value; break;
    case 7u: value &= 0xfff0fu; break;
    case 8u: value <<= 2;
    case 9u: value += 5u;
    case 10u: value ^= value >> 7; break;
    case 11u: return value;
    case 12u: value = value << 9 | value >> 23; break;
    case 13u: value %= 1009u; break;
    case 14u: value /= 3u; break;
    case 15u: value = bitfieldReverse(value); break;
    case 16u: value = uint(bitCount(value)); break;
    case 17u: value = max(value, 4096u); break;
    case 18u: value = min(value, 255u); break;
    case 19u: break;
    case 20u: value *= value; break;
    case 21u: value += label; break;
    case 22u: value ^= label << 3;
    default: value += 2u; break;
    case 25u: value = 0u; break;
    case 26u: value = bitfieldInsert(value, label, 4, 7); break;
    case 27u: return value ^ 1u;
    case 31u: value -= label; break;
  }
  return value * 2u + 1u;
}

// A lift that goes by its orders; the state is the floor, twice, and whether the doors are open.
int lift(uint orders, int start) {
  int state = start & 7;
  int moves = 0;
  for (int i = 0; i < 16; ++i, orders >>= 2) {
    switch (state) {
      case 0:
      case 2:
      case 4:
        switch (orders & 3u) {
          case 0u:
            continue;
          case 1u:
            if (state < 4) {
              state += 2;
              ++moves;
            }
            break;
          case 2u:
            if (state == 0) {
              return moves;
            }
            state -= 2;
            ++moves;
            break;
          default:
            state |= 1;
        }
        break;
      case 1:
      case 3:
      case 5:
        if ((orders & 3u) == 3u) {
          continue;
        }
        state &= ~1;
        break;
      case 6:
        moves += 100;
      case 7:
        state = 0;
        break;
    }
    moves += state * 16;
    if (moves > 4000) {
      break;
    }
  }
  return moves;
}

int days_before(int month, bool leap) {
  int days = 0;
  switch (month) {
    case 12: days += 30;
    case 11: days += 31;
    case 10: days += 30;
    case 9: days += 31;
    case 8: days += 31;
    case 7: days += 30;
    case 6: days += 31;
    case 5: days += 30;
    case 4: days += 31;
    case 3: days += leap ? 29 : 28;
    case 2: days += 31;
    case 1: break;
    default: return -1;
  }
  return days;
}

float colour_name(int code) {
  float level = 0.0;
  switch (code) {
    case 0x000:
      break;
    case 0xf00:
      level = 0.25;
      break;
    case 0x0f0:
      level = 0.5;
      switch (code >> 4 & 3) {
        case 0:
          level = 0.375;
          break;
        case 3:
          level += 0.0625;
          break;
      }
      break;
    case 0x00f:
      for (int i = 0; i < 4; ++i) {
        if (level > 0.6) {
          break;
        }
        level += 0.1875;
      }
      break;
    case 0xfff:
      return 1.0;
    default:
      level = float(code & 15) * 0.0625;
  }
  return level;
}

void main() {
  int at = place.x * 64 + place.y;
  int mixed = sparse(at - 2048) + int(dense(uint(place.y), uint(at)) & 0xffffu);
  mixed += lift(uint(at) * 0x9e3779b9u, place.x) + days_before(place.y % 14, place.x % 4 == 0);
  color = vec4(float(mixed & 255) * (1.0 / 255.0), colour_name(mixed & 4095), 0.5, 1.0);
}
