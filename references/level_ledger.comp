#version 450
// SPDX-License-Identifier: Apache-2.0
// Keeps the books of a stack of images: for each level and layer, the sum of its texels, the least
// and the greatest of them, and a check word that depends on their order. A workgroup takes a level,
// and its invocations take the rows in turn. Then each invocation looks up which level first exceeds
// a sum that was asked for, and samples that level at places that it computes from its entry.
//
// Exact: integers, and places at the centres of texels.
layout(local_size_x = 16) in;

layout(binding = 0) uniform isampler2DArray stack;  // 6 levels, 3 layers
layout(binding = 1) uniform usampler3D store;       // 3 levels
layout(std430, binding = 2) buffer Ledger {
  ivec4 entries[];  // 3 for each level: sum, least, greatest, check
};
layout(std430, binding = 3) buffer Answers { int answers[]; };
layout(binding = 4) uniform Questions { ivec4 asked[4]; };

shared int sums[16];
shared ivec2 extremes[16];
shared uint checks[16];

void Add(inout ivec4 entry, int value) {
  entry.x += value;
  entry.y = min(entry.y, value);
  entry.z = max(entry.z, value);
  entry.w = entry.w * 31 + (value ^ entry.w >> 7);
}

int FirstAbove(int wanted, int row) {
  ivec3 whole = textureSize(stack, 0);
  int total = 0, level = 0;
  for (; level < textureQueryLevels(stack); ++level) {
    ivec2 size = max(whole.xy >> level, 1);
    for (int x = 0; x < size.x; ++x) {
      total += abs(texelFetch(stack, ivec3(x, row % size.y, level % whole.z), level).y);
      if (total > wanted) return level;
    }
  }
  return level;
}

void main() {
  int lane = int(gl_LocalInvocationID.x);
  int level = int(gl_WorkGroupID.x);
  ivec3 size = textureSize(stack, level);
  for (int layer = 0; layer < size.z; ++layer) {
    ivec4 own = ivec4(0, 1 << 20, -(1 << 20), lane);
    for (int y = lane; y < size.y; y += 16) {
      for (int x = 0; x < size.x; ++x) {
        int value = texelFetch(stack, ivec3(x, y, layer), level).x;
        if (value == 0) continue;
        Add(own, value);
      }
    }
    sums[lane] = own.x;
    extremes[lane] = own.yz;
    checks[lane] = uint(own.w);
    barrier();
    if (lane == 0) {
      ivec4 entry = ivec4(0, 1 << 20, -(1 << 20), 0);
      for (int i = 0; i < 16; ++i) {
        entry.x += sums[i];
        entry.y = min(entry.y, extremes[i].x);
        entry.z = max(entry.z, extremes[i].y);
        entry.w = int(uint(entry.w) << 3 ^ uint(entry.w) >> 29 ^ checks[i]);
      }
      entries[level * 3 + layer] = entry;
    }
    barrier();
  }

  int wanted = asked[lane >> 2][lane & 3];
  int found = FirstAbove(wanted, lane + level);
  int answer = found;
  if (found < 3) {
    ivec3 room = max(ivec3(8, 4, 4) >> found, 1);
    ivec3 at = ivec3(lane, lane >> 1, level) % room;
    vec3 place = (vec3(at) + 0.5) * vec3(0.125, 0.25, 0.25) * float(1 << found);
    uvec4 goods = textureLod(store, place, float(found));
    answer = int(goods[level & 3]) * 8 + found;
  } else {
    for (int step = 1; step < 9; step <<= 1) answer ^= answer + wanted / step;
  }
  answers[level * 16 + lane] = answer;
}
