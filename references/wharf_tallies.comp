#version 450
// SPDX-License-Identifier: Apache-2.0
// Tallies a wharf: 64 crates come down four chutes and are weighed on scales that keep the sign of a
// zero, as the execution mode of the shader demands. A scale that is empty shows a negative zero if it
// was pushed from below, and the beam between two scales tips to the side of that sign. The harbour
// master's rules are specialisation constants, one of each type.
//
// Exact: integers, and floats that are multiples of 1/64 below 2^18. Sums, the least balance and marks
// of 64 bits are made by atomics, and do not depend on the order of the crates.
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_spirv_intrinsics : require

// SignedZeroInfNanPreserve and RoundingModeRTE, for 32 bits.
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);

layout(local_size_x = 16) in;

layout(constant_id = 0) const bool kWet = false;
layout(constant_id = 1) const int kTide = -3;
layout(constant_id = 2) const uint kPiers = 5u;
layout(constant_id = 3) const float kRope = 0.75;
layout(constant_id = 4) const double kAnchor = 1.25lf;
layout(constant_id = 5) const int64_t kHull = -77l;
layout(constant_id = 6) const uint64_t kSeal = 0x123456789abcdeful;
layout(constant_id = 7) const int16_t kDraft = int16_t(-12);
layout(constant_id = 8) const uint16_t kBerth = uint16_t(40000);
layout(constant_id = 9) const int8_t kCrew = int8_t(-9);
layout(constant_id = 10) const uint8_t kFlag = uint8_t(200);
layout(constant_id = 11) const float16_t kSlack = float16_t(0.5);

layout(scalar, set = 0, binding = 0) uniform Scales {
  float gauge;
  vec3 pans[4];  // most, least, and what an empty pan shows; 12 bytes each
  float beam;
} scales;
layout(scalar, set = 0, binding = 1) buffer Ledger {
  uint rows;
  uint64_t weight;
  int64_t balance;
  uint64_t marks[4];
  u16vec3 heads;
  uvec3 entries[];
} ledger;

struct Crate {
  float load;
  uint chute;
  int slack;
  uint64_t mark;
};

// What a scale shows: no less than nothing, and no more than its pan carries.
float Shown(float load, vec3 pan) {
  float shown = load - pan.y;
  if (shown > pan.x) shown = pan.x + (shown - pan.x) * 0.125;
  if (shown <= 0.0) shown = pan.z;
  return shown;
}

// Empty (pushed from above, or from below), light or heavy.
uint Kind(float value) {
  uint sign = floatBitsToUint(value) >> 31;
  if (value == 0.0) return 1u + sign;
  return value < 100.0 ? 3u + sign : 5u + sign;
}

Crate Made(uint number) {
  Crate crate;
  uint16_t berth = kBerth;
  int16_t draft = kDraft;
  crate.chute = number % kPiers & 3u;
  uint key = (number + 1u) * 2654435761u;
  crate.load = float(key >> 22) * 0.125 * (kWet ? 2.0 : 1.0) + float(kAnchor * 4.0lf);
  crate.slack = int(draft) + int(key & 31u) * (kSlack > float16_t(0.25) ? 2 : 1);
  crate.mark = (kSeal << (key & 15u)) ^ uint64_t(key) * uint64_t(berth);
  return crate;
}

// Signed shifts of both kinds, and the sign of a number of 64 bits spread over it.
int64_t Settled(int64_t value, int by) {
  int64_t spread = value >> 63;
  int64_t moved = by < 0 ? value >> -by : value << by;
  return (moved ^ spread) + kHull * int64_t(kTide);
}

// The bits of a mark, crossed over by a butterfly of masks.
uint64_t Crossed(uint64_t mark) {
  uint64_t mask = 0x00000000fffffffful;
  for (uint shift = 32u; shift > 2u; shift >>= 1) {
    mark = (mark >> shift & mask) | (mark & mask) << shift;
    mask ^= mask << (shift >> 1);
  }
  return mark;
}

uint Stamped(uint special, uint lane) {
  uint stamp = special;
  uint8_t flag = kFlag;
  int8_t crew = kCrew;
  for (int turn = 0; turn < 4; ++turn) {
    stamp = stamp * 31u + (lane >> turn & uint(flag));
    if ((stamp & 1u) == 0u) stamp ^= uint(int(crew)) >> 7;
  }
  return stamp;
}

void main() {
  uint lane = gl_GlobalInvocationID.x;
  Crate crate = Made(lane);
  Crate other = Made(lane ^ 1u);
  vec3 pan = scales.pans[crate.chute];
  float shown = Shown(crate.load * scales.gauge, pan);
  float beam = shown - Shown(other.load * scales.gauge, scales.pans[other.chute]);
  float tipped = shown == 0.0 ? other.load > crate.load ? -shown : shown : beam * -kRope - 0.125;
  uint special = Kind(shown) << 3 | Kind(tipped);
  if (tipped < scales.beam) special |= 64u;
  int64_t settled = Settled(int64_t(crate.mark), crate.slack - crate.slack / 7 * 7);

  atomicAdd(ledger.weight, uint64_t(uint(shown * 64.0)) << 20);
  atomicMin(ledger.balance, settled);
  atomicXor(ledger.marks[crate.chute], Crossed(crate.mark));
  if (lane == 0u) {
    ledger.rows = uint(ledger.entries.length());
    uint8_t flag = kFlag;
    ledger.heads = u16vec3(kBerth, uint16_t(flag), uint16_t(crate.slack));
  }
  uvec2 halves = unpackUint2x32(uint64_t(settled));
  ledger.entries[lane] = uvec3(Stamped(special, lane), halves.x, halves.y ^ special);
}
