#version 450
// SPDX-License-Identifier: Apache-2.0
// Hangs frames on a wall: each is a square of two triangles, instanced with its place, its size and its
// kind. The corners are on sixteenths of a pixel. A frame passes on where it is, for each sample, and flat
// what it is made of.
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

ivec2 Hung(ivec2 at, int side, int kind) {
  ivec2 moved = at;
  for (int i = 0; i < (kind & 3); ++i) moved += ivec2(side / 8, -wall.tilt[i] & ~3);
  return min(moved, wall.room.xy - side);
}

void main() {
  int kind = hung.w & 3, side = hung.z;
  if (wall.tilt[kind] < 0) side -= 32;
  ivec2 first = Hung(hung.xy, side, kind);
  ivec2 at = first + corner * side;
  inside = vec2(corner * side);
  wood = ivec4(kind, side, gl_InstanceIndex, wall.gold[kind].y * 16 + (first.x & 15));
  gl_Position = vec4(vec2(at) * wall.unit - 1.0, 0.5, 1.0);
}
