#version 320 es
// SPDX-License-Identifier: Apache-2.0
// Finds the connected regions of equal colour in pictures of 24x24 cells, one for each workgroup:
// every cell is an entry of a forest laid out in an array, regions are hooked under the least
// label that touches them by atomic minima, and paths are halved, until nothing changes. Then
// regions are numbered in the order of their least cells, and measured: cells, box, length of the
// border.
//
// Stable: integers only. What a round reads was written before a barrier, what it writes are
// minima, which any order of invocations brings to the same; so is the number of rounds. Areas and
// borders are counted by atomic additions.
precision highp float;
precision highp int;

layout(local_size_x = 96) in;

const int kWidth = 24;
const int kCells = 576;
const int kOwn = 6;   // cells of an invocation, 96 apart
const uint kMostRegions = 48u;

struct Region {
  uint area;
  uint border;
  ivec2 low;
  ivec2 high;
  uint color;
  uint root;
};

struct Kind {
  uvec2 waves;
  uint colors;
  bool diagonal;
};

layout(std140, set = 0, binding = 0) uniform Kinds { Kind kinds[4]; };
layout(std140, set = 0, binding = 1) uniform Steps {
  ivec4 right_down;  // steps to neighbours: 1, 24, 25, 23
  int most_rounds;   // 24
  uint big;          // 4: regions with fewer cells have no number
  int own;           // 6
  int sides;         // 4
};
layout(std430, set = 0, binding = 2) writeonly buffer Labels { uint labels[4 * 576]; };
layout(std430, set = 0, binding = 3) writeonly buffer Regions { Region regions[]; };
layout(std430, set = 0, binding = 4) writeonly buffer Rounds { ivec4 rounds; };

shared uint colors[576];
shared uint parents[576];
shared uint areas[576];
shared uint order[576];
shared Region found[48];
shared uint changes;
shared uint numbered;

// Blobs, stripes or noise, as the waves have it.
uint ColorOf(ivec2 at, Kind kind) {
  uvec2 p = uvec2(at);
  uint bend = (p.x * p.x + 3u * p.y) / (3u + kind.waves.y % 5u);
  uint level = ((p.x * kind.waves.x) >> 4u) ^ ((p.y * kind.waves.y + bend) >> 4u);
  if ((kind.waves.x & 1u) != 0u) level += (p.x * 2246822519u ^ p.y * 3266489917u) >> 29u;
  return (level >> 1u) % kind.colors;
}

// Whether two places, the first of them in the picture, have the same colour.
bool Linked(ivec2 a, ivec2 b) {
  if (b.x < 0 || b.x >= kWidth || b.y < 0 || b.y >= kWidth) return false;
  return colors[a.y * kWidth + a.x] == colors[b.y * kWidth + b.x];
}

ivec2 PlaceOf(int cell) { return ivec2(cell % kWidth, cell / kWidth); }

// Which of the four neighbours to the right and below belong to the cell's region, as bits.
uint LinksOf(int cell, bool diagonal) {
  ivec2 at = PlaceOf(cell);
  uint links = 0u;
  for (int way = 0; way < sides; way++) {
    if (way >= 2 && !diagonal) break;
    ivec2 step = ivec2(way == 1 ? 0 : (way == 3 ? -1 : 1), min(way, 1));
    if (Linked(at, at + step)) links |= 1u << uint(way);
  }
  return links;
}

// The two trees are hooked together: the larger of the roots known goes under the smaller.
void Hook(uint mine, uint theirs, inout bool changed) {
  if (mine == theirs) return;
  uint upper = max(mine, theirs);
  uint lower = min(mine, theirs);
  atomicMin(order[upper], lower);
  changed = true;
}

// One round over the cells of an invocation: what `order` is to be is gathered from `parents`.
bool HookAll(int lane, uint links[kOwn]) {
  bool changed = false;
  for (int k = 0; k < own; k++) {
    int cell = lane + 96 * k;
    uint left = links[k];
    while (left != 0u) {
      int way = findLSB(left);
      left &= left - 1u;
      Hook(parents[cell], parents[cell + right_down[way]], changed);
    }
  }
  return changed;
}

