#version 450
// SPDX-License-Identifier: Apache-2.0
// Floats of 16 bits: polynomials, dot products of pairs, fractions and powers of two by their bits,
// matrices of halves, and rounding to grids.
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 16) in;
layout(std430, set = 0, binding = 0) buffer Halves { f16vec4 halves[64]; };

// Rounds to a multiple of a power of two; small numbers keep their sign.
float16_t on_grid(float16_t value, int shift) {
  float16_t scale = float16_t(1.0);
  for (int i = 0; i < (shift & 7); ++i) {
    scale *= float16_t(2.0);
  }
  float16_t scaled = value * scale;
  if (abs(scaled) < float16_t(0.5)) {
    return float16_t(0.0) * value;
  }
  return floor(scaled + float16_t(0.5)) / scale;
}

// The exponent, by the bits of the half.
int exponent_of(float16_t value) {
  uint16_t bits = float16BitsToUint16(value);
  int exponent = int(bits >> uint16_t(10)) & 31;
  if (exponent == 0) {
    return -15;
  }
  return exponent == 31 ? 16 : exponent - 15;
}

f16vec2 turned(f16vec2 pair, uint quarters) {
  switch (quarters & 3u) {
    case 1u:
      return f16vec2(-pair.y, pair.x);
    case 2u:
      return -pair;
    case 3u:
      return f16vec2(pair.y, -pair.x);
    default:
      return pair;
  }
}

float16_t polynomial(float16_t x, f16vec4 factors, int degree) {
  float16_t sum = float16_t(0.0);
  for (int i = min(degree, 3); i >= 0; --i) {
    sum = sum * x + factors[i];
    if (abs(sum) > float16_t(1000.0)) {
      sum *= float16_t(0.0625);
    }
  }
  return sum;
}

f16mat2 squared(f16mat2 m, int times) {
  while (times-- > 0) {
    m = m * m;
    float16_t most = max(abs(m[0][0]) + abs(m[0][1]), abs(m[1][0]) + abs(m[1][1]));
    if (most > float16_t(8.0)) {
      m *= float16_t(0.125);
    }
  }
  return m;
}

// The same steps as on_grid for floats of 32 bits, but away from zero at the middle.
float on_coarse_grid(float value, int shift) {
  float scale = 1.0;
  while (shift > 0 && scale < 128.0) {
    scale *= 2.0;
    --shift;
  }
  float scaled = floor(abs(value) * scale + 0.5) / scale;
  if (value < 0.0) {
    return -scaled;
  }
  return scaled;
}

void main() {
  uint at = gl_LocalInvocationID.x;
  f16vec4 own = halves[at], other = halves[at + 16u];
  f16mat2 m = squared(f16mat2(own.xy, other.zw), int(at & 3u));
  f16vec2 pair = turned(m * own.zw, at);
  float16_t value = polynomial(pair.x, other, int(at >> 2));
  halves[at + 32u] = f16vec4(pair, on_grid(value, exponent_of(value)),
                            float16_t(on_coarse_grid(float(value), 3)) + dot(own, other));
}
