#version 320 es
// SPDX-License-Identifier: Apache-2.0
// Morph targets: differences in 10 bits a coordinate from a storage buffer, weights with easing, a
// mask that says which targets there are, and blocks of offsets with run lengths.
precision highp float;
precision highp int;
layout(location = 0) in vec3 position;
layout(location = 0) out vec4 shade;
layout(location = 1) flat out uint used;

layout(std430, set = 0, binding = 0) readonly buffer Deltas { uint deltas[]; };
layout(std430, set = 0, binding = 1) readonly buffer Runs { uvec2 runs[]; };
layout(set = 0, binding = 2) uniform Weights {
  vec4 weights[4];
  uint mask;
  int vertices;
};

ivec3 unpack_delta(uint word) {
  ivec3 signs = ivec3(word << 22, word << 12, word << 2);
  return signs >> ivec3(22);
}

uint pack_delta(ivec3 delta) {
  ivec3 small = clamp(delta, ivec3(-512), ivec3(511));
  uvec3 bits = uvec3(small) & 1023u;
  return bits.x | (bits.y << 10) | (bits.z << 20);
}

float ease(float x, int kind) {
  float t = x < 0.0 ? 0.0 : (x > 1.0 ? 1.0 : x);
  switch (kind & 7) {
    case 0:
      break;
    case 1:
      t = t * t;
      break;
    case 2:
      t = 1.0 - (1.0 - t) * (1.0 - t);
      break;
    case 5:
      t = 1.0 - t;
      // fall through
    case 3:
      t = t * t * t;
      // fall through
    case 4:
      t = t * t * (3.0 - 2.0 * t);
      break;
    default:
      t = t < 0.5 ? 0.0 : 1.0;
      break;
  }
  return t;
}

int nth_set_bit(uint bits, int n) {
  for (int place = 0; place < 32; ++place) {
    if ((bits & 1u) != 0u) {
      if (n == 0) {
        return place;
      }
      --n;
    }
    bits >>= 1;
    if (bits == 0u) {
      break;
    }
  }
  return -1;
}

vec3 limit_move(vec3 move, float most) {
  vec3 away = abs(move);
  float largest = max(away.x, max(away.y, away.z));
  if (largest <= most) {
    return move;
  }
  vec3 limited = move;
  for (int i = 0; i < 3; ++i) {
    if (limited[i] > most) {
      limited[i] = most;
    } else if (limited[i] < -most) {
      limited[i] = -most;
    }
  }
  return limited;
}

// Runs hold (how many vertices, first delta); vertices outside of runs do not move.
int find_delta(int vertex, int first_run) {
  int passed = 0;
  for (int i = first_run; i < runs.length(); ++i) {
    int count = int(runs[i].x);
    if (count == 0) {
      return -1;
    }
    if (vertex < passed + count) {
      return runs[i].y == 0xffffffffu ? -1 : int(runs[i].y) + vertex - passed;
    }
    passed += count;
  }
  return -1;
}

void main() {
  vec3 moved = vec3(0.0);
  uint seen = 0u;
  for (int n = 0; n < 16; ++n) {
    int target = nth_set_bit(mask, n);
    if (target < 0 || target > 15) {
      break;
    }
    float weight = ease(weights[target >> 2][target & 3], target);
    if (weight == 0.0) {
      continue;
    }
    int at = find_delta(gl_VertexIndex % max(vertices, 1), target * 4);
    if (at < 0 || at >= deltas.length()) {
      continue;
    }
    ivec3 delta = unpack_delta(deltas[at]);
    moved += vec3(delta) * weight * (1.0 / 512.0);
    seen |= 1u << target;
  }
  used = seen ^ pack_delta(ivec3(moved * 256.0));
  shade = vec4(abs(moved), 1.0);
  gl_Position = vec4(position + limit_move(moved, 0.5), 1.0);
}
