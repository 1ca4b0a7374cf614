#version 450
// SPDX-License-Identifier: Apache-2.0
// Draws boxes from above, seen through slanted rays, with shadows. 64 rays go down a tree of
// bounds together, as far as they share a subgroup: a node is entered if any of them meets it, and
// the majority says which half comes first. In the picture the low byte is the box, then the light,
// then how deep the ray went.
//
// Exact: integers; for a ray the nearest box is the same whatever company it has on its way, ties
// are decided by the boxes' numbers.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require

layout(local_size_x = 8, local_size_y = 8) in;

const uint kLeaves = 16u;
const uint kDeepest = 6u;
const uint kMissed = ~0u;

struct Scene {
  uint seed;
  int thick;
  int reach;   // how far boxes are spread
  int floors;  // in how many layers
  ivec2 slope;
  ivec2 light;
};

struct Ray {
  ivec3 from;
  ivec2 slope;  // 32nds for each step down
};

layout(std430, set = 0, binding = 0) readonly buffer Scenes { Scene scenes[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Picture { uint picture[][64]; };
layout(std430, set = 0, binding = 2) writeonly buffer Hits { uint hits[][kLeaves]; };
layout(push_constant) uniform Camera {
  ivec2 corner;
  int zoom;
  uint tiles;  // of a scene
};

shared ivec3 low[2u * kLeaves], high[2u * kLeaves];
shared uint seen[kLeaves];

uint Scatter(uint n) {
  n *= 0x9e3779b1u;
  n ^= n >> 15;
  n *= 0x85ebca77u;
  return n ^ n >> 13;
}

void BuildTree(Scene scene, uint lane) {
  if (lane < kLeaves) {
    uint a = Scatter(scene.seed + lane * 5u), b = Scatter(a + 77u);
    int wide = 3 + int(a >> 24) % scene.thick, long_side = 3 + int(b >> 24) % scene.thick;
    ivec3 at = ivec3(int(lane) * scene.reach / 2, int(a >> 4 & 63u) * scene.reach / 8,
                     16 * (int(b & 15u) % scene.floors) + int(b >> 8 & 7u));
    low[kLeaves + lane] = at;
    high[kLeaves + lane] = at + ivec3(wide, long_side, 2 + int(b >> 12 & 7u));
    seen[lane] = 0u;
  }
  barrier();
  for (uint count = kLeaves / 2u; count > 0u; count >>= 1) {
    if (lane < count) {
      uint node = count + lane, left = 2u * node;
      low[node] = min(low[left], low[left + 1u]);
      high[node] = max(high[left], high[left + 1u]);
    }
    barrier();
  }
}

bool Meets(Ray ray, uint node) {
  ivec3 a = low[node], b = high[node];
  if (b.z < ray.from.z) return false;
  int top = max(a.z, ray.from.z) - ray.from.z, bottom = b.z - ray.from.z;
  ivec2 enters = ray.from.xy + ((ray.slope * top) >> 5);
  ivec2 leaves = ray.from.xy + ((ray.slope * bottom) >> 5);
  return all(lessThanEqual(min(enters, leaves), b.xy)) &&
         all(greaterThanEqual(max(enters, leaves), a.xy));
}

// How far it is to the node for the ray, and which leaf it would be.
uint KeyOf(Ray ray, uint node) {
  return uint(max(low[node].z - ray.from.z, 0)) << 5 | node & (kLeaves - 1u);
}

// The key of the nearest leaf that the ray meets.
uint Nearest(Ray ray, bool wanted) {
  uint best = kMissed;
  uint waiting[kDeepest];
  uint depth = 0u, node = 1u;
  for (;;) {
    bool meets = wanted && KeyOf(ray, node) >> 5 <= best >> 5 && Meets(ray, node);
    if (subgroupAny(meets)) {
      if (node < kLeaves) {
        uint left = 2u * node, right = left + 1u;
        bool leans = low[left].z > low[right].z || low[left].z == low[right].z && ray.slope.x < 0;
        uint all_votes = subgroupBallotBitCount(subgroupBallot(meets));
        uint right_votes = subgroupBallotBitCount(subgroupBallot(meets && leans));
        bool right_first = 2u * right_votes > all_votes;
        waiting[depth++] = right_first ? left : right;
        node = right_first ? right : left;
        continue;
      }
      best = meets ? min(best, KeyOf(ray, node)) : best;
    }
    if (depth == 0u) break;
    node = waiting[--depth];
  }
  return best;
}

void main() {
  uint group = gl_WorkGroupID.x;
  uint lane = gl_LocalInvocationIndex;
  Scene scene = scenes[group / tiles];
  BuildTree(scene, lane);

  uint tile = group % tiles;
  ivec2 pixel = ivec2(gl_LocalInvocationID.xy) + 8 * ivec2(tile & 1u, tile >> 1);
  Ray ray = Ray(ivec3(corner + pixel * zoom, 0), scene.slope);
  uint key = Nearest(ray, true);
  bool hit = key != kMissed;
  uint box = key & (kLeaves - 1u);
  int deep = hit ? int(key >> 5) : 48;

  // From there to the light, upward: mirrored, so that it goes down as well.
  ivec2 ground = ray.from.xy + ((ray.slope * deep) >> 5);
  Ray to_light = Ray(ivec3(ground + scene.light / 4, deep + 1), scene.light);
  uint shadow = Nearest(to_light, !hit || (box & 1u) == 0u);
  uint light = 200u - uint(min(deep, 60)) * 3u;
  if (shadow != kMissed && (shadow & (kLeaves - 1u)) != box) {
    light = light / 2u + (shadow >> 5 & 15u);
  }

  // Boxes that a whole subgroup looks at are counted at once.
  if (subgroupAllEqual(key)) {
    uint rays = subgroupAdd(1u);
    if (hit && subgroupElect()) atomicAdd(seen[box], rays);
  } else if (hit) {
    atomicAdd(seen[box], 1u);
  }
  barrier();
  picture[group][lane] = (hit ? box + 1u : 0u) | light << 8 | uint(deep) << 16;
  if (lane < kLeaves) hits[group][lane] = seen[lane] << 8 | uint(high[kLeaves + lane].z & 0xff);
}
