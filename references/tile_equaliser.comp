#version 320 es
// SPDX-License-Identifier: Apache-2.0
// Local histogram equalisation: a noisy picture of 64x64 levels is cut into tiles of 16x16, one
// for each workgroup. A tile's histogram is counted in shared memory, clipped at a limit, what was
// cut off is dealt out again, and its running sum becomes a table of levels that the tile is
// redrawn by. Clipped histograms also go into one of the whole picture, by atomics in a buffer.
//
// Stable: integers only; counters only grow by atomic additions, which any order brings to the
// same sum; divisors are counts of pixels, never 0. The source is an image of 8-bit integers,
// fetched.
precision highp float;
precision highp int;
precision highp uimage2D;

layout(local_size_x = 4, local_size_y = 16) in;

const uint kBins = 64u;
const uint kTile = 16u;
const uint kStride = 16u;  // words in a row of the picture, four pixels each

struct Curve {
  uint offset;
  uint level[64];
};

layout(set = 0, binding = 0, rgba8ui) uniform readonly uimage2D source;
layout(std140, set = 0, binding = 1) uniform Setup {
  uint clip;        // 9
  uint top;         // 255
  uint quiet_from;  // 20
  uint four;        // 4
  uvec4 light;      // weights of red, green, blue; bias
};
layout(std430, set = 0, binding = 2) writeonly buffer Picture { uint picture[1024]; };
layout(std430, set = 0, binding = 3) buffer Whole { uint whole[64]; uint cut_off; uint brightest; };
layout(std430, set = 0, binding = 4) writeonly buffer Curves { Curve curves[16]; };

shared uint bins[kBins];
shared uint running[kBins];
shared uint excess;

// The level of a pixel, 0 to 255: a bright disc, a stripe that is dark, and noise on both.
uint LevelAt(ivec2 at) {
  uvec4 texel = imageLoad(source, at);
  uint level = (texel.x * light.x + texel.y * light.y + texel.z * light.z) >> 8u;
  ivec2 away = at - ivec2(24, 40);
  int square = away.x * away.x + away.y * away.y;
  if (square < 300) {
    level = level / 3u + uint(300 - square) / 2u + light.w;
  } else if (((at.x + 2 * at.y) & 31) < 9) {
    level = (level * level) >> 9u;
  } else {
    level = level / 2u + uint(at.x);
  }
  return min(level, top);
}

// Cuts this bin at the limit. The darkest may hold twice as much.
uint Clip(uint bin) {
  uint held = bins[bin];
  uint most = bin < quiet_from ? 2u * clip : clip;
  if (held <= most) return held;
  atomicAdd(excess, held - most);
  return most;
}

// A running sum over all bins; every invocation has one.
void Accumulate(uint bin, uint amount) {
  running[bin] = amount;
  barrier();
  for (uint reach = 1u; reach < kBins; reach *= 2u) {
    uint before = bin >= reach ? running[bin - reach] : 0u;
    barrier();
    running[bin] += before;
    barrier();
  }
}

// Where a level lies on the tile's curve, 0 to 255.
uint Equalise(uint level, uint lowest) {
  uint bin = level / four;
  uint whole_count = running[kBins - 1u];
  uint upto = running[bin];
  uint under = bin == 0u ? 0u : running[bin - 1u];
  uint part = (upto - under) * (level % four) / four;
  return (under + part - lowest) * top / (whole_count - lowest);
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uvec2 tile = gl_WorkGroupID.xy;
  uint tile_number = tile.y * gl_NumWorkGroups.x + tile.x;
  uvec2 corner = tile * kTile + uvec2(gl_LocalInvocationID.x * four, gl_LocalInvocationID.y);

  bins[lane] = 0u;
  if (lane == 0u) excess = 0u;
  barrier();

  uvec4 levels;
  for (uint i = 0u; i < 4u; i++) {
    levels[i] = LevelAt(ivec2(corner) + ivec2(int(i), 0));
    atomicAdd(bins[levels[i] / four], 1u);
  }
  barrier();

  uint kept = Clip(lane);
  barrier();
  // What was cut off is dealt out evenly; the remainder goes to bins a step apart.
  uint share = excess / kBins;
  uint rest = excess % kBins;
  kept += share;
  if (rest > 0u) {
    uint pace = max(kBins / rest, 1u);
    if (lane % pace == 0u && lane / pace < rest) kept++;
  }
  atomicAdd(whole[lane], kept * (tile_number + 1u));
  if (lane == share) {
    atomicAdd(cut_off, excess * excess);
    atomicMax(brightest, (excess << 8u) | tile_number);
  }

  Accumulate(lane, kept);
  uint lowest = running[0];
  uint packed = 0u;
  for (uint i = 0u; i < 4u; i++) packed |= Equalise(levels[i], lowest) << (8u * i);
  picture[corner.y * kStride + corner.x / four] = packed;

  uint sample_level = Equalise(lane * four + (lane & 3u), lowest);
  curves[tile_number].level[lane] = sample_level + (running[lane] << 16u);
  if (lane == 63u) curves[tile_number].offset = lowest * 65536u + rest;
}
