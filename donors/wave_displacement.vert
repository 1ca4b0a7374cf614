#version 310 es
// SPDX-License-Identifier: Apache-2.0
// A sheet of water: heights from a texture, from triangle waves and from a bank of ripples that die
// out. The normal comes from differences; foam where the crest is steep.
precision highp float;
precision highp int;
layout(location = 0) in vec2 place;
layout(location = 0) out vec3 bump;
layout(location = 1) out mediump float foam;
layout(location = 2) flat out int band;

layout(set = 0, binding = 0) uniform mediump sampler2D heights;
layout(set = 0, binding = 1) uniform Sea {
  vec4 waves[6];
  vec2 wind;
  float time;
  int tick;
};

float triangle_wave(float x) {
  float whole = floor(x);
  float rest = x - whole;
  return rest < 0.5 ? 4.0 * rest - 1.0 : 3.0 - 4.0 * rest;
}

// A bump with continuous slope, zero outside of (-1, 1).
float ripple(float distance_squared, float width) {
  float x = 1.0 - distance_squared * width;
  if (x <= 0.0) {
    return 0.0;
  }
  float square = x * x;
  return square * (3.0 - 2.0 * x) * (1.0 - 0.25 * square);
}

float ripples(vec2 p, int step_count) {
  vec2 centres[5] = vec2[5](vec2(0.1, 0.2), vec2(0.7, 0.4), vec2(-0.5, 0.3), vec2(-0.2, -0.8),
                            vec2(0.4, -0.6));
  float sum = 0.0;
  float strength = 1.0;
  for (int i = 0; i < step_count; ++i) {
    vec2 way = p - centres[i % 5];
    float squared = dot(way, way);
    if (squared > 4.0) {
      strength *= 0.75;
      continue;
    }
    sum += strength * (1.0 - squared * 0.25) * (1.0 - squared * 0.25);
    strength *= 0.5;
    if (strength < 0.03125) {
      break;
    }
  }
  return sum;
}

int beaufort(float speed) {
  float limits[9] = float[9](0.5, 1.5, 3.5, 5.5, 8.0, 11.0, 14.0, 17.0, 21.0);
  int low = 0;
  int high = 9;
  while (low < high) {
    int middle = (low + high) / 2;
    if (limits[middle] <= speed) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

float swell(vec2 p) {
  float height = 0.0;
  for (int i = 0; i < 6; ++i) {
    vec4 wave = waves[i];
    if (wave.w == 0.0) {
      break;
    }
    float phase = dot(wave.xy, p) + wave.z * time;
    height += wave.w * sin(phase) + 0.25 * wave.w * triangle_wave(phase * 0.5);
  }
  return height;
}

float surface(vec2 p) {
  vec2 at = p * 0.5 + 0.5 + wind * time;
  float coarse = textureLod(heights, at, 2.0).x;
  float fine = textureLod(heights, at * 4.0, 0.0).y;
  return coarse + 0.25 * fine + swell(p) + 0.1 * ripples(p, tick & 15);
}

void main() {
  float h = surface(place);
  float hx = surface(place + vec2(0.01, 0.0));
  float hy = surface(place + vec2(0.0, 0.01));
  bump = normalize(vec3(h - hx, h - hy, 0.01));
  foam = ripple(bump.z * bump.z, 4.0);
  band = beaufort(length(wind) * 10.0);
  gl_Position = vec4(place, h * 0.25, 1.0);
}
