#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Quaternions: products, turning a vector by one, matrices from them written element by element and
// back by the greatest of four, blends the short way round, and swing taken apart from twist.
precision highp float;
precision highp int;
layout(location = 0) in vec4 first;
layout(location = 1) in vec4 second;
layout(location = 0) out vec4 color;

vec4 product(vec4 a, vec4 b) {
  vec4 q;
  q.w = a.w * b.w - dot(a.xyz, b.xyz);
  q.x = a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y;
  q.y = a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z;
  q.z = a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x;
  return q;
}

vec3 turned(vec4 q, vec3 v) {
  vec3 t = 2.0 * vec3(q.y * v.z - q.z * v.y, q.z * v.x - q.x * v.z, q.x * v.y - q.y * v.x);
  return v + q.w * t + vec3(q.y * t.z - q.z * t.y, q.z * t.x - q.x * t.z, q.x * t.y - q.y * t.x);
}

mat3 to_matrix(vec4 q) {
  mat3 m = mat3(1.0);
  for (int i = 0; i < 3; ++i) {
    int j = i == 2 ? 0 : i + 1;
    int k = 3 - i - j;
    m[i][i] -= 2.0 * (q[j] * q[j] + q[k] * q[k]);
    m[i][j] = 2.0 * (q[i] * q[j] + q.w * q[k]);
    m[j][i] = 2.0 * (q[i] * q[j] - q.w * q[k]);
  }
  return m;
}

// Not of unit length: the greatest part is the square it was found by, times four.
vec4 from_matrix(mat3 m, out int greatest) {
  float trace = m[0][0] + m[1][1] + m[2][2];
  vec4 squares = vec4(2.0 * m[0].x - trace, 2.0 * m[1].y - trace, 2.0 * m[2].z - trace, trace);
  greatest = 3;
  for (int i = 0; i < 3; ++i) {
    if (squares[i] > squares[greatest]) greatest = i;
  }
  vec4 q;
  q[greatest] = 1.0 + squares[greatest];
  if (greatest == 3) {
    q.xyz = vec3(m[1].z - m[2].y, m[2].x - m[0].z, m[0].y - m[1].x);
    return q;
  }
  int j = (greatest + 1) % 3, k = (greatest + 2) % 3;
  q[j] = m[greatest][j] + m[j][greatest];
  q[k] = m[greatest][k] + m[k][greatest];
  q.w = m[j][k] - m[k][j];
  return q;
}

// Linear, the short way, brought back to unit length by steps of Newton's method.
vec4 blend(vec4 a, vec4 b, float part) {
  float cosine = dot(a, b);
  if (cosine < 0.0) b = -b;
  vec4 q = mix(a, b, part);
  for (int i = 0; i < 5; ++i) {
    float excess = dot(q, q) - 1.0;
    if (abs(excess) < 0.00001) break;
    q -= 0.5 * excess * q;
  }
  return q;
}

vec4 slerp(vec4 a, vec4 b, float part) {
  float cosine = clamp(dot(a, b), -1.0, 1.0);
  if (cosine < 0.0) {
    cosine = -cosine;
    b = -b;
  }
  if (cosine > 0.9995) return normalize(mix(a, b, part));
  float angle = acos(cosine);
  return (sin((1.0 - part) * angle) * a + sin(part * angle) * b) / sin(angle);
}

void swing_and_twist(vec4 q, vec3 axis, out vec4 swing, out vec4 twist) {
  float along = dot(q.xyz, axis);
  twist = vec4(axis * along, q.w);
  if (along * along + q.w * q.w < 0.000001) {
    twist = vec4(0.0, 0.0, 0.0, 1.0);
  }
  vec4 back = vec4(-twist.xyz, twist.w);
  swing.w = q.w * back.w - dot(q.xyz, back.xyz);
  swing.xyz = q.w * back.xyz + back.w * q.xyz + q.yzx * back.zxy - q.zxy * back.yzx;
}

void main() {
  vec4 swing, twist;
  int greatest;
  vec4 q = blend(first, second, 0.25);
  swing_and_twist(product(q, slerp(first, second, 0.75)), vec3(0.0, 1.0, 0.0), swing, twist);
  vec4 again = from_matrix(to_matrix(swing), greatest);
  color = vec4(turned(again, twist.xyz), float(greatest));
}
