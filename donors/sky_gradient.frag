#version 320 es
// SPDX-License-Identifier: Apache-2.0
// A sky: colours between stops of a table, the disc of the sun with a glow, stars in cells of a
// grid, bands of cloud, and scattered light summed along the way through thinning air.
precision highp float;
precision highp int;
layout(location = 0) in vec3 towards;
layout(location = 1) flat in int hour;
layout(location = 0) out vec4 color;

const float stops[5] = float[5](-1.0, 0.0, 0.125, 0.5, 1.0);
const vec3 day[5] = vec3[5](vec3(0.25, 0.21875, 0.1875), vec3(0.875, 0.9375, 1.0),
                            vec3(0.625, 0.8125, 1.0), vec3(0.25, 0.5625, 1.0),
                            vec3(0.0625, 0.25, 0.75));

vec3 between_stops(float up) {
  int at = 0;
  while (at < 3 && up >= stops[at + 1]) ++at;
  float low = stops[at];
  float part = (up - low) * (at == 2 ? 2.66666667 : at == 1 ? 8.0 : at == 0 ? 1.0 : 2.0);
  if (part < 0.0) part = 0.0;
  return mix(day[at], day[at + 1], part);
}

float sun(vec3 d, vec3 s, float size) {
  float cosine = dot(d, s);
  if (cosine <= 0.0) return 0.0;
  if (cosine > 1.0 - size) return 4.0;
  float glow = cosine;
  for (int i = 0; i < 5; ++i) {
    glow *= glow;
    if (glow < 0.00390625) return 0.0;
  }
  return glow * (1.0 - size);
}

float stars(vec2 p, uint night) {
  vec2 low = floor(p);
  uvec2 at = floatBitsToUint(low + 12582912.0);
  uint h = (at.x * 0x8da6b343u) ^ (at.y * 0xd8163841u) ^ night;
  h ^= h >> 13;
  h *= 0x5bd1e995u;
  if ((h & 15u) > 2u) return 0.0;
  vec2 centre = vec2((h >> 4) & 255u, (h >> 12) & 255u) * (1.0 / 255.0);
  vec2 d = p - low - centre;
  float size = 0.0009765625 * float(1u + (h >> 28));
  float square = dot(d, d);
  return square > size ? 0.0 : 1.0 - square * 64.0;
}

float air_light(float up, float height, int steps) {
  float seen = 1.0, sum = 0.0;
  for (int i = 0; i < steps; ++i) {
    float density = 1.0 - height * 0.125;
    if (density <= 0.0) break;
    density *= density;
    sum += seen * density * 0.125;
    seen *= 1.0 - density * 0.125;
    height += up > 0.0625 ? up : 0.0625;
    if (seen < 0.0625) {
      sum += seen;
      break;
    }
  }
  return sum;
}

vec4 clouds(vec3 d, float cover) {
  if (d.y <= 0.03125) return vec4(0.0);
  vec2 p = d.xz / d.y;
  float sum = 0.0;
  float size = 0.5;
  for (int i = 0; i < 4; ++i, size *= 0.5) {
    sum += size * (0.5 + 0.5 * sin(p.x * 3.0 + cos(p.y * 2.0 + float(i))));
    p = p.yx * 1.875 + sum;
  }
  float thick = clamp((sum - 1.0 + cover) / max(cover, 0.01), 0.0, 1.0);
  return vec4(vec3(1.0 - 0.25 * thick), thick);
}

void main() {
  vec3 d = normalize(towards);
  float night = (hour < 6 || hour > 18) ? 1.0 : 0.0;
  vec3 sky = between_stops(d.y) * (1.0 - 0.875 * night) * (1.0 + air_light(d.y, 0.5, 12));
  sky += night * stars(d.xz * 32.0, uint(hour)) + sun(d, vec3(0.0, 0.6, 0.8), 0.001);
  vec4 cloud = clouds(d, 0.5);
  color = vec4(mix(sky, cloud.rgb, cloud.a), 1.0);
}
