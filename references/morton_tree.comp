#version 320 es
// SPDX-License-Identifier: Apache-2.0
// Builds a bounding volume hierarchy the way GPUs do: 256 points become Morton codes, four passes
// of a radix sort (count, scan, scatter, four bits at a time) order them in shared memory, and
// then every inner node finds, by itself, the range of codes under it and where that splits, from
// the lengths of common prefixes. One tree for each workgroup, each over another cloud of points.
//
// Stable: integers only. Each pass of the sort is stable since every invocation owns four places
// in a row and counts for itself; equal codes are told apart by their places. No atomics, and a
// barrier between what is written and who reads it.
precision highp float;
precision highp int;

layout(local_size_x = 64) in;

const int kCodes = 256;
const int kOwn = 4;
const int kLanes = 64;
const int kDigits = 16;

struct Cloud {
  uvec2 start;
  uvec2 steps;
  uint blur;  // how many of the lowest bits are dropped
  uint tilt;
};

struct Node {
  int first;
  int last;
  int split;
  uint prefix;
};

layout(std140, set = 0, binding = 0) uniform Clouds { Cloud clouds[3]; };
layout(std140, set = 0, binding = 1) uniform Masks {
  uvec4 spread;  // 0x00ff00ff, 0x0f0f0f0f, 0x33333333, 0x55555555
  int none;      // 0
  uint digit;    // 15
};
layout(std430, set = 0, binding = 2) writeonly buffer Trees { Node nodes[3][255]; };
layout(std430, set = 0, binding = 3) writeonly buffer Leaves { uint leaves[3][256]; };
layout(std430, set = 0, binding = 4) writeonly buffer Digits { uint digits[3][64]; };

shared uint codes[2][kCodes];           // code << 8 | point
shared uint counts[kDigits * kLanes];   // by digit, then by who counted
shared uint sums[kLanes];

// Bits 0 to 7 to the even places.
uint Spread(uint value) {
  value = (value | (value << 8u)) & spread.x;
  value = (value | (value << 4u)) & spread.y;
  value = (value | (value << 2u)) & spread.z;
  return (value | (value << 1u)) & spread.w;
}

uint MortonOf(uint point, Cloud cloud) {
  uvec2 at = cloud.start + cloud.steps * point;
  at ^= at >> uvec2(9u, 11u);
  at = (at * at) >> uvec2(7u, 6u);
  at.y += (at.x * cloud.tilt) >> 3u;
  at = (at & 255u) >> cloud.blur;
  return Spread(at.x) | (Spread(at.y) << 1u);
}

// How many of this invocation's codes have which digit.
void Count(int lane, int from, uint shift) {
  for (int d = 0; d < kDigits; d++) counts[d * kLanes + lane] = 0u;
  for (int i = 0; i < kOwn; i++) {
    int d = int((codes[from][lane * kOwn + i] >> shift) & digit);
    counts[d * kLanes + lane]++;
  }
}

// Turns counts into places: first each invocation sums 16 in a row, then those sums are summed.
void Scan(int lane) {
  uint sum = 0u;
  for (int i = 0; i < kDigits; i++) {
    uint held = counts[lane * kDigits + i];
    counts[lane * kDigits + i] = sum;
    sum += held;
  }
  sums[lane] = sum;
  barrier();
  for (int reach = 1; reach < kLanes; reach += reach) {
    uint left = lane >= reach ? sums[lane - reach] : 0u;
    barrier();
    sums[lane] += left;
    barrier();
  }
  uint before = sums[lane] - sum;
  for (int i = 0; i < kDigits; i++) counts[lane * kDigits + i] += before;
}

void Scatter(int lane, int from, uint shift) {
  for (int i = 0; i < kOwn; i++) {
    uint code = codes[from][lane * kOwn + i];
    int slot = int((code >> shift) & digit) * kLanes + lane;
    codes[1 - from][counts[slot]] = code;
    counts[slot]++;
  }
}

// Length of the prefix that two leaves have in common; -1 beyond the ends.
int Common(int a, int b) {
  if (b < none || b >= kCodes) return -1;
  uint differs = (codes[0][a] ^ codes[0][b]) >> 8u;
  if (differs == 0u) return 16 + 31 - findMSB(uint(a ^ b));
  return 15 - findMSB(differs);
}

Node MakeNode(int i) {
  int way = Common(i, i + 1) > Common(i, i - 1) ? 1 : -1;
  int least = Common(i, i - way);
  int reach = 2;
  while (Common(i, i + reach * way) > least) reach *= 2;
  int length = 0;
  for (int part = reach / 2; part > 0; part /= 2) {
    if (Common(i, i + (length + part) * way) > least) length += part;
  }
  int end = i + length * way;
  int shared_bits = Common(i, end);
  int split = 0;
  int part = length;
  do {
    part = (part + 1) >> 1;
    if (Common(i, i + (split + part) * way) > shared_bits) split += part;
  } while (part > 1);

  Node node;
  node.first = min(i, end);
  node.last = max(i, end);
  node.split = i + split * way + min(way, none);
  node.prefix = (uint(shared_bits) << 16u) | (codes[0][i] >> 8u);
  return node;
}

void MakeNodes(int lane, int group) {
  for (int i = lane; i < kCodes - 1; i += kLanes) nodes[group][i] = MakeNode(i);
}

void main() {
  int lane = int(gl_LocalInvocationID.x);
  int group = int(gl_WorkGroupID.x);
  Cloud cloud = clouds[group];

  for (int i = 0; i < kOwn; i++) {
    uint point = uint(lane * kOwn + i);
    codes[0][point] = (MortonOf(point, cloud) << 8u) | point;
  }
  int from = 0;
  for (uint shift = 8u; shift < 24u; shift += 4u) {
    barrier();
    Count(lane, from, shift);
    barrier();
    Scan(lane);
    barrier();
    // Where each digit's codes begin.
    if (lane < kDigits) digits[group][int(shift - 8u) * 4 + lane] = counts[lane * kLanes];
    barrier();
    Scatter(lane, from, shift);
    from = 1 - from;
  }
  barrier();

  for (int i = 0; i < kOwn; i++) leaves[group][i * kLanes + lane] = codes[from][i * kLanes + lane];
  MakeNodes(lane, group);
}
