#version 450
// SPDX-License-Identifier: Apache-2.0
// Colours told in other ways: hue and saturation both ways, luma and chroma by whole numbers, the
// gamma curve in pieces, opponent colours with their cube roots, temperatures, and a cube of
// lookups.
layout(location = 0) in vec3 given;
layout(location = 1) flat in ivec2 kind;
layout(location = 0) out vec4 color;
layout(location = 1) out ivec4 coded;

vec3 from_hue(float hue, float saturation, float value) {
  float sixth = fract(hue) * 6.0;
  float part = fract(sixth);
  float p = value * (1.0 - saturation);
  float q = value * (1.0 - saturation * part);
  float t = value * (1.0 - saturation * (1.0 - part));
  if (sixth < 1.0) return vec3(value, t, p);
  if (sixth < 2.0) return vec3(q, value, p);
  if (sixth < 3.0) return vec3(p, value, t);
  if (sixth < 4.0) return vec3(p, q, value);
  return sixth < 5.0 ? vec3(t, p, value) : vec3(value, p, q);
}

// The hue in sixths, saturation times value, and value.
vec3 to_hue(vec3 c) {
  int most = 0, least = 0;
  for (int i = 1; i < 3; ++i) {
    if (c[i] > c[most]) most = i;
    if (c[i] <= c[least]) least = i;
  }
  float chroma = c[most] - c[least];
  float hue = 0.0;
  if (chroma > 0.0) {
    switch (most) {
      case 0:
        hue = (c.g - c.b) / chroma;
        if (hue < 0.0) hue += 6.0;
        break;
      case 1:
        hue = (c.b - c.r) / chroma + 2.0;
        break;
      case 2:
        hue = (c.r - c.g) / chroma + 4.0;
        break;
    }
  }
  return vec3(hue, chroma, c[most]);
}

ivec3 to_luma(ivec3 c, bool full) {
  int y = 77 * c.r + 150 * c.g + 29 * c.b + 128;
  int cb = -43 * c.r - 85 * c.g + 128 * c.b;
  int cr = 128 * c.r - 107 * c.g - 21 * c.b;
  ivec3 result = ivec3(y >> 8, (cb >> 8) + 128, (cr >> 8) + 128);
  if (!full) {
    result = (result * ivec3(219, 224, 224) + ivec3(16 * 255 + 127, 16 * 255 + 127, 4207)) / 255;
  }
  return clamp(result, ivec3(0), ivec3(255));
}

// The curve of screens, the power by a cubic where no power is at hand.
vec3 screen_curve(vec3 linear, bool back) {
  vec3 result;
  for (int i = 0; i < 3; ++i) {
    float x = linear[i];
    if (x <= 0.0) {
      result[i] = 0.0;
      continue;
    }
    if (back) {
      result[i] = x < 0.04045 ? x * 0.07739938
                              : x * (x * (x * 0.305306011 + 0.682171111) + 0.012522878);
    } else if (x < 0.0031308) {
      result[i] = x * 12.92;
    } else {
      float y = uintBitsToFloat((floatBitsToUint(x) >> 1) + 0x1fbb4f2eu);
      result[i] = y * (1.375 - 0.375 * y) - 0.0296875;
    }
  }
  return result;
}

vec3 opponents(vec3 c) {
  const mat3 to_cones =
      mat3(0.4122, 0.2119, 0.0883, 0.5363, 0.6807, 0.2817, 0.0514, 0.1074, 0.6300);
  const mat3 to_axes =
      mat3(0.2105, 1.9780, 0.0259, 0.7936, -2.4286, 0.7828, -0.0041, 0.4506, -0.8087);
  vec3 cones = to_cones * c;
  for (int i = 0; i < 3; ++i) {
    uint bits = floatBitsToUint(cones[i]) & 0x7fffffffu;
    float root = uintBitsToFloat(bits / 3u + 0x2a514067u);
    cones[i] = cones[i] == 0.0 ? 0.0 : root;
  }
  return to_axes * cones;
}

// The white of a glowing body: a table of every thousand degrees from 2000 on.
vec3 glow(float kelvin) {
  const vec3 table[8] =
      vec3[8](vec3(1.0, 0.54, 0.08), vec3(1.0, 0.71, 0.42), vec3(1.0, 0.82, 0.64),
              vec3(1.0, 0.89, 0.81), vec3(1.0, 0.95, 0.94), vec3(0.96, 0.95, 1.0),
              vec3(0.89, 0.91, 1.0), vec3(0.84, 0.88, 1.0));
  float left = kelvin - 2000.0;
  int at = 0;
  for (; at < 7; ++at) {
    if (left < 1000.0) break;
    left -= 1000.0;
  }
  if (at == 7) return table[7];
  return left <= 0.0 ? table[0] : mix(table[at], table[at + 1], left * 0.001);
}

void main() {
  vec3 c = from_hue(given.x, given.y, given.z);
  coded = ivec4(to_luma(ivec3(c * 255.0), kind.x > 0), kind.x);
  switch (kind.y) {
    case 0:
      c = to_hue(c);
    case 1:
      c = screen_curve(c, kind.x == 1);
      break;
    default:
      c = opponents(c) + glow(4000.0 + given.x);
  }
  color = vec4(c, 1.0);
}
