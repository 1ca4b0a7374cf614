#version 460
// SPDX-License-Identifier: Apache-2.0
// Rays through a hierarchy of boxes: nodes in a runtime array, a stack of node numbers, triangles
// by integers, a walk without stack by skip links, and a tree laid out in a heap's order.
layout(local_size_x = 8, local_size_y = 4) in;

struct Box {
  vec3 low, high;
};

struct Node {
  Box box;
  int child;
  int count;
};

struct Ray {
  vec3 origin, way, inverse;
  float reach;
};

struct Hit {
  float distance;
  int primitive;
  vec2 place;
};

layout(std430, set = 0, binding = 0) readonly buffer Tree { Node nodes[]; };
layout(std430, set = 0, binding = 1) readonly buffer Corners { vec4 corners[]; };
layout(std430, set = 0, binding = 2) buffer Rays {
  uint tested;
  Hit hits[];
};

bool slab_test(vec3 low, vec3 high, vec3 origin, vec3 inverse, float reach) {
  float enter = 0.0;
  float leave = reach;
  for (int axis = 0; axis < 3; ++axis) {
    float a = (low[axis] - origin[axis]) * inverse[axis];
    float b = (high[axis] - origin[axis]) * inverse[axis];
    if (a > b) {
      float kept = a;
      a = b;
      b = kept;
    }
    if (a > enter) {
      enter = a;
    }
    if (b < leave) {
      leave = b;
    }
    if (enter > leave) {
      return false;
    }
  }
  return true;
}

// Twice the signed area of a triangle, and whether a point is in it, edges by the top-left rule.
bool covers(ivec2 a, ivec2 b, ivec2 c, ivec2 p, out ivec3 weights) {
  ivec2 corners_of[4] = ivec2[4](a, b, c, a);
  bool inside = true;
  for (int i = 0; i < 3; ++i) {
    ivec2 edge = corners_of[i + 1] - corners_of[i];
    ivec2 to_point = p - corners_of[i];
    int area = edge.x * to_point.y - edge.y * to_point.x;
    weights[i] = area;
    if (area > 0) {
      continue;
    }
    if (area < 0 || !(edge.y > 0 || (edge.y == 0 && edge.x < 0))) {
      inside = false;
    }
  }
  return inside;
}

int next_by_skip_links(int node, int depth, uint trail) {
  int at = node;
  int level = depth;
  while (level > 0) {
    if ((at & 1) != 0) {
      return at + 1;
    }
    at = (at - 1) >> 1;
    --level;
    if ((trail & 1u) != 0u) {
      break;
    }
    trail >>= 1;
  }
  return level == 0 ? -1 : at + 2;
}

// Counts keys below `key` in a complete tree in heap order.
int rank_in_heap(int keys[15], int key) {
  int stack[5];
  int height = 0;
  int at = 0;
  int rank = 0;
  for (;;) {
    while (at < 15) {
      if (height == 5) {
        return -1;
      }
      stack[height++] = at;
      at = 2 * at + 1;
    }
    if (height == 0) {
      break;
    }
    at = stack[--height];
    if (keys[at] >= key) {
      break;
    }
    ++rank;
    at = 2 * at + 2;
  }
  return rank;
}

uint cost_of_split(uint counts[8], uint widths[8]) {
  uint least = 0xffffffffu;
  uint best = 0u;
  for (uint split = 1u; split < 8u; ++split) {
    uint left = 0u, right = 0u, left_width = 0u, right_width = 0u;
    for (uint i = 0u; i < 8u; ++i) {
      if (i < split) {
        left += counts[i];
        left_width = max(left_width, widths[i]);
      } else {
        right += counts[i];
        right_width = max(right_width, widths[i]);
      }
    }
    uint cost = left * left_width + right * right_width;
    if (cost >= least) {
      continue;
    }
    least = cost;
    best = split;
  }
  return best;
}

bool meets(Ray ray, int triangle, inout Hit hit) {
  vec3 a = corners[3 * triangle].xyz;
  vec3 ab = corners[3 * triangle + 1].xyz - a;
  vec3 ac = corners[3 * triangle + 2].xyz - a;
  vec3 p = cross(ray.way, ac);
  float area = dot(ab, p);
  if (abs(area) < 1.0e-7) {
    return false;
  }
  vec3 q = ray.origin - a;
  float u = dot(q, p) / area;
  if (u < 0.0 || u > 1.0) {
    return false;
  }
  vec3 r = cross(q, ab);
  float v = dot(ray.way, r) / area;
  float t = dot(ac, r) / area;
  if (v < 0.0 || u + v > 1.0 || t < 0.0 || t >= hit.distance) {
    return false;
  }
  hit = Hit(t, triangle, vec2(u, v));
  return true;
}

Hit trace(Ray ray) {
  Hit hit = Hit(ray.reach, -1, vec2(0.0));
  int stack[24];
  int height = 1;
  stack[0] = 0;
  uint visited = 0u;
  while (height > 0) {
    int at = stack[--height];
    if (at < 0 || at >= nodes.length() || ++visited > 500u) {
      continue;
    }
    Node node = nodes[at];
    if (!slab_test(node.box.low, node.box.high, ray.origin, ray.inverse, hit.distance)) {
      continue;
    }
    if (node.count > 0) {
      for (int i = 0; i < node.count; ++i) {
        if (3 * (node.child + i) + 2 >= corners.length()) {
          break;
        }
        meets(ray, node.child + i, hit);
      }
    } else if (height < 22) {
      bool left_first = ray.way.x > 0.0;
      stack[height++] = node.child + (left_first ? 1 : 0);
      stack[height++] = node.child + (left_first ? 0 : 1);
    }
  }
  atomicAdd(tested, visited);
  return hit;
}

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  Ray ray;
  ray.origin = vec3(0.0, 0.0, -4.0);
  ray.way = normalize(vec3(vec2(pixel) * 0.0625 - 1.0, 2.0));
  ray.inverse = 1.0 / ray.way;
  ray.reach = 100.0;
  Hit hit = trace(ray);
  ivec3 weights;
  bool covered = covers(ivec2(0), ivec2(16, 3), ivec2(5, 14), pixel & 15, weights);
  int keys[15] = int[15](8, 4, 12, 2, 6, 10, 14, 1, 3, 5, 7, 9, 11, 13, 15);
  int rank = rank_in_heap(keys, weights.x) + next_by_skip_links(pixel.x, pixel.y & 7, 5u);
  uint counts[8] = uint[8](1u, uint(rank), 3u, 2u, 5u, uint(pixel.x), 1u, 4u);
  uint widths[8] = uint[8](4u, 2u, 6u, 1u, uint(pixel.y), 3u, 2u, 5u);
  hit.primitive += covered ? rank : int(cost_of_split(counts, widths));
  hits[gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * 64u] = hit;
}
