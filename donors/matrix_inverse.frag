#version 450
// SPDX-License-Identifier: Apache-2.0
// Solving linear systems: elimination with the greatest pivot, determinants by minors, the
// adjugate, an inverse by iteration alone, a triangular split in place, and power iteration for the
// greatest eigenvalue.
layout(location = 0) in mat4 rows;
layout(location = 4) flat in int mode;
layout(location = 0) out vec4 color;

// Swaps rows and sets the vector to the solution; false if there is no single one.
bool eliminate(inout float m[16], inout vec4 right) {
  for (int column = 0; column < 4; ++column) {
    int pivot = column;
    for (int row = column + 1; row < 4; ++row) {
      if (abs(m[row * 4 + column]) > abs(m[pivot * 4 + column])) pivot = row;
    }
    float value = m[pivot * 4 + column];
    if (abs(value) < 0.00001) {
      return false;
    }
    if (pivot != column) {
      for (int k = 0; k < 4; ++k) {
        float kept = m[pivot * 4 + k];
        m[pivot * 4 + k] = m[column * 4 + k];
        m[column * 4 + k] = kept;
      }
      float kept = right[pivot];
      right[pivot] = right[column];
      right[column] = kept;
    }
    for (int row = 0; row < 4; ++row) {
      if (row == column) continue;
      float factor = m[row * 4 + column] / value;
      if (factor == 0.0) continue;
      for (int k = column; k < 4; ++k) {
        m[row * 4 + k] -= factor * m[column * 4 + k];
      }
      right[row] -= factor * right[column];
    }
  }
  for (int i = 0; i < 4; ++i) {
    right[i] /= m[i * 5];
  }
  return true;
}

float minor_of(mat4 m, int skip_column, int skip_row) {
  mat3 rest;
  int at = 0;
  for (int c = 0; c < 4; ++c) {
    if (c == skip_column) continue;
    int into = 0;
    for (int r = 0; r < 4; ++r) {
      if (r == skip_row) continue;
      rest[at][into] = m[c][r];
      ++into;
    }
    ++at;
  }
  vec3 a = rest[0], b = rest[1], c = rest[2];
  return a.x * (b.y * c.z - b.z * c.y) - a.y * (b.x * c.z - b.z * c.x) +
         a.z * (b.x * c.y - b.y * c.x);
}

mat4 adjugate(mat4 m, out float det) {
  mat4 result;
  det = 0.0;
  for (int i = 0; i < 16; ++i) {
    int c = i & 3, r = i >> 2;
    float cofactor = minor_of(m, c, r);
    if (((c + r) & 1) != 0) cofactor = -cofactor;
    result[r][c] = cofactor;
    if (r == 0) det += m[c][0] * cofactor;
  }
  return result;
}

// Schulz's iteration from a guess: the error is squared each time, if it was small.
mat3 refine_inverse(mat3 m, mat3 guess, int rounds) {
  mat3 identity = mat3(1.0);
  for (int n = 0; n < rounds; ++n) {
    mat3 error = identity - m * guess;
    float size = 0.0;
    for (int i = 0; i < 3; ++i) size += dot(error[i], error[i]);
    if (size > 4.0) return mat3(0.0);
    guess += guess * error;
    if (size < 0.000001) break;
  }
  return guess;
}

// Below the diagonal the factors, on and above it what is left of the rows.
float split_in_place(inout mat3 m) {
  float det = 1.0;
  for (int k = 0; k < 3; ++k) {
    float pivot = m[k][k];
    det *= pivot;
    if (pivot == 0.0) break;
    float inverse = uintBitsToFloat(0x7ef311c7u - (floatBitsToUint(pivot) & 0x7fffffffu));
    inverse *= 2.0 - abs(pivot) * inverse;
    inverse *= 2.0 - abs(pivot) * inverse;
    inverse = pivot < 0.0 ? -inverse : inverse;
    for (int i = k + 1; i < 3; ++i) {
      m[k][i] *= inverse;
      for (int j = k + 1; j < 3; ++j) {
        m[j][i] -= m[k][i] * m[j][k];
      }
    }
  }
  return det;
}

float greatest_eigenvalue(mat3 m) {
  vec3 v = vec3(1.0, 0.5, 0.25);
  float value = 0.0;
  for (int n = 0; n < 24; ++n) {
    v = m * v;
    float most = v.x;
    if (abs(v.y) > abs(most)) most = v.y;
    if (abs(v.z) > abs(most)) most = v.z;
    if (most == 0.0) return 0.0;
    if (abs(most - value) < 0.0001) break;
    value = most;
    v /= most;
  }
  return value;
}

void main() {
  float m[16];
  for (int i = 0; i < 16; ++i) m[i] = rows[i & 3][i >> 2];
  vec4 right = rows[3];
  bool solved = eliminate(m, right);
  float det;
  mat4 other = adjugate(rows, det);
  mat3 small = mat3(rows);
  mat3 near = mode == 0 ? refine_inverse(small, mat3(0.5), 8) : inverse(small);
  float product = split_in_place(small) + greatest_eigenvalue(near) + determinant(near);
  color = solved ? right : other * vec4(det, product, 0.0, 1.0);
}
