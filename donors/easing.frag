#version 320 es
// SPDX-License-Identifier: Apache-2.0
// Curves of animations: one big switch of easings, a bounce as ifs in ifs, a spring step by step, a
// timeline of keys, steps that jump, and a loop that swings back.
precision highp float;
precision highp int;
layout(location = 0) in float time;
layout(location = 1) flat in ivec2 kind;
layout(location = 0) out vec4 color;

float eased(float t, int which) {
  float s = 1.0 - t;
  switch (which) {
    case 0:
      return t;
    case 1:
      return t * t;
    case 2:
      return 1.0 - s * s;
    case 3:
      return t < 0.5 ? 2.0 * t * t : 1.0 - 2.0 * s * s;
    case 4:
      t *= t;
    case 5:
      t *= t;
    case 6:
      t *= t * t;
      break;
    case 7:
      s *= s * s;
      t = 1.0 - s;
      break;
    case 8:
      return t * t * (2.70158 * t - 1.70158);
    case 9:
      return 1.0 + s * s * (-2.70158 * s + 1.70158);
    case 10: {
      float u = t < 0.5 ? 2.0 * t : 2.0 * s;
      u *= u * u * u;
      return t < 0.5 ? 0.5 * u : 1.0 - 0.5 * u;
    }
    case 11:
    case 12:
      if (t == 0.0 || t == 1.0) return t;
      for (int i = 0; i < 4; ++i) s *= s;
      t = which == 11 ? 1.0 - s : s;
      break;
    default:
      t = t < 0.5 ? 0.0 : 1.0;
  }
  return t;
}

float bounce(float t, bool at_start) {
  if (at_start) t = 1.0 - t;
  float result;
  if (t < 0.36363636) {
    result = 7.5625 * t * t;
  } else {
    if (t < 0.72727273) {
      t -= 0.54545455;
      result = 7.5625 * t * t + 0.75;
    } else {
      if (t < 0.90909091) {
        t -= 0.81818182;
        result = 7.5625 * t * t + 0.9375;
      } else {
        t -= 0.95454545;
        result = 7.5625 * t * t + 0.984375;
      }
    }
  }
  return at_start ? 1.0 - result : result;
}

// Place and speed of a spring; ends early when it is at rest.
vec2 spring(vec2 state, float stiff, float damping, int steps) {
  const float dt = 0.0625;
  int still = 0;
  for (int i = 0; i < steps; ++i) {
    float force = stiff * (1.0 - state.x) - damping * state.y;
    state.y += force * dt;
    state.x += state.y * dt;
    if (abs(state.y) > 0.001 || abs(1.0 - state.x) > 0.001) {
      still = 0;
      continue;
    }
    if (++still == 3) {
      state = vec2(1.0, 0.0);
      break;
    }
  }
  return state;
}

float timeline(float keys[6], float values[6], float at, int mode) {
  if (at <= keys[0]) return values[0];
  int i = 0;
  while (i < 5 && keys[i + 1] < at) ++i;
  if (i == 5) return values[5];
  float width = keys[i + 1] - keys[i];
  if (width < 0.0001) return values[i + 1];
  float inverse = uintBitsToFloat(0x7ef311c7u - floatBitsToUint(width));
  inverse *= 2.0 - width * inverse;
  inverse *= 2.0 - width * inverse;
  float part = (at - keys[i]) * inverse;
  switch (mode) {
    case 2:
      part = part * part * (3.0 - 2.0 * part);
    case 1:
      return mix(values[i], values[i + 1], part);
  }
  return part < 1.0 ? values[i] : values[i + 1];
}

float elastic(float t, float period) {
  if (t <= 0.0) return 0.0;
  if (t >= 1.0) return 1.0;
  return exp2(-10.0 * t) * sin((t - period * 0.25) * (6.2831853 / period)) + 1.0;
}

// There and back, with a pause at both ends, so many times.
float ping_pong(float t, float pause, int times, out int turn) {
  float length_of_way = 1.0 + pause;
  turn = 0;
  for (; t > length_of_way && turn < times; ++turn) {
    t -= length_of_way;
  }
  if (turn == times) return (times & 1) == 0 ? 0.0 : 1.0;
  t = t > 1.0 ? 1.0 : t;
  return (turn & 1) == 0 ? t : 1.0 - t;
}

void main() {
  float keys[6], values[6];
  for (int i = 0; i < 6; ++i) {
    keys[i] = float(i) * 0.5;
    values[i] = eased(float(i) * 0.2, kind.x + i);
  }
  int turn;
  float t = ping_pong(time, 0.25, kind.y, turn);
  vec2 state = spring(vec2(0.0, t), 4.0, 0.5, 30);
  float sum = bounce(t, (turn & 1) == 1) + elastic(t, 0.5);
  color = vec4(state, timeline(keys, values, time, kind.x % 3), sum);
}
