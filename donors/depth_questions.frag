#version 450
// SPDX-License-Identifier: Apache-2.0
// Depth images that answer by comparison: filters of several answers, a search by halves,
// silhouettes from gathered answers, and lights in arrays and cubes. What is done with the answers
// needs no image.
layout(location = 0) in vec4 place;
layout(location = 1) flat in ivec2 lamp;
layout(location = 0) out vec4 color;
layout(location = 1) out ivec4 found;

layout(set = 0, binding = 0) uniform sampler2DShadow one_map;
layout(set = 0, binding = 1) uniform sampler2DArrayShadow cascades;
layout(set = 0, binding = 2) uniform samplerCubeShadow around;

// Where to sample in a disk: the turns of a spiral, in sixteenths.
vec2 spiral_step(int i, int turn) {
  int angle = (i * 5 + turn) & 7;
  vec2 way = vec2(1.0, 0.0);
  if ((angle & 1) != 0) {
    way = vec2(0.75, 0.75);
  }
  for (int quarter = angle >> 1; quarter > 0; --quarter) {
    way = vec2(-way.y, way.x);
  }
  return way * (float(i) * 0.0625);
}

// Which border of a cell a silhouette crosses, from the answers at its corners.
int crossing_of(vec4 answers, float half_way) {
  int corners = 0;
  for (int i = 0; i < 4; ++i) {
    corners = corners * 2 + (answers[i] > half_way ? 1 : 0);
  }
  if (corners == 0 || corners == 15) {
    return -1;
  }
  int first = findLSB(corners), last = findMSB(corners);
  return (first * 4 + last) ^ ((corners >> 1 & corners) != 0 ? 16 : 0);
}

float bias_for(float slope, int cascade) {
  float bias = 0.0005;
  while (cascade-- > 0 && bias < 0.01) {
    bias *= 2.0;
  }
  return bias * clamp(1.0 + slope * slope, 1.0, 8.0);
}

int cascade_at(float distance_to) {
  const float ends[4] = float[4](4.0, 12.0, 40.0, 160.0);
  for (int i = 0; i < 4; ++i) {
    if (distance_to < ends[i]) {
      return i;
    }
  }
  return 3;
}

float filtered(vec3 at, int samples) {
  float lit = 0.0;
  for (int i = 0; i < min(samples, 12); ++i) {
    lit += textureLod(one_map, vec3(at.xy + spiral_step(i, samples), at.z), 0.0);
  }
  return lit / float(max(samples, 1));
}

float depth_by_halves(vec2 at) {
  float low = 0.0, high = 1.0;
  for (int i = 0; i < 8; ++i) {
    float middle = 0.5 * (low + high);
    if (textureLod(one_map, vec3(at, middle), 0.0) > 0.5) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

void main() {
  int cascade = cascade_at(place.w);
  float bias = bias_for(place.z, cascade);
  vec4 gathered = textureGather(one_map, place.xy, place.z - bias);
  float lit = texture(cascades, vec4(place.xy, float(cascade), place.z));
  lit += filtered(place.xyz, lamp.x);
  lit += texture(around, vec4(place.xyz, 0.5)) + textureProj(one_map, place);
  lit += textureOffset(one_map, place.xyz, ivec2(-1, 1));
  color = vec4(lit * 0.2, depth_by_halves(place.xy), bias, 1.0);
  found = ivec4(crossing_of(gathered, 0.5), cascade, lamp);
}
