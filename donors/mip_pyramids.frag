#version 450
// SPDX-License-Identifier: Apache-2.0
// Walks over mip levels: the level for a footprint, the sides of all levels, sums by few texels of
// large levels, cones through a pyramid of heights, and a quadtree that is refined where it is rough.
layout(location = 0) in vec2 place;
layout(location = 1) flat in ivec2 seat;
layout(location = 0) out vec4 colour;

layout(set = 0, binding = 0) uniform sampler2D heights;
layout(set = 0, binding = 1) uniform usampler2DArray masks;
layout(set = 0, binding = 2) uniform Walk {
  ivec4 corner;
  vec4 slope;
  int most;
  float rough;
} walk;

int level_for(int side, int last) {
  int level = 0;
  while (side > 1 && level < last) {
    side = (side + 1) >> 1;
    ++level;
  }
  return level;
}

// Where a level begins if all levels lie in one row of texels.
int start_of(ivec2 size, int level) {
  int start = 0;
  for (int i = 0; i < min(level, 14); ++i) {
    start += size.x * size.y;
    if (size.x == 1 && size.y == 1) {
      break;
    }
    size = max(size >> 1, 1);
  }
  return start;
}

ivec3 cell_at(int number, ivec2 size) {
  for (int level = 0; level < 12; ++level) {
    int texels = size.x * size.y;
    if (number < texels) {
      return ivec3(number % size.x, number / size.x, level);
    }
    number -= texels;
    size = max(size >> 1, 1);
  }
  return ivec3(0, 0, -1);
}

// The sum over a row of `count` cells from `from` on, by the largest blocks that fit.
float row_sum(int from, int count, int row) {
  float sum = 0.0;
  int level = 0;
  int levels = textureQueryLevels(heights);
  while (count > 0) {
    int block = 1 << level;
    bool grows = level + 1 < levels && (from & block) == 0 && count >= 2 * block;
    if (grows) {
      ++level;
      continue;
    }
    if (count < block || (from & (block - 1)) != 0) {
      --level;
      continue;
    }
    sum += texelFetch(heights, ivec2(from >> level, row >> level), level).x * float(block);
    from += block;
    count -= block;
  }
  return sum;
}

// Goes along a ray as far as no height of the coarse levels is above it.
int cone(vec2 at, vec2 way, float up) {
  int level = max(textureQueryLevels(heights) - 2, 0);
  int steps = 0;
  float ray = 0.0;
  for (; steps < 24; ++steps) {
    float side = float(1 << level);
    float ground = textureLod(heights, at, float(level)).x;
    if (ground > ray) {
      if (level == 0) {
        return steps;
      }
      --level;
      continue;
    }
    at += way * side;
    ray += up * side;
    if (any(lessThan(at, vec2(0.0))) || any(greaterThan(at, vec2(1.0)))) {
      return -steps;
    }
    if ((steps & 3) == 3) {
      ++level;
    }
    level = min(level, textureQueryLevels(heights) - 1);
  }
  return steps;
}

uint bits_of(ivec3 cell) {
  ivec3 size = textureSize(masks, max(cell.z, 0));
  ivec3 at = ivec3(min(cell.xy, size.xy - 1), seat.x % max(size.z, 1));
  return texelFetch(masks, at, max(cell.z, 0)).x;
}

// How many cells a quadtree has in which cells with mixed bits are divided.
int refined(int level) {
  int cells = 0;
  int pending[16];
  int used = 1;
  pending[0] = level << 8;
  do {
    int cell = pending[--used];
    int at = cell >> 8;
    uint bits = bits_of(ivec3(cell & 15, cell >> 4 & 15, at));
    ++cells;
    bool mixed_bits = bits != 0u && bits != 255u;
    if (!mixed_bits || at == 0 || used > 12) {
      continue;
    }
    for (int k = 0; k < 4; ++k) {
      int x = (cell & 15) * 2 + (k & 1), y = (cell >> 4 & 15) * 2 + (k >> 1);
      pending[used++] = (at - 1) << 8 | (y & 15) << 4 | (x & 15);
    }
  } while (used > 0 && cells < 40);
  return cells;
}

vec3 blended(vec2 at, float wide) {
  vec3 sum = vec3(0.0);
  float weight = 1.0;
  for (int i = 0; i < 4; ++i) {
    sum += weight * textureGrad(heights, at, vec2(wide, 0.0), vec2(0.0, wide)).xyz;
    wide *= 2.0;
    weight *= 0.5;
  }
  return sum;
}

void main() {
  vec3 soft = texture(heights, place, walk.slope.w).xyz + blended(place, walk.slope.z);
  int level = level_for(walk.corner.z, walk.most);
  int number = start_of(textureSize(heights, 0), level) + seat.y;
  ivec3 cell = cell_at(number, textureSize(heights, 0));
  float sum = row_sum(walk.corner.x, walk.most, walk.corner.y);
  int way = cone(place, walk.slope.xy, walk.rough) + refined(min(level, 3));
  colour = vec4(soft * sum, float(way + cell.z) * 0.0625);
}
