#version 450
// SPDX-License-Identifier: Apache-2.0
// Traversal: a walk through a grid of voxels in bits cell by cell, a tree of halves of space in an
// array with a stack, a spatial hash, visibility on a board, and beams on a grid that turn at
// mirrors.
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 color;

struct Beam {
  ivec2 at;
  ivec2 way;
  int strength;
};

struct Cut {
  int axis;
  float at;
  int below, above;
};

struct Visit {
  int node;
  vec2 span;
};

layout(std140, set = 0, binding = 0) uniform Scene {
  uvec4 bricks[8];
  Cut cuts[15];
  vec4 eye;
};

// Steps along a line of cells from `from`, in whole numbers: each axis keeps its error.
int cells_crossed(ivec3 from, ivec3 way, uint solid) {
  ivec3 size = abs(way);
  ivec3 step_of = sign(way);
  ivec3 at = from;
  ivec3 error = size;
  int steps = 0;
  while (steps < 24) {
    int cell = (at.x & 3) + (at.y & 3) * 4 + ((at.z & 1) << 4);
    uint mask = 1u;
    for (int i = 0; i < cell; ++i) {
      mask += mask;
    }
    if ((solid & mask) != 0u) {
      break;
    }
    int axis = error.x >= error.y ? (error.x >= error.z ? 0 : 2) : (error.y >= error.z ? 1 : 2);
    at[axis] += step_of[axis];
    error[axis] -= size.x + size.y + size.z;
    error += size;
    ++steps;
  }
  return steps;
}

uint spatial_hash(ivec3 cell) {
  uvec3 parts = uvec3(cell) * uvec3(73856093u, 19349663u, 83492791u);
  uint hash = parts.x ^ parts.y ^ parts.z;
  hash ^= hash >> 15;
  return hash % 61u;
}

// Which of eight rows are seen past obstacles, in slopes of eighths.
uint seen_rows(ivec4 low, ivec4 high) {
  int horizon = -1000;
  uint seen = 0u;
  for (int row = 1; row <= 8; ++row) {
    int height = row <= 4 ? low[row - 1] : high[row - 5];
    seen += seen;
    int slope = height * 8;
    int steps = 0;
    while (steps < row - 1 && slope > horizon) {
      slope -= height;
      ++steps;
    }
    if (slope <= horizon) {
      continue;
    }
    seen |= 1u;
    horizon = slope;
    if (height > 20) {
      break;
    }
  }
  return seen;
}

// Where a beam leaves a board of 8 x 8; two bits a cell: empty, both mirrors, wall.
int beam_exit(uvec4 board, int row) {
  ivec2 at = ivec2(0, row & 7);
  ivec2 way = ivec2(1, 0);
  for (int steps = 0; steps < 40; ++steps) {
    if (((at.x | at.y) & ~7) != 0) {
      return (at.x & 15) * 16 + (at.y & 15);
    }
    uint word = board[at.y >> 1];
    int place_in_word = (at.y & 1) * 8 + at.x;
    for (int i = 0; i < place_in_word; ++i) {
      word >>= 2;
    }
    switch (word & 3u) {
      case 1u:
        way = way.yx;
        break;
      case 2u:
        way = -way.yx;
        break;
      case 3u:
        return -steps;
    }
    at += way;
  }
  return 1000;
}

bool bounce(inout Beam beam, int wall) {
  if (beam.strength-- <= 0) {
    return false;
  }
  beam.at += beam.way;
  if (abs(beam.at.x) > wall) {
    beam.way.x = -beam.way.x;
  } else if (abs(beam.at.y) > wall) {
    beam.way.y = -beam.way.y;
  } else {
    return true;
  }
  beam.strength -= 2;
  return beam.strength > 0;
}

int halves_of_space(vec3 origin, vec3 way) {
  Visit stack[8];
  int height = 0;
  Visit now = Visit(0, vec2(0.0, 16.0));
  for (int guard = 0; guard < 64; ++guard) {
    if (now.node < 0) {
      if ((now.node & 1) != 0) {
        return ~now.node;
      }
      if (height == 0) {
        break;
      }
      now = stack[--height];
      continue;
    }
    Cut cut = cuts[now.node % 15];
    float from = origin[cut.axis % 3];
    float slope = way[cut.axis % 3];
    float crossing = abs(slope) < 1.0e-6 ? 1.0e6 : (cut.at - from) / slope;
    bool below_first = from < cut.at || (from == cut.at && slope <= 0.0);
    int near = below_first ? cut.below : cut.above;
    int far = below_first ? cut.above : cut.below;
    if (crossing < 0.0 || crossing > now.span.y) {
      now.node = near;
    } else if (crossing < now.span.x) {
      now.node = far;
    } else {
      if (height < 8) {
        stack[height++] = Visit(far, vec2(crossing, now.span.y));
      }
      now = Visit(near, vec2(now.span.x, crossing));
    }
  }
  return -1;
}

void main() {
  vec3 way = vec3(place - 0.5, 1.0);
  int leaf = halves_of_space(eye.xyz, way);
  ivec3 cell = ivec3(floor(eye.xyz + way));
  uvec4 brick = bricks[cell.x & 7];
  int steps = cells_crossed(cell, ivec3(way * 64.0), brick.x);
  Beam beam = Beam(cell.xy, ivec2(1, 2), 20);
  int bounces = 0;
  while (bounce(beam, 5)) {
    ++bounces;
  }
  uint seen = seen_rows(ivec4(brick & 31u), ivec4(brick >> 5 & 31u));
  uint mixed = spatial_hash(cell) + seen + uint(steps * 4 + beam_exit(brick, cell.y) + bounces);
  color = vec4(float(mixed & 255u) * (1.0 / 255.0), float(leaf & 15) * 0.0625, 0.0, 1.0);
}
