#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Turning: angles in six orders by a switch, sines of quarter turns from a table, a turn by shears,
// reflections that make turns, Jacobi's sweeps over a symmetric matrix, and a digital turn by
// shifts.
precision highp float;
precision highp int;
layout(location = 0) in vec3 angles;
layout(location = 1) flat in int order;
layout(location = 0) out vec4 color;

// Turns about the axes, the first one applied first; the two numbers are cosine and sine.
mat3 in_order(vec2 x, vec2 y, vec2 z, int which) {
  mat3 about_x = mat3(1.0, 0.0, 0.0, 0.0, x.x, x.y, 0.0, -x.y, x.x);
  mat3 about_y = mat3(y.x, 0.0, -y.y, 0.0, 1.0, 0.0, y.y, 0.0, y.x);
  mat3 about_z = mat3(z.x, z.y, 0.0, -z.y, z.x, 0.0, 0.0, 0.0, 1.0);
  mat3 m = mat3(1.0);
  switch (which) {
    case 0:
      m = about_x;
    case 1:
      m = about_y * m;
    case 2:
      m = about_z * m;
      break;
    case 3:
      return about_x * about_y * about_z;
    case 4:
      m = about_z * about_x;
      if (m[0][0] < 0.0) break;
      return m * about_y;
    default:
      m = transpose(about_x * about_z);
  }
  return m;
}

// 64 parts of a full turn: a quarter from the table, the others by symmetry.
vec2 from_table(int part) {
  const float quarter[17] =
      float[17](0.0, 0.098017, 0.195090, 0.290285, 0.382683, 0.471397, 0.555570, 0.634393, 0.707107,
                0.773010, 0.831470, 0.881921, 0.923880, 0.956940, 0.980785, 0.995185, 1.0);
  vec2 result;
  for (int i = 0; i < 2; ++i) {
    int at = (part + (1 - i) * 16) & 63;
    bool below = at >= 32;
    if (below) at -= 32;
    if (at > 16) at = 32 - at;
    result[i] = below ? -quarter[at] : quarter[at];
  }
  return result;
}

vec2 by_shears(vec2 p, float half_tangent, float sine, int quarters) {
  for (int i = 0; i < (quarters & 3); ++i) {
    p = vec2(-p.y, p.x);
  }
  p.x -= half_tangent * p.y;
  p.y += sine * p.x;
  p.x -= half_tangent * p.y;
  return p;
}

vec3 by_mirrors(vec3 p, vec3 mirrors[3], int bits) {
  for (int i = 0; i < 3; ++i) {
    if ((bits & 1) == 0) {
      bits >>= 1;
      continue;
    }
    p -= 2.0 * dot(p, mirrors[i]) * mirrors[i];
    bits >>= 1;
    if (bits == 0) break;
  }
  return p;
}

// Makes the greatest element beside the diagonal smaller, round by round.
int jacobi(inout mat3 m, float enough) {
  int rounds = 0;
  for (; rounds < 12; ++rounds) {
    int p = 0, q = 1;
    if (abs(m[0][2]) > abs(m[p][q])) q = 2;
    if (abs(m[1][2]) > abs(m[p][q])) {
      p = 1;
      q = 2;
    }
    if (abs(m[p][q]) < enough) return rounds;
    float theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
    float t = (theta < 0.0 ? -1.0 : 1.0) / (abs(theta) + sqrt(theta * theta + 1.0));
    float c = inversesqrt(t * t + 1.0);
    mat3 turn = mat3(1.0);
    turn[p][p] = turn[q][q] = c;
    turn[p][q] = -t * c;
    turn[q][p] = t * c;
    m = transpose(turn) * m * turn;
  }
  return rounds;
}

// Volder's way: ever smaller turns, this way or that, until the angle is used up.
vec2 digital(float angle) {
  const float steps[10] =
      float[10](0.785398, 0.463648, 0.244979, 0.124355, 0.062419, 0.031240, 0.015624, 0.007812,
                0.003906, 0.001953);
  vec2 v = vec2(0.60725294, 0.0);
  float shift = 1.0;
  for (int i = 0; i < 10; ++i) {
    float way = angle < 0.0 ? -shift : shift;
    v = mat2(1.0, way, -way, 1.0) * v;
    angle -= angle < 0.0 ? -steps[i] : steps[i];
    shift *= 0.5;
    if (abs(angle) < 0.0009765625) break;
  }
  return v;
}

void main() {
  mat3 m = in_order(digital(angles.x), from_table(order), digital(angles.z), order % 6);
  vec3 mirrors[3] = vec3[3](m[0], m[1], vec3(0.0, 0.6, 0.8));
  vec3 p = by_mirrors(angles, mirrors, order >> 2);
  mat3 symmetric = m + transpose(m);
  int rounds = jacobi(symmetric, 0.01);
  color = vec4(by_shears(p.xy, 0.25, 0.47, order), symmetric[0][0], float(rounds));
}
