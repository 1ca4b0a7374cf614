#version 460
// SPDX-License-Identifier: Apache-2.0
// Light that comes by way of other things: one lamp of many is chosen by chance, the best of several
// choices is kept with its weight, rays look for what is in between, and mirrors send them on. What
// is found is a colour and a word of notes.
#extension GL_EXT_ray_query : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(location = 0) in vec4 place;
layout(location = 1) in vec3 facing;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec2 notes;
layout(set = 0, binding = 1) uniform Lamps {
  vec4 lamps[8];  // where, and how bright
  vec4 tints[4];
  uint count;
  uint mask;
  float longest;
};

struct Choice {
  uint lamp;
  float weight;
  float sum;
  uint seen;
};

uint drawn(inout uint state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

float part_of(uint number) { return float(number >> 8) / 16777216.0; }

// The entry of a table that holds the share, found by halving.
int chosen_entry(float starts[8], float share) {
  int low = 0, high = 7;
  while (low < high) {
    int middle = (low + high + 1) >> 1;
    if (starts[middle] <= share) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// Looks at one more lamp, and keeps it with a chance by its weight.
void consider(inout Choice best, uint lamp, float weight, float chance) {
  best.sum += weight;
  ++best.seen;
  if (best.sum <= 0.0) {
    return;
  }
  if (chance * best.sum < weight) {
    best.lamp = lamp;
    best.weight = weight;
  }
}

// Two choices as one; the second one only if it fits the place.
Choice merged(Choice one, Choice other, bool fits, float chance) {
  Choice both = one;
  if (!fits || other.seen == 0u) {
    return both;
  }
  uint seen = one.seen + min(other.seen, 20u * max(one.seen, 1u));
  consider(both, other.lamp, other.weight * float(other.seen), chance);
  both.seen = seen;
  return both;
}

vec3 mirrored(vec3 way, vec3 normal, float rough, uint number) {
  vec3 straight = way - 2.0 * dot(way, normal) * normal;
  vec3 spread = vec3(number & 255u, number >> 8 & 255u, number >> 16 & 255u) / 255.0 - 0.5;
  vec3 found = straight + spread * rough;
  return dot(found, normal) > 0.0 ? found : straight;
}

// The share of light that glass mirrors, for two ratios of refraction; all of it beyond an angle.
float glass_share(float slope, float ratio) {
  float inside = 1.0 - ratio * ratio * (1.0 - slope * slope);
  if (inside <= 0.0) {
    return 1.0;
  }
  float other = sqrt(inside);
  float first = (ratio * slope - other) / max(ratio * slope + other, 0.001);
  float second = (slope - ratio * other) / max(slope + ratio * other, 0.001);
  return clamp(0.5 * (first * first + second * second), 0.0, 1.0);
}

// What is between a place and a lamp: 255 for nothing.
uint blocker(vec3 from, vec3 to, out float apart) {
  rayQueryEXT ray;
  rayQueryInitializeEXT(ray, scene, gl_RayFlagsTerminateOnFirstHitEXT, mask, from, 0.01, to, 1.0);
  while (rayQueryProceedEXT(ray)) {
    uint type = rayQueryGetIntersectionTypeEXT(ray, false);
    if (type == gl_RayQueryCandidateIntersectionAABBEXT) {
      rayQueryGenerateIntersectionEXT(ray, 0.5);
    } else if (rayQueryGetIntersectionFrontFaceEXT(ray, false)) {
      rayQueryConfirmIntersectionEXT(ray);
    }
  }
  apart = length(to);
  if (rayQueryGetIntersectionTypeEXT(ray, true) == gl_RayQueryCommittedIntersectionNoneEXT) {
    return 255u;
  }
  apart *= rayQueryGetIntersectionTEXT(ray, true);
  return uint(rayQueryGetIntersectionInstanceIdEXT(ray, true)) & 254u;
}

void main() {
  uint state = uint(gl_FragCoord.x) * 1973u ^ uint(gl_FragCoord.y) * 9277u ^ 0x68bc21ebu;
  float starts[8];
  float sum = 0.0;
  for (int i = 0; i < 8; ++i) {
    starts[i] = sum;
    sum += lamps[i].w;
  }
  Choice best = Choice(0u, 0.0, 0.0, 0u), second = best;
  for (uint i = 0u; i < min(count, 8u); ++i) {
    int lamp = chosen_entry(starts, part_of(drawn(state)) * sum);
    vec3 to = lamps[lamp].xyz - place.xyz;
    float weight = max(dot(facing, to), 0.0) / max(dot(to, to), 0.01);
    consider(best, uint(lamp), weight * lamps[lamp].w, part_of(drawn(state)));
    if ((i & 1u) == 1u) {
      consider(second, i, lamps[i].w, part_of(drawn(state)));
    }
  }
  best = merged(best, second, place.w > 0.5, part_of(drawn(state)));
  vec3 at = place.xyz, way = lamps[best.lamp & 7u].xyz - at, light = vec3(1.0);
  uint word = best.lamp;
  for (int bounce = 0; bounce < 3; ++bounce) {
    float apart;
    uint met = blocker(at, way, apart);
    word = word << 8 | met;
    if (met == 255u) {
      break;
    }
    light *= tints[met & 3u].rgb * glass_share(abs(dot(normalize(way + facing), facing)), 0.75);
    at += way * min(apart, longest);
    way = mirrored(way, facing, tints[met & 3u].a, drawn(state));
  }
  color = vec4(light * best.weight, 1.0);
  notes = uvec2(word, best.seen);
}
