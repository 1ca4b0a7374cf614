#version 450
// SPDX-License-Identifier: Apache-2.0
// Ropes from vertices with packed attributes: strands that cross by a braid word, knots that cancel,
// half-edges of a mesh by indices, tangents in octahedral form, and skins with sorted weights.
layout(location = 0) in vec4 place;
layout(location = 1) in uvec2 braid;
layout(location = 2) in ivec4 links;
layout(location = 3) in vec2 folded[2];
layout(location = 0) out vec4 tint;
layout(location = 1) flat out ivec3 strand;

layout(set = 0, binding = 0) uniform Rope {
  mat4 bones[4];
  ivec4 edges[8];  // the next half-edge, the other one, the vertex, the face
  vec4 weights;
  int strands;
} rope;

// Where a strand ends after the crossings of a word, three bits each.
int follow(int strand, uint word, int crossings, out int over) {
  over = 0;
  for (int i = 0; i < min(crossings, 10); ++i) {
    int at = int(word & 7u);
    word >>= 3;
    if (at == 7) {
      break;
    }
    if (strand == at) {
      ++strand;
      ++over;
    } else if (strand == at + 1) {
      --strand;
      --over;
    }
  }
  return strand;
}

// Removes crossings next to their inverse, until none is left.
uint cancelled(uint word, inout int length) {
  for (int round = 0; round < 6; ++round) {
    bool changed = false;
    for (int i = 0; i + 1 < min(length, 8); ++i) {
      uint a = word >> i * 4 & 15u, b = word >> (i + 1) * 4 & 15u;
      if ((a ^ b) != 8u) {
        continue;
      }
      uint low = word & ((1u << i * 4) - 1u);
      uint high = i + 2 < 8 ? word >> (i + 2) * 4 << i * 4 : 0u;
      word = low | high;
      length -= 2;
      changed = true;
      break;
    }
    if (!changed) {
      return word;
    }
  }
  return word;
}

ivec4 edge(int number) { return rope.edges[number & 7]; }

// Goes round a vertex; gives the number of faces and whether it lies on a border.
ivec2 ring_of(int start) {
  int at = start, faces = 0;
  do {
    ivec4 here = edge(at);
    if (here.w < 0) {
      return ivec2(faces, 1);
    }
    ++faces;
    at = edge(here.y).x;
  } while (at != start && faces < 8);
  return ivec2(faces, 0);
}

vec3 unfolded(vec2 on_square) {
  vec3 way = vec3(on_square, 1.0 - abs(on_square.x) - abs(on_square.y));
  if (way.z < 0.0) {
    vec2 turned = 1.0 - abs(way.yx);
    way.xy = vec2(way.x < 0.0 ? -turned.x : turned.x, way.y < 0.0 ? -turned.y : turned.y);
  }
  return way;
}

vec4 sorted_weights(vec4 weights, inout ivec4 bones) {
  for (int i = 1; i < 4; ++i) {
    for (int k = i; k > 0 && weights[k] > weights[k - 1]; --k) {
      float weight = weights[k];
      weights[k] = weights[k - 1];
      weights[k - 1] = weight;
      int bone = bones[k];
      bones[k] = bones[k - 1];
      bones[k - 1] = bone;
    }
  }
  return weights;
}

vec4 skinned(vec4 at, vec4 weights, ivec4 bones, int most) {
  vec4 sum = vec4(0.0);
  float left = 1.0;
  for (int i = 0; i < most; ++i) {
    float weight = i + 1 == most ? left : weights[i];
    sum += weight * (rope.bones[bones[i] & 3] * at);
    left -= weight;
    if (left <= 0.0) {
      break;
    }
  }
  return sum;
}

void main() {
  int over;
  int end = follow(int(braid.x & 7u) % max(rope.strands, 1), braid.y, gl_VertexIndex & 15, over);
  int length = 8;
  uint word = cancelled(braid.x, length);
  ivec4 bones = links;
  vec4 weights = sorted_weights(rope.weights, bones);
  gl_Position = skinned(place, weights, bones, 1 + (gl_InstanceIndex & 3));
  tint = vec4(unfolded(folded[0]) + unfolded(folded[end & 1]), float(word & 15u));
  strand = ivec3(end, over, length) + ring_of(links.x).xyx;
}
