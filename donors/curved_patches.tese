#version 450
// SPDX-License-Identifier: Apache-2.0
// Points on curved patches: triangles of Bezier with ten points, nets of four by four by blossoming,
// the bounds of a net, steps between ends, and heights that are packed in bytes. What a vertex needs
// to know of its patch is in values of the patch.
layout(quads, fractional_odd_spacing, ccw) in;
layout(location = 0) in vec3 net_colour[];
layout(location = 1) patch in vec4 tension;
layout(location = 2) patch in ivec4 heights[4];
layout(location = 0) out vec4 colour;
layout(location = 1) out vec3 normal;
layout(set = 0, binding = 0) uniform Frame {
  mat4 view;
  vec4 bend;
  ivec2 steps;
};

// A point between five or fewer points of a curve, by repeated mixing.
vec3 blossomed(vec3 points[5], int count, float at) {
  int used = clamp(count, 1, 5);
  while (used > 1) {
    for (int i = 0; i < used - 1; ++i) {
      points[i] = mix(points[i], points[i + 1], at);
    }
    --used;
  }
  return points[0];
}

// The number of the point (i, j, k) of a triangle of degree three, where i + j + k is 3.
int triangle_point(ivec3 which) {
  int row = clamp(which.y + which.z, 0, 3);
  int before = 0;
  for (int i = 1; i <= row; ++i) {
    before += i;
  }
  return min(before + which.z, 9);
}

float factorial(int number) {
  float product = 1.0;
  for (int i = 2; i <= number; ++i) {
    product *= float(i);
  }
  return product;
}

// The weights of the ten points of a triangle at a place inside.
vec2 triangle_weight(vec3 where, ivec3 which) {
  float weight = factorial(3);
  float slope = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    float power = 1.0;
    for (int i = 0; i < which[axis]; ++i) {
      slope = slope * where[axis] + power;
      power *= where[axis];
    }
    weight *= power / factorial(which[axis]);
  }
  return vec2(weight, slope);
}

// The height of a cell, one byte of a word, made smooth over its neighbours.
float height_of(ivec4 rows[4], ivec2 cell) {
  int sum = 0;
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) {
      ivec2 at = cell + ivec2(x, y);
      if (any(lessThan(at, ivec2(0))) || any(greaterThan(at, ivec2(15)))) {
        continue;
      }
      int word = rows[at.y >> 2][at.x >> 2];
      int part = word >> (at.y & 3) * 8 & 255;
      sum += x == 0 && y == 0 ? part * 4 : part;
    }
  }
  return float(sum) / 12.0;
}

// Which step of a stair a place is on, and how far on it; sharp edges have no way between.
vec2 stair(float at, int count, float sharpness) {
  float scaled = clamp(at, 0.0, 1.0) * float(max(count, 1));
  float step_number = min(floor(scaled), float(max(count, 1) - 1));
  float rest = scaled - step_number;
  if (sharpness >= 1.0) {
    rest = rest < 0.5 ? 0.0 : 1.0;
  } else if (sharpness > 0.0) {
    rest = smoothstep(sharpness * 0.5, 1.0 - sharpness * 0.5, rest);
  }
  return vec2(step_number, rest);
}

vec3 across(vec3 along, vec3 other) {
  vec3 found = cross(along, other);
  float size = dot(found, found);
  return size > 0.0 ? found * inversesqrt(size) : vec3(0.0, 0.0, 1.0);
}

void main() {
  vec3 row[5], column[5];
  for (int i = 0; i < 4; ++i) {
    vec3 points[5];
    for (int j = 0; j < 4; ++j) {
      points[j] = gl_in[i * 4 + j].gl_Position.xyz + bend.xyz * tension[j];
    }
    points[4] = points[3];
    row[i] = blossomed(points, 4, gl_TessCoord.x);
    column[i] = points[i] - points[0];
  }
  row[4] = row[3];
  column[4] = column[3];
  vec3 at = blossomed(row, 4, gl_TessCoord.y);
  vec2 on = stair(gl_TessCoord.x, steps.x, tension.w);
  vec3 inside = vec3(gl_TessCoord.xy, 1.0 - gl_TessCoord.x);
  vec2 weight = triangle_weight(inside, ivec3(1, 1, 1));
  int corner = triangle_point(ivec3(steps, 3 - steps.x));
  at.z += height_of(heights, ivec2(gl_TessCoord.xy * 15.0)) * weight.x + on.y;
  normal = across(row[3] - row[0], blossomed(column, 4, gl_TessCoord.x));
  colour = vec4(net_colour[corner] * weight.y, on.x + float(gl_PrimitiveID));
  gl_Position = view * vec4(at, 1.0);
}
