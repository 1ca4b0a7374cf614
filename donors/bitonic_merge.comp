#version 450
// SPDX-License-Identifier: Apache-2.0
// Sorting in a workgroup and alone: a bitonic network in shared memory with barriers, its size a
// spec constant, and for small arrays heaps, shells, counting and a merge from below.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint kGroup = 32;
layout(constant_id = 1) const bool kDescending = false;

layout(std430, set = 0, binding = 0) buffer Keys { uint keys[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Sums { uvec4 sums[]; };

shared uint tile[kGroup * 2];

void sift_down(inout int heap[12], int root, int count) {
  int at = root;
  for (;;) {
    int child = at * 2 + 1;
    if (child >= count) {
      return;
    }
    if (child + 1 < count && heap[child + 1] > heap[child]) {
      ++child;
    }
    if (heap[at] >= heap[child]) {
      break;
    }
    int kept = heap[at];
    heap[at] = heap[child];
    heap[child] = kept;
    at = child;
  }
}

int shell_sort(uvec4 start, int wanted) {
  int values[12];
  uint mixed = start.x | 1u;
  for (int i = 0; i < 12; ++i) {
    mixed = mixed * 0x2545f491u + start[i & 3];
    values[i] = int(mixed >> 20);
  }
  const int gaps[3] = int[3](5, 3, 1);
  int moves = 0;
  for (int g = 0; g < 3; ++g) {
    int gap = gaps[g];
    for (int i = gap; i < 12; ++i) {
      int value = values[i];
      int j = i;
      while (j >= gap) {
        if (values[j - gap] <= value) {
          break;
        }
        values[j] = values[j - gap];
        j -= gap;
        ++moves;
      }
      values[j] = value;
    }
  }
  return values[wanted] * 64 + moves;
}

void counting_sort(inout uint values[16], uint mask) {
  uint zeros[16];
  uint ones[16];
  int zero_count = 0;
  int one_count = 0;
  for (int i = 0; i < 16; ++i) {
    if ((values[i] & mask) != 0u) {
      ones[one_count++] = values[i];
    } else {
      zeros[zero_count++] = values[i];
    }
  }
  int at = 0;
  for (; at < zero_count; ++at) {
    values[at] = zeros[at];
  }
  for (int i = 0; i < one_count && at < 16; ++i) {
    values[at++] = ones[i];
  }
}

// Merges runs that double: after it every fourth, then eighth, then sixteenth begins a sorted run.
int merge_from_below(inout ivec4 quarters[4]) {
  int from[16];
  int to[16];
  for (int i = 0; i < 16; ++i) {
    from[i] = quarters[i >> 2][i & 3];
  }
  int compared = 0;
  for (int run = 1; run < 16; run += run) {
    for (int start = 0; start < 16; start += 2 * run) {
      int left = start;
      int right = start + run;
      for (int i = start; i < start + 2 * run; ++i) {
        bool take_left;
        if (left >= start + run) {
          take_left = false;
        } else if (right >= start + 2 * run) {
          take_left = true;
        } else {
          take_left = from[left] <= from[right];
          ++compared;
        }
        to[i] = take_left ? from[left++] : from[right++];
      }
    }
    from = to;
  }
  for (int i = 0; i < 4; ++i) {
    quarters[i] = ivec4(from[4 * i], from[4 * i + 1], from[4 * i + 2], from[4 * i + 3]);
  }
  return compared;
}

void exchange(uint a, uint b, bool up) {
  uint low = min(tile[a], tile[b]);
  uint high = max(tile[a], tile[b]);
  tile[a] = up != kDescending ? low : high;
  tile[b] = up != kDescending ? high : low;
}

void bitonic_sort(uint lane) {
  for (uint block = 2u; block <= kGroup * 2u; block <<= 1) {
    for (uint reach = block >> 1; reach > 0u; reach >>= 1) {
      barrier();
      uint a = (lane / reach) * reach * 2u + lane % reach;
      exchange(a, a + reach, (a & block) == 0u);
    }
  }
  barrier();
}

void main() {
  uint lane = gl_LocalInvocationID.x;
  uint first = gl_WorkGroupID.x * kGroup * 2u;
  tile[lane] = keys[first + lane];
  tile[lane + kGroup] = keys[first + lane + kGroup];
  bitonic_sort(lane);
  keys[first + lane] = tile[lane];
  keys[first + lane + kGroup] = tile[lane + kGroup];

  int heap[12];
  for (int i = 0; i < 12; ++i) {
    heap[i] = int(tile[(lane + uint(i)) % (kGroup * 2u)]);
  }
  for (int i = 5; i >= 0; --i) {
    sift_down(heap, i, 12);
  }
  uint bits[16];
  for (int i = 0; i < 16; ++i) {
    bits[i] = uint(heap[i % 12]);
  }
  for (uint mask = 1u; mask < 256u; mask <<= 1) {
    counting_sort(bits, mask);
  }
  ivec4 quarters[4] = ivec4[4](ivec4(heap[0]), ivec4(heap[1]), ivec4(lane), ivec4(3, 2, 1, 0));
  int compared = merge_from_below(quarters);
  sums[gl_GlobalInvocationID.x] =
      uvec4(bits[3], compared, shell_sort(uvec4(bits[0], bits[1], bits[2], lane), 5), heap[0]);
}
