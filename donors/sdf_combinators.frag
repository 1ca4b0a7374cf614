#version 450
// SPDX-License-Identifier: Apache-2.0
// Distances put together: unions, cuts and soft joints, a small stack machine that runs a scene as
// words, repeated and mirrored space, a twist by halves, and shells.
layout(location = 0) in vec3 place;
layout(location = 1) flat in uvec4 program;
layout(location = 0) out vec4 color;

float joined(float a, float b, int how, float k) {
  switch (how) {
    case 0:
      return a < b ? a : b;
    case 1:
      b = -b;
    case 2:
      return a > b ? a : b;
    case 3: {
      float h = k - abs(a - b);
      if (h <= 0.0) return a < b ? a : b;
      return (a < b ? a : b) - h * h * 0.25;
    }
    case 4:  // rounded by a chamfer
      a = a < b ? (a < 0.5 * (a + b - k) ? a : 0.5 * (a + b - k))
                : (b < 0.5 * (a + b - k) ? b : 0.5 * (a + b - k));
      break;
    case 5:
      if (a < b) return a * b > 0.0 ? a : -b;
      return b;
  }
  return a;
}

// Words: five bits of an operation, then operands of nine bits each. Three distances suffice.
float run_scene(uvec4 code, vec3 p) {
  float stack[4] = float[4](8.0, 8.0, 8.0, 8.0);
  int top = 0;
  for (int i = 0; i < 4; ++i) {
    uint word = code[i];
    uint operation = word & 31u;
    float size = float((word >> 5) & 511u) * 0.0078125;
    vec3 q = p - float((word >> 14) & 511u) * 0.0078125;
    switch (operation % 7u) {
      case 0u:
        if (top == 3) continue;
        stack[top++] = dot(q, q) - size * size;
        break;
      case 1u:
        stack[top & 3] = q.y - size;
        top = top < 3 ? top + 1 : 3;
        break;
      case 2u: {
        vec3 a = abs(q) - size;
        float most = a.x > a.y ? a.x : a.y;
        stack[top] = most > a.z ? most : a.z;
        if (top < 3) ++top;
        break;
      }
      case 3u:
        if (top < 2) return stack[0];
        --top;
        if (stack[top] < stack[top - 1]) stack[top - 1] = stack[top];
        break;
      case 4u:
        if (top < 2) break;
        --top;
        if (-stack[top] > stack[top - 1]) stack[top - 1] = -stack[top];
        break;
      case 5u:
        p = vec3(abs(p.x), p.zy);
        continue;
      default:
        if (top > 0) stack[top - 1] = abs(stack[top - 1]) - size;
    }
    if (stack[0] > 64.0) break;
  }
  return stack[top > 0 ? top - 1 : 0];
}

vec3 repeated(vec3 p, vec3 period, ivec3 limit, out ivec3 cell) {
  cell = ivec3(0);
  for (int axis = 0; axis < 3; ++axis) {
    float half_period = 0.5 * period[axis];
    while (p[axis] > half_period && cell[axis] < limit[axis]) {
      p[axis] -= period[axis];
      ++cell[axis];
    }
    while (p[axis] < -half_period && cell[axis] > -limit[axis]) {
      p[axis] += period[axis];
      --cell[axis];
    }
  }
  return p;
}

// Fold by fold into one part of a snowflake of space.
vec4 folded(vec3 p, int folds) {
  float scale = 1.0;
  for (int i = 0; i < folds; ++i) {
    p = abs(p);
    if (p.x < p.y) p.xy = p.yx;
    if (p.x < p.z) p.xz = p.zx;
    if (p.y < p.z) p.yz = p.zy;
    p = p * 3.0 - vec3(2.0, 2.0, 0.0);
    if (p.z > 1.0) {
      p.z -= 2.0;
    } else if (p.z < -1.0) {
      break;
    }
    scale *= 0.33333333;
  }
  return vec4(p, scale);
}

vec3 twisted(vec3 p, int halvings) {
  vec2 turn = vec2(0.98078528, 0.19509032) * (p.y > 0.0 ? vec2(1.0) : vec2(1.0, -1.0));
  float left = abs(p.y);
  for (int i = 0; i < halvings && left >= 0.5; ++i) {
    left -= 0.5;
    p.xz = mat2(turn.x, turn.y, -turn.y, turn.x) * p.xz;
  }
  return p;
}

void main() {
  ivec3 cell;
  vec3 p = repeated(twisted(place, 12), vec3(2.0, 3.0, 2.5), ivec3(4, 1, 3), cell);
  vec4 q = folded(p, int(program.x & 3u));
  float a = run_scene(program, p);
  float b = (dot(q.xyz, q.xyz) - 1.0) * q.w;
  float d = a;
  for (int how = 0; how < 6; ++how) {
    d = joined(d, b + float(how) * 0.0625, how, 0.25);
  }
  if (d > 4.0) discard;
  color = vec4(d, vec3(cell));
}
