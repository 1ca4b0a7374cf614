#version 460
// SPDX-License-Identifier: Apache-2.0
// Matrix work as in a layer of a neural network: 64x64 results of A * B + bias, where A and B are
// made of small integers held in floats. Workgroups of 8x8 load tiles into shared memory; each
// invocation keeps a 2x2 block of results, which it passes through an activation that differs by
// workgroup and writes transposed. Along the way 4x4 blocks are multiplied as mat4, for a
// checksum.
//
// Stable: all floats are integers, |element| at most 8, so that sums over 48 products stay far
// below 2^24 and are exact in whatever order, fused or not. Scales are powers of two. A result is
// made not to be a zero, since the sign of zero is open.

layout(local_size_x = 8, local_size_y = 8) in;

const int kSize = 64;
const int kInner = 48;
const int kTile = 16;

layout(std140, set = 0, binding = 0) uniform Layer {
  ivec4 left;        // how A is made: two factors, a mask, a modulus
  ivec4 right;       // and B
  vec4 bias[4];      // by column modulo 16
  mat4 mixer;
  ivec2 bounds;      // of the clamp: -96, 160
  float half_unit;   // 0.5
  int depth;         // 48
  int side;          // 8, of a workgroup
};
layout(std430, set = 0, binding = 1) writeonly buffer Result { float result[kSize][kSize]; };
layout(std430, set = 0, binding = 2) writeonly buffer Checks { ivec4 checks[16][4]; };

shared float tile_a[kTile][kTile];
shared float tile_b[kTile][kTile + 1];
shared ivec4 rows[64];

struct Block {
  vec2 upper;
  vec2 lower;
};

// An integer from -8 to 8, many of them 0 where the mask says so.
float Element(ivec4 how, int row, int column) {
  int value = how.x * row + how.y * column + ((row * column) >> 2);
  if ((value & how.z) == how.z) return 0.0;
  return float(value % how.w - how.w / 2);
}

void LoadTiles(ivec2 lane, ivec2 corner, int inner) {
  for (int dy = 0; dy < kTile; dy += side) {
    for (int dx = 0; dx < kTile; dx += side) {
      int y = lane.y + dy;
      int x = lane.x + dx;
      tile_a[y][x] = Element(left, corner.y + y, inner + x);
      tile_b[y][x] = Element(right, inner + y, corner.x + x);
    }
  }
}

void Accumulate(inout Block block, ivec2 lane) {
  for (int k = 0; k < kTile; k++) {
    float above = tile_a[2 * lane.y][k];
    float below = tile_a[2 * lane.y + 1][k];
    vec2 across = vec2(tile_b[k][2 * lane.x], tile_b[k][2 * lane.x + 1]);
    if (above == 0.0 && below == 0.0) continue;
    block.upper += above * across;
    block.lower += across * below;
  }
}

// A 4x4 block of the tile, taken from row 4 * y and column 4 * x.
mat4 SmallBlock(int y, int x) {
  mat4 block;
  for (int column = 0; column < 4; column++) {
    int from = 4 * x + column;
    block[column] = vec4(tile_a[4 * y][from], tile_a[4 * y + 1][from], tile_a[4 * y + 2][from],
                         tile_a[4 * y + 3][from]);
  }
  return block;
}

ivec4 MixBlocks(ivec2 lane) {
  mat4 first = SmallBlock(lane.y & 3, lane.x & 3);
  mat4 product = lane.x > lane.y ? transpose(first) * mixer : mixer * first - 3.0 * first;
  vec4 folded = product * vec4(1.0, -2.0, 4.0, 3.0) + vec4(2.0, 5.0, -1.0, 1.0) * product;
  return ivec4(folded);
}

float Activate(float value, int kind, int column) {
  float moved = value + bias[(column >> 2) & 3][column & 3];
  switch (kind) {
    case 0:
      if (moved < 0.0) return moved * half_unit * 0.25;
      return moved * 2.0 + 1.0;
    case 1:
      moved = -moved;
      // falls through
    case 2:
      moved = clamp(moved, float(bounds.x), float(bounds.y));
      break;
    default:
      moved = abs(moved) - float(3 * column);
      break;
  }
  return moved + half_unit;
}

void Store(float value, int row, int column, int kind) {
  result[column][row] = Activate(value, kind, column);
}

void main() {
  ivec2 lane = ivec2(gl_LocalInvocationID.xy);
  ivec2 group = ivec2(gl_WorkGroupID.xy);
  ivec2 corner = group * kTile;
  // Workgroups above the diagonal leave the last tiles out.
  int inner_end = group.x > group.y ? depth - kTile : depth;

  Block block = Block(vec2(0.0), vec2(0.0));
  ivec4 check = ivec4(0);
  for (int inner = 0; inner < inner_end; inner += kTile) {
    LoadTiles(lane, corner, inner);
    barrier();
    Accumulate(block, lane);
    check = check * 3 + MixBlocks(lane);
    barrier();
  }

  int kind = (group.x + 2 * group.y) & 3;
  ivec2 at = corner + 2 * lane;
  Store(block.upper.x, at.y, at.x, kind);
  Store(block.upper.y, at.y, at.x + 1, kind);
  Store(block.lower.x, at.y + 1, at.x, kind);
  Store(block.lower.y, at.y + 1, at.x + 1, kind);

  int index = lane.y * 8 + lane.x;
  rows[index] = check;
  barrier();
  if (index < 4) {
    ivec4 sum = ivec4(index);
    for (int i = index; i < 64; i += 4) sum = sum * 5 + rows[i].wzyx;
    checks[group.y * 4 + group.x][index] = sum;
  }
}
