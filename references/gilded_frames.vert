#version 450
// SPDX-License-Identifier: Apache-2.0
// Hangs frames on a wall: each is a square of two triangles, instanced with its place, its size and its
// kind. The corners are on sixteenths of a pixel. A frame that is hung swings until its force is spent,
// and settles on the nearest rail that holds its kind. A frame passes on where it is, for each sample, and
// flat what it is made of.
layout(location = 0) in ivec2 corner;  // 0 or 1
layout(location = 1) in ivec4 hung;    // x and y in sixteenths of a pixel, side, kind
layout(location = 0) out vec2 inside;
layout(location = 1) flat out ivec4 wood;

layout(std140, set = 0, binding = 1) uniform Wall {
  ivec4 tilt;      // of the kinds
  ivec4 gold[4];   // level, width of the frame, shine, wear
  ivec4 room;      // width and height in sixteenths, light, dust
  float unit;      // of places: 2 / width, which is exact
} wall;

// How many kinds have less gold than this one.
int RankOf(int kind) {
  int rank = 0;
  for (int i = 0; i < 4; ++i) {
    bool less = wall.gold[i].x < wall.gold[kind].x;
    bool same = wall.gold[i].x == wall.gold[kind].x;
    if (less || (same && i < kind)) ++rank;
  }
  return rank;
}

// The side after years: each bit of the wear takes a part of it.
int WornSide(int side, int kind) {
  int left = side;
  for (int bit = 0; bit < 3; ++bit) {
    if ((wall.gold[kind].w >> bit & 1) == 1) left -= 3 << bit;
  }
  if (wall.tilt[kind] < 0) left -= 24;
  return max(left & ~3, 64);
}

// Swings from side to side; dust takes some of the force each time.
ivec2 Swing(ivec2 at, int force) {
  ivec2 moved = at;
  int left = force;
  for (int swing = 0; swing < 10; ++swing) {
    moved.x += (swing & 1) == 0 ? left : -left;
    moved.y += left * left / 96;
    left -= max(left / 4, wall.room.w / 16);
    if (left <= 0) break;
  }
  return moved;
}

// The rail below: rails are 90 sixteenths apart, and the last two hold heavy kinds only.
int RailBelow(int y, int rank) {
  int rail = 0;
  for (int i = 0; i < 5; ++i) {
    bool holds = i < 3 || rank > 1;
    int at = i * 90 + rank * 5;
    if (holds && abs(at - y) < abs(rail - y)) rail = at;
  }
  return rail;
}

void main() {
  int kind = hung.w & 3, rank = RankOf(kind);
  int side = WornSide(hung.z, kind);
  ivec2 first = Swing(hung.xy, abs(wall.tilt[kind]) + rank);
  if (rank != 2) first.y = (first.y * 3 + RailBelow(first.y, rank)) / 4;
  first = clamp(first, ivec2(0), wall.room.xy - side);
  ivec2 at = first + corner * side;
  inside = vec2(corner * side);
  wood = ivec4(kind, side, gl_InstanceIndex, wall.gold[kind].y * 16 + (first.x & 15));
  gl_Position = vec4(vec2(at) * wall.unit - 1.0, 0.5, 1.0);
}
