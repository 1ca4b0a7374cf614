#version 320 es
// SPDX-License-Identifier: Apache-2.0
// Patterns round a point: angles without a tangent (round a diamond), a kaleidoscope by mirrors,
// petals from polynomials of cosine and sine, spirals by arms, a clock's face, and a moire of
// rings.
precision highp float;
precision highp int;
layout(location = 0) in vec2 place;
layout(location = 1) flat in ivec3 clock;
layout(location = 0) out vec4 color;

// From 0 up to 4 once round; grows with the angle, but not evenly.
float diamond_angle(vec2 p) {
  float sum = abs(p.x) + abs(p.y);
  if (sum == 0.0) return 0.0;
  float inverse = uintBitsToFloat(0x7ef311c7u - floatBitsToUint(sum));
  inverse *= 2.0 - sum * inverse;
  inverse *= 2.0 - sum * inverse;
  if (p.y >= 0.0) {
    return p.x >= 0.0 ? p.y * inverse : 1.0 - p.x * inverse;
  }
  return p.x < 0.0 ? 2.0 - p.y * inverse : 3.0 + p.x * inverse;
}

// Mirrored until it lies in the first part; the bits say where it was mirrored.
vec2 kaleidoscope(vec2 p, int halvings, out uint path) {
  path = 0u;
  if (p.y < 0.0) {
    p.y = -p.y;
    path = 1u;
  }
  vec2 mirror = vec2(0.0, 1.0);
  for (int i = 0; i < halvings; ++i) {
    float side = p.x * mirror.y - p.y * mirror.x;
    path <<= 1;
    if (side < 0.0) {
      p -= 2.0 * side * vec2(mirror.y, -mirror.x);
      path |= 1u;
    }
    vec2 half_way = mirror + vec2(1.0, 0.0);
    float square = dot(half_way, half_way);
    float inverse = 0.70710678;
    for (int k = 0; k < 4; ++k) {
      inverse *= 1.5 - 0.5 * square * inverse * inverse;
    }
    mirror = half_way * inverse;
  }
  return p;
}

// Cosine and sine of n times the angle of a unit vector, by their recurrence.
vec2 multiple(vec2 unit, int n) {
  vec2 last = vec2(1.0, 0.0), here = unit;
  if (n == 0) return last;
  bool below = n < 0;
  if (below) n = -n;
  while (--n > 0) {
    vec2 next = 2.0 * unit.x * here - last;
    last = here;
    here = next;
  }
  return below ? vec2(here.x, -here.y) : here;
}

bool in_petal(vec2 p, int petals) {
  float square = dot(p, p);
  if (square > 1.0) return false;
  if (square < 0.0625) return true;
  float re = 1.0, im = 0.0, size = 1.0;
  for (int i = 0; i < petals; ++i) {
    float kept = re * p.x - im * p.y;
    im = re * p.y + im * p.x;
    re = kept;
    size *= square;
    if (size < 0.000001) break;
  }
  // cos(n a) above r: re over r^n above r, squared.
  return re > 0.0 && re * re > size * square;
}

int spiral_arm(vec2 p, float winding, int arms) {
  float square = dot(p, p);
  if (square == 0.0) return -1;
  int octave = int((floatBitsToUint(square) >> 23) & 255u) - 127;
  float mantissa = uintBitsToFloat((floatBitsToUint(square) & 0x7fffffu) | 0x3f800000u) - 1.0;
  float rings = (float(octave) + mantissa) * 0.5 * winding;
  float turn = abs(p.x) > abs(p.y) ? (p.x > 0.0 ? 0.0 : 0.5) : (p.y > 0.0 ? 0.25 : 0.75);
  float phase = fract(rings + turn);
  for (int arm = 1; arm < arms; ++arm) {
    phase += 0.25;
    if (phase < 1.0) continue;
    return arm;
  }
  return 0;
}

float dial(vec2 p, ivec3 now) {
  vec2 hands[3];
  vec2 tick = vec2(0.0, 1.0);
  int hour_part = (now.x % 12) * 5 + now.y / 12;
  for (int minute = 0; minute < 60; ++minute) {
    if (minute == hour_part) hands[0] = tick * 0.5;
    if (minute == now.y) hands[1] = tick * 0.75;
    if (minute == now.z) hands[2] = tick * 0.875;
    tick = mat2(0.99452190, -0.10452846, 0.10452846, 0.99452190) * tick;
  }
  for (int hand = 0; hand < 3; ++hand) {
    float along = dot(p, hands[hand]);
    if (along < 0.0) continue;
    float across = p.x * hands[hand].y - p.y * hands[hand].x;
    float size = dot(hands[hand], hands[hand]);
    if (along > size) continue;
    if (abs(across) < 0.03125) return float(3 - hand) * 0.25;
  }
  return dot(p, p) > 0.9375 ? 1.0 : 0.0;
}

float true_angle(vec2 p, float turns) {
  return fract(atan(p.y, p.x) * 0.15915494 + turns * length(p));
}

void main() {
  uint path;
  vec2 q = kaleidoscope(place, 3, path);
  vec2 unit = normalize(place);
  float a = diamond_angle(q) + multiple(unit, clock.x).y;
  int arm = spiral_arm(place, 1.5, 4) + (in_petal(place, 5) ? 1 : 0);
  if (arm < 0) discard;
  color = vec4(a, dial(place, clock), true_angle(place, 0.5), float(arm + int(path & 7u)));
}
