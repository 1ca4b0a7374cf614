#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Histograms: atomics on shared and on stored counters, bins by ranges, by logarithms and by names,
// and what is read off them afterwards: peaks, quantiles, an equalising curve.
precision highp float;
precision highp int;
layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Samples { int samples[]; };
layout(std430, binding = 1) coherent buffer Result {
  uint counts[32];
  int lowest;
  int highest;
  uint odd_ones;
  uint last_writer;
};

shared uint local_counts[32];
shared int local_low;
shared int local_high;

int log_bin(int value) {
  uint size = uint(value < 0 ? -(value + 1) : value);
  int bin = 0;
  if (size >= 0x10000u) {
    bin += 16;
    size >>= 16;
  }
  if (size >= 0x100u) {
    bin += 8;
    size >>= 8;
  }
  if (size >= 0x10u) {
    bin += 4;
    size >>= 4;
  }
  const int rest[16] = int[16](0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4);
  bin += rest[size];
  return value < 0 ? 31 - (bin & 15) : bin & 15;
}

int range_bin(int value, ivec4 limits) {
  int bin = 0;
  for (int i = 0; i < 4; ++i) {
    if (value < limits[i]) {
      return bin;
    }
    if (value == limits[i]) {
      break;
    }
    ++bin;
  }
  return bin + 8;
}

int named_bin(int value) {
  switch (value) {
    case -1000:
    case -999:
      return 28;
    case -1:
      return 29;
    case 0:
      return 0;
    case 7:
    case 77:
    case 777:
      value /= 7;
      break;
    case 2147483647:
      return 30;
    case 64:
      ++value;
    case 65:
      ++value;
    default:
      value = abs(value % 26);
      break;
  }
  return value & 31;
}

ivec2 tallest(uint bars[32], int from) {
  ivec2 best = ivec2(-1, 0);
  for (int n = 0; n < 32; ++n) {
    int i = (from + n) & 31;
    if (bars[i] == 0u) {
      continue;
    }
    if (int(bars[i]) > best.y) {
      best = ivec2(i, int(bars[i]));
    }
  }
  return best;
}

int quantile(uint bars[32], uint share) {
  uint total = 0u;
  for (int i = 0; i < 32; ++i) {
    total += bars[i] & 0xffffu;
  }
  uint wanted = total * share / 256u;
  uint passed = 0u;
  int i = 0;
  while (i < 31) {
    passed += bars[i] & 0xffffu;
    if (passed > wanted) {
      break;
    }
    ++i;
  }
  return i;
}

void smooth_bars(inout uint bars[32], int rounds) {
  for (int round = 0; round < rounds; ++round) {
    uint before = bars[0];
    for (int i = 1; i < 31; ++i) {
      uint now = bars[i];
      bars[i] = (before + 2u * now + bars[i + 1] + 2u) / 4u;
      before = now;
    }
  }
}

void count(int value, int bin) {
  atomicAdd(local_counts[bin & 31], 1u);
  atomicMin(local_low, value);
  atomicMax(local_high, value);
  if ((value & 1) != 0) {
    uint old = atomicXor(odd_ones, 1u << (bin & 31));
    if ((old & 255u) == 255u) {
      atomicAnd(odd_ones, 0xffffff00u);
    }
  }
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  if (lane < 32u) {
    local_counts[lane] = 0u;
  }
  if (lane == 0u) {
    local_low = 2147483647;
    local_high = -2147483647;
  }
  memoryBarrierShared();
  barrier();
  int value = samples[gl_GlobalInvocationID.x % uint(samples.length())];
  count(value, log_bin(value));
  count(value, named_bin(value));
  count(value, range_bin(value, ivec4(-10, 0, 10, 100)));
  memoryBarrierShared();
  barrier();
  if (lane < 32u) {
    atomicAdd(counts[lane], local_counts[lane]);
  }
  if (lane != 0u) {
    return;
  }
  atomicMin(lowest, local_low);
  atomicMax(highest, local_high);
  uint bars[32] = local_counts;
  smooth_bars(bars, 2);
  ivec2 peak = tallest(bars, 3);
  uint mark = uint(peak.x) << 16 | uint(quantile(bars, 128u));
  uint seen = last_writer;
  for (int tries = 0; tries < 8; ++tries) {
    uint old = atomicCompSwap(last_writer, seen, mark + gl_WorkGroupID.x);
    if (old == seen) {
      break;
    }
    seen = old;
  }
  atomicExchange(last_writer, mark);
}
