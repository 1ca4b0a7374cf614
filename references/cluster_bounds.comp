#version 450
// SPDX-License-Identifier: Apache-2.0
// Clusters of points, one for each workgroup: their box, centre and masks by subgroup reductions,
// then farthest point sampling: again and again the point is taken that lies farthest from all
// taken before, until that is near enough. At the end each point names the sample it is nearest
// to.
//
// Stable: sums, minima, maxima and bit operations on integers, which no order of invocations and
// no size of subgroups changes; ties are decided by the points' numbers, which are part of what is
// compared. All invocations take part in every subgroup operation: those without a point
// contribute what changes nothing.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require

layout(local_size_x = 64) in;

const uint kPerLane = 2;
const uint kMaxSamples = 12;
const uint kMaxPoints = 128;

struct Cluster {
  ivec3 origin;
  int spread;
  uint points;
  uint seed;
  uint shape;
  uint enough;  // squared distance at which sampling ends
};

struct Bounds {
  ivec3 lower;
  uint parity;
  ivec3 upper;
  uint shared_bits;
  ivec3 total;
  uint any;
  uint facing;
  uint taken;
  uint samples[kMaxSamples + 2];
};

layout(std430, set = 0, binding = 0) readonly buffer Clusters { Cluster clusters[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Boxes { Bounds boxes[]; };
layout(std430, set = 0, binding = 2) writeonly buffer Labels { uint labels[][kMaxPoints]; };
layout(push_constant) uniform Settings {
  ivec4 eye;     // plane: a point faces it when its dot product is above w
  uint strides;  // 0x9e3779
  uint limit;    // of samples, at most kMaxSamples
};

struct Point {
  ivec3 at;
  uint distance;  // squared, to the nearest sample
  uint nearest;
};

shared ivec3 lower, upper, total;
shared uint parity, common_bits, any_bits, facing;
shared uint farthest;

Point MakePoint(Cluster cluster, uint id) {
  uvec3 steps = uvec3(strides, strides >> 3, strides * 5u) | 1u;
  uvec3 raw = (steps * (id + cluster.seed)) >> uvec3(7, 5, 9);
  ivec3 inside = ivec3(raw % uint(cluster.spread));
  switch (cluster.shape) {
    case 3u:
      inside.z = inside.z / 4 + 3;
      // falls through: a wall that leans
    case 1u:
      inside.x += inside.z;
      break;
    case 2u:  // two lumps
      if ((id & 4u) != 0u) inside = inside / 3 + ivec3(90, 70, 5);
      break;
    default:
      inside.y = (inside.y * inside.x) >> 5;
      break;
  }
  return Point(cluster.origin + inside, ~0u, 0u);
}

uint SquaredDistance(ivec3 a, ivec3 b) {
  ivec3 d = a - b;
  return uint(d.x * d.x + d.y * d.y + d.z * d.z);
}

// Bits of a point that the masks are made of.
uint Signature(ivec3 at) { return uint(at.x) ^ (uint(at.y) << 7) ^ (uint(at.z) << 13); }

void Measure(Point mine[kPerLane], uint held) {
  ivec3 low = ivec3(0x7fff), high = ivec3(-0x7fff), sum = ivec3(0);
  uint odd = 0u, all = ~0u, some = 0u;
  for (uint k = 0u; k < held; k++) {
    ivec3 at = mine[k].at;
    uint bits = Signature(at);
    low = min(low, at);
    high = max(high, at);
    sum += at;
    odd ^= bits;
    all &= bits | 0x5555u;
    some |= bits << 3;
  }
  low = subgroupMin(low);
  high = subgroupMax(high);
  sum = subgroupAdd(sum);
  odd = subgroupXor(odd);
  all = subgroupAnd(all);
  some = subgroupOr(some);
  if (subgroupElect()) {
    for (int axis = 0; axis < 3; axis++) {
      atomicMin(lower[axis], low[axis]);
      atomicMax(upper[axis], high[axis]);
      atomicAdd(total[axis], sum[axis]);
    }
    atomicXor(parity, odd);
    atomicAnd(common_bits, all);
    atomicOr(any_bits, some);
  }
}

// How many points there are before the plane.
void CountFacing(Point mine[kPerLane], uint held) {
  for (uint k = 0u; k < kPerLane; k++) {
    ivec3 along = mine[k].at * eye.xyz;
    bool faces = k < held && along.x + along.y + along.z > eye.w;
    uint here = subgroupBallotBitCount(subgroupBallot(faces));
    if (subgroupAny(faces) && subgroupElect()) atomicAdd(facing, here);
  }
}

// The nearest sample becomes `number` where that is nearer; returns the farthest point's key.
uint Relax(inout Point point, uint id, ivec3 sampled, uint number) {
  uint distance = SquaredDistance(point.at, sampled);
  if (distance < point.distance) {
    point.distance = distance;
    point.nearest = number;
  }
  return (point.distance << 8) | id;
}

uint RelaxAll(inout Point mine[kPerLane], uint held, ivec3 sampled, uint number) {
  uint key = 0u;
  for (uint k = 0u; k < held; k++) {
    key = max(key, Relax(mine[k], gl_LocalInvocationIndex + 64u * k, sampled, number));
  }
  return key;
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint group = gl_WorkGroupID.x;
  Cluster cluster = clusters[group];

  Point mine[kPerLane];
  uint held = 0u;
  for (uint k = 0u; k < kPerLane; k++) {
    uint id = lane + 64u * k;
    mine[k] = MakePoint(cluster, id);
    if (id < cluster.points) held++;
  }

  if (lane == 0u) {
    lower = ivec3(0x7fff);
    upper = ivec3(-0x7fff);
    total = ivec3(0);
    parity = cluster.seed;
    common_bits = ~0u;
    any_bits = 0u;
    facing = 0u;
    farthest = 0u;
  }
  barrier();
  Measure(mine, held);
  CountFacing(mine, held);
  barrier();
  Bounds result =
      Bounds(lower, parity, upper, common_bits, total, any_bits, facing, 0u,
             uint[kMaxSamples + 2](0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u));

  ivec3 sampled = (lower + upper) / 2;
  uint number = 0u;
  for (;;) {
    uint key = subgroupMax(RelaxAll(mine, held, sampled, number));
    if (subgroupElect()) atomicMax(farthest, key);
    barrier();
    uint winner = farthest;
    barrier();
    if (lane == 0u) farthest = 0u;
    barrier();
    if ((winner >> 8) <= cluster.enough) break;
    result.samples[number] = winner;
    if (++number == limit) {
      result.samples[kMaxSamples] = winner & 0xffu;
      break;
    }
    sampled = MakePoint(cluster, winner & 0xffu).at;
  }

  result.taken = number;
  if (lane == 0u) boxes[group] = result;
  for (uint k = 0u; k < kPerLane; k++) {
    if (k >= held) continue;
    labels[group][lane + 64u * k] = (mine[k].nearest << 24) | mine[k].distance;
  }
}
