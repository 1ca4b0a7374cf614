#version 450
// SPDX-License-Identifier: Apache-2.0
// A game of life on the faces of a cube, and a light that spreads over it: neighbours over edges,
// turned coordinates, and sums of directions. The cube is sampled, and kept as layers of an image
// too.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform samplerCube light;
layout(set = 0, binding = 1, r32ui) uniform uimageCube cells;
layout(set = 0, binding = 2, r32ui) uniform writeonly uimage2DArray next_cells;
layout(std430, set = 0, binding = 3) buffer Sums { ivec4 sums[6]; };

const int kSide = 16;

struct Cell {
  int face;
  ivec2 at;
};

// The cell across an edge, where each face has its opposite three faces on.
Cell across_edge(Cell cell) {
  ivec2 at = cell.at;
  if (at.x < 0) {
    return Cell((cell.face + 1) % 6, ivec2(kSide - 1, kSide - 1 - clamp(at.y, 0, kSide - 1)));
  }
  if (at.x >= kSide) {
    return Cell((cell.face + 5) % 6, ivec2(0, clamp(at.y, 0, kSide - 1)));
  }
  if (at.y < 0) {
    return Cell((cell.face + 2) % 6, ivec2(at.x, kSide - 1));
  }
  if (at.y >= kSide) {
    return Cell((cell.face + 4) % 6, ivec2(kSide - 1 - at.x, 0));
  }
  return cell;
}

ivec2 turned(ivec2 at, int quarters) {
  for (int i = quarters & 3; i > 0; --i) {
    at = ivec2(kSide - 1 - at.y, at.x);
  }
  return at;
}

uint rule_of(uint alive, uint neighbours, uint rule) {
  uint shift = alive != 0u ? neighbours + 9u : neighbours;
  uint lives = rule >> (shift & 31u) & 1u;
  return lives == 0u ? 0u : min(alive + 1u, 7u);
}

vec3 direction_of(Cell cell) {
  vec2 at = (vec2(cell.at) * 2.0 + 1.0) * (1.0 / float(kSide)) - 1.0;
  vec3 to = vec3(1.0, at);
  switch (cell.face % 3) {
    case 1:
      to = to.zxy;
      break;
    case 2:
      to = to.yzx;
      break;
    default:
      break;
  }
  return cell.face < 3 ? to : -to;
}

uint neighbours_of(Cell cell) {
  uint count = 0u;
  for (int i = 0; i < 9; ++i) {
    if (i == 4) {
      continue;
    }
    Cell other = across_edge(Cell(cell.face, cell.at + ivec2(i % 3, i / 3) - 1));
    count += min(imageLoad(cells, ivec3(other.at, other.face)).x, 1u);
  }
  return count;
}

void main() {
  Cell cell = Cell(int(gl_WorkGroupID.z) % 6, ivec2(gl_GlobalInvocationID.xy) & (kSide - 1));
  uint alive = imageLoad(cells, ivec3(cell.at, cell.face)).x;
  uint next = rule_of(alive, neighbours_of(cell), 0x1808u);
  vec4 lit = textureLod(light, direction_of(cell), 0.0) * 255.0;
  imageStore(next_cells, ivec3(turned(cell.at, int(next)), cell.face), uvec4(next));
  atomicAdd(sums[cell.face].x, int(lit.x));
  atomicMax(sums[cell.face].y, int(next));
}
