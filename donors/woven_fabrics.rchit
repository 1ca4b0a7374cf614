#version 460
// SPDX-License-Identifier: Apache-2.0
// What a ray learns of a cloth that it hits: corners are fetched and unpacked, a weave tells which
// thread is above, knots are in the way, a dye runs from thread to thread, and the numbers of
// instances choose the pattern. The payload takes the tint and the next seed.
#extension GL_EXT_ray_tracing : require
layout(std430, set = 0, binding = 0) readonly buffer Corners { uvec2 corners[]; };
layout(std430, set = 0, binding = 1) readonly buffer Weaves { uint weaves[]; };
layout(set = 0, binding = 2) uniform Dyes {
  vec4 dyes[8];
  uvec4 bolts;  // the first weave of four kinds of cloth
  float scale;
};

struct Met {
  vec3 tint;
  float apart;
  uint glass;
  uint state;
};
layout(location = 0) rayPayloadInEXT Met met;
hitAttributeEXT vec2 across;

vec3 direction_of(uint code) {
  vec2 at = vec2(code & 0xffffu, code >> 16) / 32767.5 - 1.0;
  vec3 way = vec3(at, 1.0 - abs(at.x) - abs(at.y));
  if (way.z < 0.0) {
    float x = (1.0 - abs(way.y)) * (way.x < 0.0 ? -1.0 : 1.0);
    way.y = (1.0 - abs(way.x)) * (way.y < 0.0 ? -1.0 : 1.0);
    way.x = x;
  }
  return way;
}

vec3 between(vec3 values[3], vec2 where) {
  vec3 weights = vec3(1.0 - where.x - where.y, where);
  vec3 sum = vec3(0.0);
  for (int i = 0; i < 3; ++i) {
    if (weights[i] < 0.0) {
      return values[(i + 1) % 3];
    }
    sum += values[i] * weights[i];
  }
  return sum;
}

// Whether the warp is above the weft in a cell of a weave of up to eight by eight; a twill moves by
// one thread in each row, a satin by its step.
bool warp_above(ivec2 cell, uint weave) {
  int side = int(weave & 7u) + 1, step_size = int(weave >> 3 & 7u);
  ivec2 at = ivec2(cell.x % side, cell.y % side);
  at += ivec2(lessThan(at, ivec2(0))) * side;
  switch (weave >> 6 & 3u) {
    case 0u:
      return ((at.x + at.y) & 1) == 0;
    case 1u:
      return (at.x + at.y) % side < (side + 1) / 2;
    case 2u:
      return at.x == at.y * step_size % side;
    default:
      break;
  }
  uint row = weave >> 8 ^ uint(at.y) * 0x35u;
  return (row >> at.x & 1u) != 0u;
}

// How far the thread on top goes on without going under, up to seven cells.
int float_length(ivec2 cell, uint weave, bool warp) {
  int count = 1;
  ivec2 way = ivec2(1, 0);
  if (warp) {
    way = way.yx;
  }
  for (int turn = 0; turn < 2; ++turn) {
    ivec2 at = cell;
    while (count < 7) {
      at += way;
      if (warp_above(at, weave) != warp) {
        break;
      }
      ++count;
    }
    way = -way;
  }
  return count;
}

// The nearest knot of the cells around, as a distance in cells squared.
float nearest_knot(vec2 at, uint salt) {
  vec2 cell = floor(at);
  float least = 8.0;
  for (int i = 0; i < 9; ++i) {
    vec2 corner = cell + vec2(i % 3 - 1, i / 3 - 1);
    uint number = (uint(int(corner.x)) * 0x8da6b343u ^ uint(int(corner.y)) * 0xd8163841u) + salt;
    number ^= number >> 16;
    if ((number & 3u) != 0u) {
      continue;
    }
    vec2 knot = corner + vec2(number >> 8 & 255u, number >> 16 & 255u) / 255.0;
    least = min(least, dot(at - knot, at - knot));
  }
  return least;
}

// A dye that runs from thread to thread: each takes less, and none takes it past a dry thread.
vec3 run_dye(vec4 all[8], int from, uint dry) {
  vec3 tint = vec3(0.0);
  float strength = 1.0;
  for (int i = 0; i < 8; ++i) {
    int thread = (from + i) & 7;
    if ((dry >> thread & 1u) != 0u) {
      break;
    }
    tint += all[thread].rgb * strength * all[thread].a;
    strength *= 0.5;
  }
  return min(tint, vec3(1.0));
}

uint cloth_of(uint instance, uint geometry, uvec4 first) {
  uint kind = instance * 5u + geometry * 3u;
  kind ^= kind >> 4;
  return first[kind & 3u] + (geometry > 3u ? geometry - 3u : 0u);
}

void main() {
  vec3 facing[3];
  vec3 places[3];
  for (int i = 0; i < 3; ++i) {
    uvec2 corner = corners[3 * gl_PrimitiveID + i];
    facing[i] = direction_of(corner.x);
    places[i] = vec3(corner.y & 1023u, corner.y >> 10 & 1023u, corner.y >> 20) * scale;
  }
  vec3 at = between(places, across), normal = between(facing, across);
  uint weave = weaves[cloth_of(uint(gl_InstanceCustomIndexEXT), uint(gl_GeometryIndexEXT), bolts)];
  ivec2 cell = ivec2(floor(at.xy));
  bool warp = warp_above(cell, weave);
  int length_of = float_length(cell, weave, warp);
  vec3 tint = run_dye(dyes, warp ? cell.x : cell.y, weave >> 16);
  if (nearest_knot(at.xy, met.state) < 0.0625) {
    tint *= 0.5;
  }
  float shine = pow(max(abs(dot(normal, gl_WorldRayDirectionEXT)), 0.001), float(length_of));
  met = Met(tint + shine * 0.25, gl_HitTEXT, warp ? 1u : 0x80000001u,
            met.state * 747796405u + uint(gl_HitKindEXT));
}
