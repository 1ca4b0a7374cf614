#version 310 es
// SPDX-License-Identifier: Apache-2.0
// A ray marcher for a row of spheres: a root by the bits of the number, the nearest of several
// spheres, a march that stops for three reasons, bisection of the hit, and an occlusion sum along
// the normal.
precision highp float;
precision highp int;
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 color;

const vec4 spheres[5] = vec4[5](vec4(0.0, 0.0, 4.0, 1.0), vec4(1.5, 0.5, 5.0, 0.75),
                                vec4(-1.5, -0.25, 3.5, 0.5), vec4(0.25, 1.75, 6.0, 1.25),
                                vec4(-2.0, 1.5, 7.0, 0.875));

// One over the root: a guess from the exponent and three steps of Newton's.
float one_over_root(float square) {
  float y = uintBitsToFloat(0x5f375a86u - (floatBitsToUint(square) >> 1));
  for (int i = 0; i < 3; ++i) {
    y *= 1.5 - 0.5 * square * y * y;
  }
  return y;
}

float nearest_sphere(vec3 p, out int which) {
  float best = 1000.0;
  which = -1;
  for (int i = 0; i < spheres.length(); ++i) {
    vec3 away = p - spheres[i].xyz;
    float square = dot(away, away);
    if (square > 64.0) {
      continue;
    }
    float guess = uintBitsToFloat((floatBitsToUint(square) >> 1) + 0x1fbd1df5u);
    float d = guess - spheres[i].w;
    if (d < best) {
      best = d;
      which = i;
    }
  }
  return best;
}

float march(vec3 from, vec3 along) {
  float travelled = 0.0;
  int steps = 0;
  for (;;) {
    vec3 p = from + along * travelled;
    int which;
    float d = nearest_sphere(p, which);
    if (d < 0.001) break;
    travelled += d * 0.875;
    if (travelled > 20.0) return -1.0;
    if (++steps >= 48) break;
  }
  return travelled;
}

// Where the segment goes into the sphere, by halves; the far end if it does not.
float bisect_hit(vec3 from, vec3 along, vec4 sphere, float far) {
  float low = 0.0, high = far;
  int rounds = 0;
  do {
    float middle = (low + high) * 0.5;
    vec3 away = from + along * middle - sphere.xyz;
    if (dot(away, away) < sphere.w * sphere.w) {
      high = middle;
    } else {
      low = middle;
    }
    ++rounds;
  } while (rounds < 12 && high - low > 0.0009765625);
  return high;
}

float occlusion(vec3 p, vec3 normal, vec4 other) {
  float sum = 0.0;
  float weight = 1.0;
  for (int i = 1; i <= 5; ++i) {
    vec3 away = p + normal * (0.125 * float(i)) - other.xyz;
    float free = dot(away, away) - other.w * other.w;
    if (free < 0.0) {
      sum += weight;
      if (sum > 1.5) break;
    }
    weight *= 0.5;
  }
  return 1.0 - sum * 0.5;
}

void main() {
  vec3 along = vec3(place, 1.0);
  along *= one_over_root(dot(along, along));
  float far = march(vec3(0.0), along);
  if (far < 0.0) {
    discard;
  }
  float near = bisect_hit(vec3(0.0), along, spheres[0], far);
  color = vec4(occlusion(along * near, -along, spheres[1]), near, far, 1.0);
}