int Connect(int lane, uint links[kOwn]) {
  int round = 0;
  for (; round < most_rounds; round++) {
    for (int k = 0; k < own; k++) order[lane + 96 * k] = parents[lane + 96 * k];
    if (lane == 0) changes = 0u;
    barrier();
    if (HookAll(lane, links)) atomicOr(changes, 1u << uint(lane & 31));
    barrier();
    bool done = changes == 0u;
    // Everyone looks up its parent's parent twice.
    for (int jump = 0; jump < 2; jump++) {
      for (int k = 0; k < own; k++) parents[lane + 96 * k] = order[order[lane + 96 * k]];
      barrier();
      for (int k = 0; k < own; k++) order[lane + 96 * k] = parents[lane + 96 * k];
      barrier();
    }
    if (done) break;
  }
  return round;
}

// Numbers the regions that are large enough, in the order of their roots.
uint NumberOf(int cell) {
  uint number = 0u;
  for (int i = 0; i < cell; i++) {
    if (parents[i] == uint(i) && areas[i] >= big) number++;
  }
  return number;
}

void Measure(int cell, uint number) {
  ivec2 at = PlaceOf(cell);
  atomicAdd(found[number].area, 1u);
  atomicMin(found[number].low.x, at.x);
  atomicMin(found[number].low.y, at.y);
  atomicMax(found[number].high.x, at.x);
  atomicMax(found[number].high.y, at.y);
  uint open_sides = 0u;
  for (int side = 0; side < sides; side++) {
    int away = side < 2 ? 1 : -1;
    if (!Linked(at, at + (side % 2 == 0 ? ivec2(away, 0) : ivec2(0, away)))) open_sides++;
  }
  if (open_sides != 0u) atomicAdd(found[number].border, open_sides);
}

// Roots of large regions open an entry; its number goes where the others find it.
void OpenRegions(int lane) {
  for (int k = 0; k < own; k++) {
    int cell = lane + 96 * k;
    order[cell] = kMostRegions;
    if (parents[cell] != uint(cell)) continue;
    if (areas[cell] < big) continue;
    uint number = NumberOf(cell);
    if (number >= kMostRegions) continue;
    order[cell] = number;
    found[number] = Region(0u, 0u, ivec2(kWidth), ivec2(-1), colors[cell], uint(cell));
    atomicMax(numbered, number + 1u);
  }
}

void MeasureAll(int lane, int group) {
  for (int k = 0; k < own; k++) {
    int cell = lane + 96 * k;
    uint number = order[parents[cell]];
    labels[group * kCells + cell] = (number << 20u) | (areas[parents[cell]] << 10u) | parents[cell];
    if (number == kMostRegions) continue;
    Measure(cell, number);
  }
}

void main() {
  int lane = int(gl_LocalInvocationID.x);
  int group = int(gl_WorkGroupID.x);
  Kind kind = kinds[group];

  for (int cell = lane; cell < kCells; cell += 96) {
    colors[cell] = ColorOf(PlaceOf(cell), kind);
    parents[cell] = uint(cell);
    areas[cell] = 0u;
  }
  if (lane == 0) numbered = 0u;
  barrier();
  uint links[kOwn];
  for (int k = 0; k < own; k++) links[k] = LinksOf(lane + 96 * k, kind.diagonal);
  int round = Connect(lane, links);

  for (int k = 0; k < own; k++) atomicAdd(areas[parents[lane + 96 * k]], 1u);
  barrier();
  OpenRegions(lane);
  barrier();
  MeasureAll(lane, group);
  barrier();
  if (uint(lane) < numbered) regions[uint(group) * kMostRegions + uint(lane)] = found[lane];
  if (lane == 5) rounds[group] = round * 100 + int(numbered);
}
