#version 450
// SPDX-License-Identifier: Apache-2.0
// Skinning: up to four bones move a vertex. Bones lie row by row in a uniform block, a texture of
// weights is a table of packed words; influences are sorted, the weakest are dropped, the rest made
// to add up to 255.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in uvec4 joints;
layout(location = 3) in uint packed_weights;
layout(location = 0) out vec3 lit;
layout(location = 1) flat out uint main_joint;

struct Bone {
  mat4x3 place;
  vec4 stretch;
};

struct Influence {
  uint joint;
  int weight;
};

layout(set = 0, binding = 0, row_major) uniform Skeleton {
  Bone bones[24];
  mat4 view_projection;
  int bone_count;
};

ivec4 unpack_weights(uint word) {
  ivec4 weights;
  for (int i = 0; i < 4; ++i) {
    weights[i] = int(word & 255u);
    word >>= 8;
  }
  return weights;
}

void sort_influences(inout ivec4 weights, inout uvec4 which) {
  for (int last = 3; last > 0; --last) {
    bool moved = false;
    for (int i = 0; i < last; ++i) {
      if (weights[i] >= weights[i + 1]) {
        continue;
      }
      int weight = weights[i];
      weights[i] = weights[i + 1];
      weights[i + 1] = weight;
      uint kept = which[i];
      which[i] = which[i + 1];
      which[i + 1] = kept;
      moved = true;
    }
    if (!moved) {
      break;
    }
  }
}

int share_out(inout ivec4 weights) {
  int sum = weights.x + weights.y + weights.z + weights.w;
  int dropped = 0;
  for (int i = 3; i > 0 && sum > 255; --i) {
    sum -= weights[i];
    weights[i] = 0;
    ++dropped;
  }
  weights.x += 255 - sum;
  return dropped;
}

vec3 renormalise(vec3 v) {
  float squared = dot(v, v);
  if (!(squared > 1.0e-6)) {
    return vec3(0.0, 0.0, 1.0);
  }
  float scale = inversesqrt(squared);
  for (int i = 0; i < 2; ++i) {
    scale = scale * (1.5 - 0.5 * squared * scale * scale);
  }
  return v * scale;
}

Influence strongest(ivec4 weights, uvec4 which) {
  Influence best = Influence(which.x, weights.x);
  for (int i = 1; i < 4; ++i) {
    if (weights[i] > best.weight) {
      best = Influence(which[i], weights[i]);
    }
  }
  return best;
}

mat4x3 blend(ivec4 weights, uvec4 which) {
  mat4x3 sum = mat4x3(0.0);
  for (int i = 0; i < 4; ++i) {
    if (weights[i] == 0 || which[i] >= uint(bone_count)) {
      continue;
    }
    sum += bones[which[i]].place * (float(weights[i]) * (1.0 / 255.0));
  }
  return sum;
}

void main() {
  ivec4 weights = unpack_weights(packed_weights);
  uvec4 which = joints;
  sort_influences(weights, which);
  int dropped = share_out(weights);
  mat4x3 moved = blend(weights, which);
  Influence main_one = strongest(weights, which);
  vec3 stretched = position * bones[main_one.joint % 24u].stretch.xyz;
  gl_Position = view_projection * vec4(moved * vec4(stretched, 1.0), 1.0);
  lit = renormalise(mat3(moved) * normal) * 0.5 + 0.5;
  main_joint = main_one.joint + (uint(dropped) << 8);
}
