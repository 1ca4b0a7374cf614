#version 450
// SPDX-License-Identifier: Apache-2.0
// Sand drifts over dunes in rows of sixteen columns, one row for each workgroup. Heights and grains are
// floats of 16 bits: wind picks grains up, the lee lets them fall, and slopes that are too steep slide.
// The wind of a place comes from a volume of texels, and its gusts from a sheet of an array.
//
// Exact: all floats of 16 bits are multiples of 1/8 of at most 256, and so are their sums. Texels are
// fetched, and their levels are integers. Barriers separate what a column reads from what it writes.
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_16bit_storage : require

layout(local_size_x = 16) in;

layout(set = 0, binding = 0) uniform usampler3D wind;        // 16 by 8 by 4
layout(set = 0, binding = 1) uniform isampler2DArray gusts;  // 16 by 8 by 3
layout(std430, set = 0, binding = 2) writeonly buffer Dunes { f16vec4 dunes[][16]; };
layout(std430, set = 0, binding = 3) buffer Counts { uint slides[8]; };
layout(push_constant) uniform Weather {
  int days;
  float steepest;  // eighths are exact
  uint season;
};

const int kColumns = 16;

shared float heights[kColumns];
shared float falling[kColumns];

struct Column {
  float16_t sand;
  float16_t carried;
  f16vec2 slope;  // to the left and to the right
};

float16_t Eighths(int count) { return float16_t(count) * float16_t(0.125); }

// Keeps a height in range; what is above falls off, and is counted.
float16_t Capped(float16_t height, inout uint lost) {
  if (height > float16_t(200.0)) {
    lost += uint(height) - 200u;
    return float16_t(200.0) + fract(height);
  }
  return max(height, float16_t(0.0));
}

int WindAt(int column, int day) {
  uvec4 texel = texelFetch(wind, ivec3(column, day & 7, int(season & 3u)), 0);
  int level = int(texel.x & 63u) - int(texel.y & 31u);
  switch (texel.z & 3u) {
    case 0u:
      return level;
    case 1u:
      level = -level;
      // falls through: a turned wind is weaker, too
    case 2u:
      return level >> 1;
    default:
      return abs(level) - int(texel.w >> 5);
  }
}

int GustAt(int column, int day) {
  ivec3 at = ivec3((column + day) & 15, day & 7, day % 3);
  ivec4 texel = texelFetchOffset(gusts, at & ivec3(14, 6, 3), 0, ivec2(1, 1));
  return (texel.x ^ texel.y) > 64 ? 3 : texel.z > 0 ? 1 : 0;
}

Column Picked(Column column, int strength) {
  float16_t most = min(column.sand, Eighths(40));
  float16_t grains = clamp(Eighths(strength), float16_t(0.0), most);
  column.sand -= grains;
  column.carried += grains;
  return column;
}

// Where the wind turns, it lets go of three quarters, rounded to eighths.
float16_t LetGo(inout Column column, bool lee) {
  float16_t share = lee ? column.carried * float16_t(0.75) : column.carried * float16_t(0.25);
  float16_t grains = floor(share * float16_t(8.0)) * float16_t(0.125);
  column.carried -= grains;
  return grains;
}

void main() {
  int at = int(gl_LocalInvocationID.x);
  uint row = gl_WorkGroupID.x;
  Column column = Column(Eighths((at * 37 + int(row) * 11) % 400), float16_t(0.0), f16vec2(0.0));
  uint lost = 0u, slid = 0u;
  for (int day = 0; day < days; day++) {
    int strength = WindAt(at, day + int(row)) + GustAt(at, day);
    column = Picked(column, strength);
    heights[at] = float(column.sand);
    falling[at] = float(LetGo(column, strength < 8));
    barrier();
    int left = (at + kColumns - 1) & (kColumns - 1), right = (at + 1) & (kColumns - 1);
    column.slope = f16vec2(heights[left], heights[right]) - column.sand;
    float16_t landed = float16_t(falling[strength < 0 ? right : left]);
    barrier();
    // Each column tells how much slides to its left and right; an eighth of the excess does.
    vec2 excess = max(vec2(column.slope) * -1.0 - steepest, 0.0);
    vec2 moved = floor(excess) * 0.125;
    heights[at] = moved.x;
    falling[at] = moved.y;
    barrier();
    float16_t arrived = float16_t(heights[right] + falling[left]);
    barrier();
    column.sand = Capped(column.sand + landed + arrived - float16_t(moved.x + moved.y), lost);
    if (any(greaterThan(moved, vec2(0.0)))) slid++;
    if (column.carried > float16_t(60.0)) {
      lost += uint(column.carried);
      column.carried = float16_t(1.5);
    }
  }
  dunes[row][at] = f16vec4(column.sand, column.carried, column.slope);
  atomicAdd(slides[row & 3u], slid);
  atomicAdd(slides[4u + (uint(at) & 3u)], lost);
}
