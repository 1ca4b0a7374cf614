#version 450
// SPDX-License-Identifier: Apache-2.0
// Finds where water stands on a map of heights. One sampler takes the lowest of four texels, another the
// highest, so one sample sees the bounds of a square of four heights; samples of larger squares give the
// spill over the rim. Each place has four soundings, kept as the samples of an image: they are read, moved
// by the water that flows in from the neighbours, and written back.
//
// Exact: a minimum of texels is one of the texels, and squares are sampled at their middle.
layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0) uniform sampler2D lowest;
layout(set = 0, binding = 1) uniform sampler2D highest;
layout(set = 0, binding = 2, rgba8ui) uniform uimage2DMS soundings;
layout(std140, set = 0, binding = 3) uniform Map {
  ivec4 rain[4];  // amount, slope, reach, hurry
  ivec4 banks;    // side of the map, shift, level of the sea, seed
} map;
layout(std430, set = 0, binding = 4) buffer Basins {
  uint water[16];
  int deepest[16];
} basins;

shared int rim[64];

struct Place {
  ivec2 at;
  int low, high;  // of the four heights around its lower right corner
  ivec4 rain;
};

int Height(float level) {
  return int(level * 255.0 + 0.5);
}

Place PlaceAt(ivec2 at) {
  vec2 corner = vec2(at + 1) / float(map.banks.x);
  int low = Height(textureLod(lowest, corner, 0.0).r);
  int high = Height(textureLod(highest, corner, 0.0).r);
  return Place(at, low, high, map.rain[(at.x / 4 + at.y) & 3]);
}

// The way over the lowest rim, looking further and further away.
int Spill(Place place) {
  int over = place.high;
  for (int away = 1; away <= place.rain.z; ++away) {
    ivec2 side = (away & 1) != 0 ? ivec2(away, -away) : ivec2(-away, away + 1);
    vec2 corner = vec2(place.at + side + 1) / float(map.banks.x);
    int there = Height(textureLod(highest, corner, 0.0).r);
    if (there < over) over = there;
    if (over <= place.low) return place.low;
  }
  return over;
}

uvec4 Moved(uvec4 sounding, int number, int depth) {
  uint silt = uint(depth >> (number & 3));
  uvec4 moved = sounding;
  if ((number & 1) == 0) {
    moved.xy = moved.yx;
    moved.z = (moved.z + silt) & 255u;
  } else {
    moved.w = moved.w ^ silt & 255u;
    moved.x = moved.x / 2u + min(silt, 120u);
  }
  return moved;
}

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  int own = int(gl_LocalInvocationIndex);
  Place place = PlaceAt(at);
  rim[own] = Spill(place);
  barrier();
  int beside = rim[own ^ 1], below = rim[own ^ 8];
  int level = min(rim[own], max(beside, below) - place.rain.y);
  int depth = max(level - place.low, 0) + (level < map.banks.z ? map.banks.z - level : 0);

  uint taken = 0u;
  for (int i = 0; i < imageSamples(soundings); ++i) {
    uvec4 sounding = imageLoad(soundings, at, i);
    if (int(sounding.y) + map.banks.w > 300 + depth) continue;
    uvec4 moved = Moved(sounding, i + place.rain.w, depth);
    imageStore(soundings, at, i, moved);
    taken += moved.z + 1u;
  }
  int basin = at.x / 6 + at.y / 5 & 15;
  atomicAdd(basins.water[basin], taken * uint(1 + place.rain.x));
  atomicMax(basins.deepest[basin], depth * 8 + (beside & 7));
}
