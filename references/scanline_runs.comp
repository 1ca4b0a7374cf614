#version 450
// SPDX-License-Identifier: Apache-2.0
// From image to image, a row of 64 pixels for each workgroup: a box filter smooths a noisy picture
// (columns are summed from the texture, rows by way of shared memory), the levels are cut down to
// a few, and the row is encoded as runs of equal pixels. The smooth picture goes to one storage
// image, a map of run starts to a second, whose texels workgroups share by atomics, and the runs
// to a buffer.
//
// Stable: the source is an image of 8-bit integers, fetched inside its bounds; sums and quotients
// are integers, and atomic additions and maxima come out the same in every order.

layout(local_size_x = 64) in;

const int kWidth = 64;
const int kMaxRadius = 4;

struct Run {
  uint start_and_length;
  uint color;
};

layout(set = 0, binding = 0) uniform usampler2D source;
layout(set = 0, binding = 1, rgba8ui) uniform writeonly uimage2D smoothed;
layout(set = 0, binding = 2, r32ui) uniform uimage2D starts_map;
layout(std140, set = 0, binding = 3) uniform Filter {
  ivec4 radii;      // by a row's number modulo 4
  uvec3 steps;      // how far apart the levels are that stay, by channel
  int height;       // 48
  ivec2 disc;       // where the picture has a disc
  int disc_square;  // its radius, squared
  uint one;         // 1
};
layout(std430, set = 0, binding = 4) writeonly buffer Runs { Run runs[][kWidth]; };
layout(std430, set = 0, binding = 5) writeonly buffer Lengths { uvec2 lengths[]; };

shared uvec3 column_sums[kWidth];
shared uint colors[kWidth];
shared int run_of[kWidth];   // how many runs have begun up to here
shared int starts[kWidth + 1];

uvec3 SourceAt(ivec2 at) {
  uvec3 texel = texelFetch(source, at, 0).xyz >> 1u;
  ivec2 away = at - disc;
  if (away.x * away.x + away.y * away.y < disc_square) {
    return (texel >> 2u) + uvec3(190u, 120u, 20u);
  }
  switch ((at.x / 12 + at.y / 9) % 3) {
    case 0:
      texel.x /= 3u;
      // falls through
    case 1:
      return uvec3(texel.x, texel.y / 5u + uint(3 * at.x), texel.z / 5u);
    default:
      return texel.zxy / uvec3(9u, 7u, 3u);
  }
}

// Sum of a column's pixels around a row, and how many there are.
uvec3 SumColumn(ivec2 at, int radius, out uint count) {
  uvec3 sum = uvec3(0u);
  count = 0u;
  for (int dy = -radius; dy <= radius; dy++) {
    int y = at.y + dy;
    if (y < 0) continue;
    if (y >= height) break;
    sum += SourceAt(ivec2(at.x, y));
    count += one;
  }
  return sum;
}

uvec3 Smooth(int x, int radius, uint rows) {
  uvec3 sum = column_sums[x];
  uint columns = one;
  for (int side = -1; side <= 1; side += 2) {
    for (int dx = 1; dx <= radius; dx++) {
      int other = x + side * dx;
      if (other < 0 || other >= kWidth) break;
      sum += column_sums[other];
      columns++;
    }
  }
  return sum / (columns * rows);
}

uint Pack(uvec3 level) {
  return bitfieldInsert(bitfieldInsert(level.x, level.y, 8, 8), level.z, 16, 8);
}

// Which number each run has, by doubling; where one begins is noted for it.
int NumberRuns(int x) {
  bool starts_here = x == 0 || colors[x] != colors[x - 1];
  run_of[x] = starts_here ? 1 : 0;
  barrier();
  for (int reach = 1; reach < kWidth; reach *= 2) {
    int sum = run_of[x];
    if (x >= reach) sum += run_of[x - reach];
    barrier();
    run_of[x] = sum;
    barrier();
  }
  if (starts_here) starts[run_of[x] - 1] = x;
  int total = run_of[kWidth - 1];
  if (x == 0) starts[total] = kWidth;
  barrier();
  return total;
}

void MarkStarts(int x, int row) {
  ivec2 cell = ivec2(x >> 3, row >> 3);
  ivec2 extent = imageSize(starts_map);
  if (starts[run_of[x] - 1] != x) return;
  imageAtomicAdd(starts_map, cell, 1u + (uint(x & 7) << 8u));
  ivec2 opposite = ivec2(extent.x - 1 - cell.x, extent.y / 2 + cell.y);
  imageAtomicMax(starts_map, opposite, colors[x] * 8u + uint(row & 7));
}

void main() {
  int x = int(gl_LocalInvocationID.x);
  int row = int(gl_WorkGroupID.x);
  int radius = radii[row & 3];

  uint rows;
  column_sums[x] = SumColumn(ivec2(x, row), radius, rows);
  barrier();
  uvec3 level = Smooth(x, radius, rows);
  imageStore(smoothed, ivec2(x, row), uvec4(level, 255u - uint(radius)));

  colors[x] = Pack(level / steps * steps);
  barrier();
  int total = NumberRuns(x);
  MarkStarts(x, row);

  if (x < total) {
    int start = starts[x];
    int length = starts[x + 1] - start;
    runs[row][x] = Run((uint(start) << 16u) | uint(length), colors[start]);
  } else {
    // Behind the runs: which of them the pixel is in.
    runs[row][x] = Run(uint(run_of[x]) << 24u, colors[x - total]);
  }
  if (x == total - 1) lengths[row] = uvec2(total, starts[x]);
}
