#version 450
// SPDX-License-Identifier: Apache-2.0
// Terrain in rings of detail: heights fetched from an image of integers, seams closed by snapping
// odd vertices, levels chosen by an octagonal distance, and quadtree keys made and taken apart.
layout(location = 0) in ivec2 grid;
layout(location = 0) out vec4 shade;
layout(location = 1) flat out uint key_out;

layout(set = 0, binding = 0) uniform isampler2D heights;
layout(set = 0, binding = 1) uniform sampler2DArray details;
layout(set = 0, binding = 2, std140) uniform View {
  layout(row_major) mat4x3 ground;
  ivec2 eye;
  int rings;
  float scale;
} view;

// Between the larger of both and their sum; at most 12 % too much.
int octagon_distance(ivec2 a, ivec2 b) {
  ivec2 way = abs(a - b);
  int longer = max(way.x, way.y);
  int shorter = min(way.x, way.y);
  if (shorter * 4 <= longer) {
    return longer + shorter / 4;
  }
  return (longer * 7 + shorter * 4) / 8;
}

int level_of(int distance, int most) {
  int level = 0;
  for (int reach = 16; reach <= distance; reach += reach) {
    if (level == most) {
      break;
    }
    ++level;
  }
  return level;
}

ivec2 snap_to_coarser(ivec2 at, int level, bvec4 coarser) {
  int unit = 1;
  for (int i = 0; i < level; ++i) {
    unit += unit;
  }
  ivec2 snapped = at;
  if (coarser.x || coarser.y) {
    if ((at.y & unit) != 0) {
      snapped.y -= unit;
      if (coarser.x && coarser.y) {
        snapped.x |= unit;
      }
    }
  } else if (any(coarser.zw)) {
    if ((at.x & unit) != 0) {
      snapped.x += coarser.z ? unit : -unit;
    }
  }
  return snapped & ivec2(~(unit - 1));
}

// Two bits a level under a leading one.
uint quad_key(ivec2 at, int depth) {
  uint key = 1u;
  ivec2 low = ivec2(-512);
  int side = 1024;
  while (depth-- > 0 && side > 1) {
    side >>= 1;
    uint child = 0u;
    if (at.x >= low.x + side) {
      child |= 1u;
      low.x += side;
    }
    if (at.y >= low.y + side) {
      child |= 2u;
      low.y += side;
    }
    key = key << 2 | child;
  }
  return key;
}

uint neighbour_key(uint key, int side) {
  uint bit = side < 2 ? 1u : 2u;
  uint wanted = (side & 1) == 0 ? 0u : bit;
  uint result = key;
  for (int level = 0; level < 15; ++level) {
    result ^= bit;
    if ((key & bit) == wanted) {
      continue;
    }
    if (bit > key >> 2) {
      return 0u;
    }
    break;
  }
  return result;
}

float height_at(ivec2 at, int level) {
  ivec2 size = textureSize(heights, 0);
  ivec2 wrapped = at & (size - 1);
  int fetched = texelFetch(heights, wrapped, min(level, 3)).x;
  float fine = textureLod(details, vec3(vec2(at) * 0.125, float(level)), float(level)).x;
  return float(fetched) * 0.0625 + fine;
}

void main() {
  int level = level_of(octagon_distance(grid, view.eye), view.rings);
  bvec4 coarser;
  for (int side = 0; side < 4; ++side) {
    ivec2 step = ivec2(side == 0 ? -1 : (side == 1 ? 1 : 0), side == 2 ? -1 : (side == 3 ? 1 : 0));
    coarser[side] = level_of(octagon_distance(grid + step * 8, view.eye), view.rings) > level;
  }
  ivec2 at = snap_to_coarser(grid, level, coarser);
  key_out = quad_key(at, 10 - level);
  key_out ^= neighbour_key(key_out, int(key_out & 3u));
  float height = height_at(at, level);
  shade = vec4(fract(height), float(level) * 0.25, view.scale, 1.0);
  gl_Position = vec4(view.ground * vec4(vec2(at), height * view.scale, 1.0), 1.0);
}
