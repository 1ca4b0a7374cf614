#version 330
// SPDX-License-Identifier: Apache-2.0
// Matrices of all shapes: products of two by three with three by four and so on, columns of
// nothing, the identity cut to size, outer products summed, least squares, and elements by computed
// columns.
#extension GL_ARB_separate_shader_objects : enable
layout(location = 0) in vec4 values;
layout(location = 1) flat in ivec2 which;
layout(location = 0) out vec4 color;

mat2x3 tall;
const mat4x3 drift = mat4x3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.5, -0.25, 2.0);

mat2x4 chain(mat2x3 a, mat3x4 b, mat2 c) {
  mat2x4 product = b * a;
  return product * c;
}

// An affine map: three rows, the last column the shift; a column of nothing forgets an axis.
vec3 affine(vec3 p, vec3 scale, int forgotten) {
  mat4x3 m = drift;
  for (int i = 0; i < 3; ++i) {
    m[i] *= scale[i];
  }
  if (forgotten >= 0 && forgotten < 4) {
    m[forgotten] = vec3(0.0);
  }
  mat3 linear = mat3(m);
  vec3 moved = m * vec4(p, 1.0);
  return moved + linear * p - p * linear;
}

mat3x2 sum_of_outer(vec2 a[4], vec3 b[4], int skip) {
  mat3x2 sum = mat3x2(0.0);
  for (int i = 0; i < 4; ++i) {
    if (i == skip) continue;
    sum += outerProduct(a[i], b[i]);
    if (sum[2][1] > 32.0) break;
  }
  return sum;
}

// A line through points: the normal equations of a four by two system.
vec2 least_squares(vec4 x, vec4 y) {
  mat4x2 rows;
  for (int i = 0; i < 4; ++i) {
    rows[i] = vec2(1.0, x[i]);
  }
  mat2 square = rows * transpose(rows);
  vec2 right = rows * y;
  float det = square[0].x * square[1].y - square[0].y * square[1].x;
  if (abs(det) < 0.0001) return vec2(right.x * 0.25, 0.0);
  mat2 adjugate = mat2(square[1].y, -square[0].y, -square[1].x, square[0].x);
  return adjugate * right / det;
}

float trace_of_powers(mat4 m, int rounds) {
  mat4 power = mat4(1.0);
  float sum = 0.0;
  for (int n = 0; n < rounds; ++n) {
    power = power * m;
    float trace = 0.0;
    for (int i = 0; i < 4; ++i) {
      trace += power[i][i];
    }
    switch (n & 3) {
      case 1:
        trace *= 0.5;
      case 3:
        sum += trace;
        break;
      default:
        sum -= trace;
    }
    if (abs(sum) > 100.0) return sum;
  }
  return sum;
}

bool is_rotation(mat3 m, float slack) {
  mat3 should_be_one = transpose(m) * m;
  for (int column = 0; column < 3; ++column) {
    for (int row = 0; row <= column; ++row) {
      float wanted = row == column ? 1.0 : 0.0;
      if (abs(should_be_one[column][row] - wanted) > slack) return false;
    }
  }
  float handed = 0.0;
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    handed += m[0][i] * (m[1][j] * m[2][k] - m[1][k] * m[2][j]);
  }
  return handed > 0.0;
}

void main() {
  vec2 a[4];
  vec3 b[4];
  mat4 square;
  for (int i = 0; i < 4; ++i) {
    a[i] = values.xy * float(i + 1);
    b[i] = values.yzw - float(i);
    square[i] = values * 0.25;
  }
  mat3x2 sum = sum_of_outer(a, b, which.x);
  tall = transpose(sum);
  mat2x4 flat_one = chain(tall, mat3x4(drift), mat2(sum));
  vec2 line = least_squares(values, flat_one[0]);
  vec3 moved = affine(values.xyz, vec3(1.0, 2.0, 0.5), which.y);
  color = vec4(moved, trace_of_powers(square, 6)) + line.xyxy;
  if (is_rotation(mat3(square), 0.125)) color *= 0.5;
}
