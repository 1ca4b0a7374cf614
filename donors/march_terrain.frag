#version 320 es
// SPDX-License-Identifier: Apache-2.0
// A march over terrain: heights between hashed corners, steps that grow with the distance, a walk
// back by halves, a shadow that gives up early, and layers of ground by height and slope.
precision highp float;
precision highp int;
layout(location = 0) in vec2 place;
layout(location = 1) flat in int detail;
layout(location = 0) out vec4 color;

float corner(ivec2 at) {
  uint h = uint(at.x) * 0x9e3779b1u ^ uint(at.y) * 0x85ebca6bu;
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  h ^= h >> 12;
  return float(h >> 8) * (1.0 / 16777216.0);
}

// The corners' cell comes as integers, so that nothing has to be converted.
float height(ivec2 cell, vec2 inside, int octaves) {
  float sum = 0.0, size = 0.5;
  for (int o = 0; o < 6; ++o) {
    if (o >= octaves) break;
    float h[4];
    for (int i = 0; i < 4; ++i) {
      uint key = uint(cell.x + (i & 1)) * 73u + uint(cell.y + (i >> 1)) * 179u + uint(o) * 283u;
      key = (key ^ (key >> 3)) * 0x27d4eb2du;
      h[i] = float(key >> 16) * (1.0 / 65536.0);
    }
    vec2 t = inside * inside * (3.0 - 2.0 * inside);
    sum += size * mix(mix(h[0], h[1], t.x), mix(h[2], h[3], t.x), t.y);
    size *= 0.5;
    inside *= 2.0;
    cell *= 2;
    if (inside.x >= 1.0) {
      inside.x -= 1.0;
      cell.x += 1;
    }
    if (inside.y >= 1.0) {
      inside.y -= 1.0;
      cell.y += 1;
    }
  }
  return sum;
}

// Over a table of heights; returns where the ray goes under it, or -1.
float march_table(float heights[16], float from, float rise) {
  float x = 0.0, step_size = 0.125;
  int at = 0;
  while (x < 15.0) {
    if (from + rise * x < heights[at]) {
      for (int i = 0; i < 8; ++i) {
        step_size *= 0.5;
        x += from + rise * x < heights[at] ? -step_size : step_size;
      }
      return x;
    }
    x += step_size;
    if (x >= float(at + 1)) {
      ++at;
      step_size *= 1.0625;
    }
  }
  return -1.0;
}

float shadow(float heights[16], int from, float level, float sun_slope) {
  float light = 1.0;
  for (int i = from + 1; i < 16; ++i) {
    level += sun_slope;
    float clear = level - heights[i];
    if (clear <= 0.0) {
      light = 0.0;
      break;
    }
    if (clear > 4.0) break;
    float soft = clear * 2.0;
    light = soft < light ? soft : light;
  }
  return light;
}

vec3 ground(float level, float slope) {
  vec3 rock = vec3(0.375, 0.34375, 0.3125);
  if (level < 0.25) {
    if (level < 0.125) return vec3(0.0625, 0.125, 0.375);
    return slope < 0.5 ? vec3(0.75, 0.6875, 0.5) : rock;
  }
  vec3 grass = vec3(0.125, 0.4375, 0.0625);
  if (level > 0.75) {
    grass = slope > 0.75 ? rock : vec3(0.9375);
  } else if (slope > 0.625) {
    grass = mix(grass, rock, (slope - 0.625) * 2.0);
  }
  return grass;
}

void main() {
  float heights[16];
  ivec2 cell = ivec2(floor(place));
  for (int i = 0; i < 16; ++i) {
    heights[i] = height(cell + ivec2(i, 0), fract(place), detail) + 0.25 * corner(cell);
  }
  float hit = march_table(heights, 2.0, -0.125);
  float light = shadow(heights, detail & 7, heights[detail & 7], 0.25);
  float fog = hit < 0.0 ? 0.25 : 1.0 - hit * 0.0625;
  color = vec4(mix(vec3(0.5), ground(heights[3], abs(heights[4] - heights[2])) * light, fog), 1.0);
}
