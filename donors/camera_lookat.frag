#version 320 es
// SPDX-License-Identifier: Apache-2.0
// What cameras are made of: a frame round a direction without roots, a look-at matrix and its
// inverse, perspective with its bounds, planes of the view against boxes, and edges clipped at the
// near plane.
precision highp float;
precision highp int;
layout(location = 0) in vec3 eye;
layout(location = 1) in vec3 aim;
layout(location = 0) out vec4 color;

mat4 view;

// Two directions square to a unit one, by the sign of its third part.
mat3 frame(vec3 n) {
  float handed = n.z < 0.0 ? -1.0 : 1.0;
  float size = handed + n.z;
  float inverse = 0.5 * handed;
  for (int i = 0; i < 4; ++i) {
    inverse *= 2.0 - size * inverse;
  }
  float b = -n.x * n.y * inverse;
  vec3 right = vec3(1.0 - handed * n.x * n.x * inverse, handed * b, -handed * n.x);
  vec3 up = vec3(b, handed - n.y * n.y * inverse, -n.y);
  return mat3(right, up, n);
}

mat4 look_at(vec3 from, vec3 to, vec3 up) {
  vec3 back = normalize(from - to);
  vec3 right = cross(up, back);
  if (dot(right, right) < 0.0001) {
    right = vec3(1.0, 0.0, 0.0);
  }
  right = normalize(right);
  mat4 m = mat4(vec4(right, 0.0), vec4(cross(back, right), 0.0), vec4(back, 0.0), vec4(from, 1.0));
  return m;
}

// The inverse of a frame with its place: the turn transposed, the place turned back.
mat4 rigid_inverse(mat4 m) {
  mat3 turn = transpose(mat3(m));
  vec3 back = -(turn * m[3].xyz);
  mat4 result = mat4(turn);
  result[3].xyz = back;
  return result;
}

mat4 perspective(float focal, float aspect, int bits_of_near) {
  float near = 1.0;
  for (int i = 0; i < bits_of_near; ++i) near *= 0.5;
  mat4 m = mat4(0.0);
  m[0][0] = focal * aspect;
  m[1].y = -focal;
  m[2] = vec4(0.0, 0.0, 0.0, -1.0);
  m[3][2] = near;
  return m;
}

// 0: outside, 1: cut by some plane, 2: inside of all. Planes are sums and differences of rows.
int box_in_view(mat4 clip, vec3 centre, vec3 half_size) {
  mat4 rows = transpose(clip);
  int result = 2;
  for (int i = 0; i < 6; ++i) {
    vec4 plane = (i & 1) == 0 ? rows[3] + rows[i >> 1] : rows[3] - rows[i >> 1];
    float at = dot(plane.xyz, centre) + plane.w;
    float reach = dot(abs(plane.xyz), half_size);
    if (at < -reach) {
      return 0;
    }
    if (at < reach) result = 1;
  }
  return result;
}

// Polygon of up to six corners against w > limit; returns how many corners there are then.
int clip_near(inout vec4 corners[6], int count, float limit) {
  vec4 kept[6];
  int into = 0;
  vec4 last = corners[count - 1];
  for (int i = 0; i < count && i < 6; ++i) {
    vec4 here = corners[i];
    bool inside = here.w > limit;
    if (inside != (last.w > limit)) {
      float low = 0.0, high = 1.0;
      for (int half_steps = 0; half_steps < 10; ++half_steps) {
        float middle = 0.5 * (low + high);
        if ((mix(last.w, here.w, middle) > limit) == inside) {
          high = middle;
        } else {
          low = middle;
        }
      }
      if (into < 6) kept[into++] = mix(last, here, high);
    }
    last = here;
    if (!inside) continue;
    if (into == 6) break;
    kept[into++] = here;
  }
  corners = kept;
  return into;
}

void main() {
  view = rigid_inverse(look_at(eye, aim, vec3(0.0, 1.0, 0.0)));
  mat4 clip = perspective(1.5, 0.75, 3) * view;
  vec4 corners[6];
  mat3 turn = frame(view[2].xyz);
  for (int i = 0; i < 6; ++i) {
    corners[i] = clip * vec4(turn[i % 3] * float(i - 3), 1.0);
  }
  int count = clip_near(corners, 5, 0.125);
  int seen = box_in_view(clip, aim, vec3(1.0, 0.5, 2.0));
  color = corners[count % 6] + vec4(float(seen));
}
