#version 450
// SPDX-License-Identifier: Apache-2.0
// Lays a wall of bricks in four bonds, running, Flemish, English and stacked, five courses each,
// and leans it: the lean's bits say below which courses it steps aside by a cell. Each vertex is
// told its brick, how far a one-dimensional automaton has spread moss to it, and where a crack,
// which walks down from the top by a shift register, is from it.
//
// Exact: all is integers until the corner is set, on whole pixels of a frame of 128; a cell that
// leans has sides that are diagonals and a diagonal that is upright.
layout(location = 0) flat out ivec4 brick;  // number, first column, columns, bond
layout(location = 1) flat out ivec2 decay;  // moss, distance of the crack
layout(location = 2) out vec2 wall_at;      // pixels of the upright wall, and a quarter

layout(std140, set = 0, binding = 0) uniform Wall {
  uint lean;
  uint rule;
  uint spores;
  uint cracks;
  ivec4 wall;  // columns, courses, courses of a bond, where the first column begins
} site;

uint Grown(uint row) {
  uint left = row << 1u | row >> 31u;
  uint right = row >> 1u | row << 31u;
  uint next = 0u;
  for (uint around = 0u; around < 8u; ++around) {
    if ((site.rule >> around & 1u) == 0u) continue;
    uint match = (around & 4u) != 0u ? left : ~left;
    match &= (around & 2u) != 0u ? row : ~row;
    match &= (around & 1u) != 0u ? right : ~right;
    next |= match;
  }
  return next;
}

// Generations that the moss at a column has been alive for, of those up to a course.
int Moss(int column, int course) {
  uint row = site.spores;
  int alive = 0;
  for (int i = 0; i <= course; ++i) {
    alive = (row >> uint(column & 31) & 1u) != 0u ? alive + 1 : 0;
    row = Grown(row);
  }
  return min(alive, 7);
}

int CrackAt(int course) {
  uint state = site.cracks;
  int column = site.wall.x / 2;
  for (int i = 0; i < course; ++i) {
    bool out_bit = (state & 1u) != 0u;
    state >>= 1u;
    if (out_bit) state ^= 0xb400u;
    int way = int(state & 3u);
    if (way == 0) continue;
    column += way == 3 ? -1 : way - 1;
    column = clamp(column, 1, site.wall.x - 1);
  }
  return column;
}

// Lengths of bricks repeat with a period; bit i of `starts` is set where one begins.
ivec3 BrickOf(int column, uint starts, int period) {
  int first = column;
  int length = 1;
  while (first > 0 && (starts >> uint(first % period) & 1u) == 0u) --first;
  for (int next = column + 1; next < column + period; ++next) {
    if ((starts >> uint(next % period) & 1u) != 0u) {
      length = next - first;
      break;
    }
  }
  return ivec3(first, length, first / period);
}

ivec3 Laid(int column, int course, int bond) {
  bool odd = (course & 1) != 0;
  switch (bond) {
    case 0: return BrickOf(column, odd ? 2u : 1u, 2);
    case 1: return BrickOf(column, odd ? 10u : 5u, 6);
    case 2: return BrickOf(column, odd ? 15u : 5u, 4);
    default: return BrickOf(column, 1u, 3);
  }
}

int LeanOf(int course) {
  int columns = 0;
  uint bits = site.lean & ((1u << uint(course)) - 1u);
  for (; bits != 0u; bits &= bits - 1u) ++columns;
  return columns;
}

void main() {
  int stride = site.wall.x + 1;
  int column = gl_VertexIndex % stride;
  int course = gl_VertexIndex / stride;
  int bond = course / site.wall.z;
  ivec3 laid = Laid(column, course, bond);
  brick = ivec4(course * 32 + laid.z * 8 + laid.y, laid.x, laid.y, bond);
  decay = ivec2(Moss(column, course), column - CrackAt(course));
  wall_at = vec2(ivec2(column, course) * 8) + 0.25;
  ivec2 pixel = ivec2(site.wall.w + 8 * (column + LeanOf(course)), 8 * course);
  gl_Position = vec4(vec2(pixel) * (1.0 / 64.0) - 1.0, 0.0, 1.0);
}
