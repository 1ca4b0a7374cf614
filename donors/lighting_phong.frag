#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Phong's and Blinn's lighting over a table of lights: highlights by repeated squaring, light that
// fades with the distance, cones with soft edges, and a sum that skips lights that are off.
precision highp float;
precision highp int;
layout(location = 0) in vec3 at;
layout(location = 1) in vec3 normal;
layout(location = 0) out vec4 color;

const vec4 lights[4] = vec4[4](vec4(2.0, 3.0, 1.0, 1.0), vec4(-4.0, 1.0, 0.0, 0.5),
                               vec4(0.0, -1.0, 6.0, 0.0), vec4(1.0, 1.0, 1.0, -0.25));
const vec3 tints[4] = vec3[4](vec3(1.0, 0.9375, 0.8125), vec3(0.25, 0.375, 1.0), vec3(1.0),
                              vec3(0.5, 1.0, 0.5));

// x to a whole power, by the bits of it.
float whole_power(float x, uint exponent) {
  float result = 1.0;
  while (exponent != 0u) {
    if ((exponent & 1u) == 1u) result *= x;
    x *= x;
    exponent >>= 1;
    if (x < 0.0000001) return exponent == 0u ? result : 0.0;
  }
  return result;
}

// Quadratic, and cut off smoothly where the light ends.
float fade(float square, float reach) {
  float inside = 1.0 - square * reach;
  if (inside <= 0.0) return 0.0;
  float nearness = inside * inside;
  return square < 1.0 ? nearness : nearness * (2.0 - inside) * 0.5;
}

float cone(float cosine, float outer, float inner) {
  if (cosine <= outer) {
    return 0.0;
  } else if (cosine >= inner) {
    return 1.0;
  }
  float t = (cosine - outer) * 8.0;
  return t > 1.0 ? 1.0 : t * t * (3.0 - 2.0 * t);
}

void add_light(inout vec3 diffuse, inout float shine, vec3 n, vec3 l, vec3 v, int which) {
  float facing = dot(n, l);
  if (facing <= 0.0) return;
  diffuse += tints[which] * facing;
  vec3 mirrored = 2.0 * facing * n - l;
  float towards = dot(mirrored, v);
  if (towards > 0.0) {
    towards *= towards;
    towards *= towards;
    shine += towards * towards * towards;
  }
}

// All lights on a surface that need not be of unit length: the angles are compared by squares.
vec3 lit(vec3 p, vec3 n, int skip) {
  vec3 sum = vec3(0.03125);
  float nn = dot(n, n);
  for (int i = 0; i < 4; ++i) {
    if (i == skip || lights[i].w == 0.0) continue;
    vec3 to = lights[i].xyz - p;
    float facing = dot(n, to);
    float strength = abs(lights[i].w);
    if (lights[i].w < 0.0) {
      sum += strength * tints[i];
      break;
    }
    if (facing <= 0.0) continue;
    float square = facing * facing;
    float whole = nn * dot(to, to);
    sum += tints[i] * strength * (square * 4.0 > whole ? 1.0 : square * 4.0);
  }
  return sum;
}

vec3 blinn(vec3 n, vec3 l, vec3 v, float hardness) {
  vec3 middle = normalize(l + v);
  float shine = pow(max(dot(n, middle), 0.0), hardness);
  return vec3(shine) + max(dot(n, l), 0.0) * 0.5;
}

void main() {
  vec3 n = normalize(normal), v = normalize(-at);
  vec3 diffuse = vec3(0.0);
  float shine = 0.0;
  for (int i = 0; i < 4; ++i) {
    add_light(diffuse, shine, n, normalize(lights[i].xyz - at), v, i);
  }
  float spot = cone(dot(n, v), 0.5, 0.625) * fade(dot(at, at), 0.0625) * whole_power(shine, 5u);
  color = vec4(diffuse + spot + lit(at, normal, 2) + blinn(n, v, v, 16.0), 1.0);
}
