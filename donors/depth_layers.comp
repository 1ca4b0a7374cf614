#version 450
// SPDX-License-Identifier: Apache-2.0
// Lights and shadows over tiles: depths of many layers are asked for at levels and with gradients,
// lists of lights are cut to a tile, and intervals of light are merged.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform sampler2DArrayShadow layers;
layout(set = 0, binding = 1) uniform sampler2DShadow base;
layout(std430, set = 0, binding = 2) readonly buffer Lights { vec4 lights[]; };
layout(std430, set = 0, binding = 3) buffer Tiles { uvec2 tiles[]; };

// Merges an interval into at most four that are kept in order; the number of intervals then.
int merge_interval(inout vec2 kept[4], int count, vec2 next) {
  int at = 0;
  while (at < count && at < 4 && kept[at].y < next.x) {
    ++at;
  }
  if (at >= 4) {
    return 4;
  }
  if (at < count && kept[at].x <= next.y) {
    kept[at] = vec2(min(kept[at].x, next.x), max(kept[at].y, next.y));
    return count;
  }
  for (int i = min(count, 3); i > at; --i) {
    kept[i] = kept[i - 1];
  }
  kept[at] = next;
  return min(count + 1, 4);
}

bool touches_tile(vec4 light, vec2 corner, float side) {
  vec2 nearest = clamp(light.xy, corner, corner + side);
  vec2 away = light.xy - nearest;
  return dot(away, away) <= light.w * light.w;
}

uint tile_key(uvec2 tile, uint layer) {
  uint key = 0u;
  for (uint bit = 0u; bit < 8u; ++bit) {
    key |= (tile.x >> bit & 1u) << (2u * bit);
    key |= (tile.y >> bit & 1u) << (2u * bit + 1u);
  }
  return key << 4 | layer & 15u;
}

float share_lit(vec2 at, float depth, int rings) {
  float sum = 0.0, weight = 0.0;
  for (int ring = 0; ring < 3; ++ring) {
    if (ring >= rings) {
      break;
    }
    float share = 1.0 / float(1 << ring);
    vec2 off = vec2(0.01 * float(ring), -0.005 * float(ring));
    sum += share * textureGrad(base, vec3(at + off, depth), vec2(0.0), vec2(0.0));
    weight += share;
  }
  return weight > 0.0 ? sum / weight : 1.0;
}

uint layers_below(vec2 at, float depth) {
  uint mask = 0u;
  for (int layer = 0; layer < 8; ++layer) {
    vec4 four = textureGather(layers, vec3(at, float(layer)), depth);
    if (any(greaterThan(four, vec4(0.5)))) {
      mask |= 1u << layer;
    }
  }
  return mask;
}

void main() {
  uvec2 tile = gl_WorkGroupID.xy;
  vec2 at = (vec2(gl_GlobalInvocationID.xy) + 0.5) * (1.0 / 64.0);
  vec2 kept[4] = vec2[4](vec2(9.0), vec2(9.0), vec2(9.0), vec2(9.0));
  int count = 0;
  for (int i = 0; i < 16 && i < lights.length(); ++i) {
    if (touches_tile(lights[i], vec2(tile) * 0.125, 0.125)) {
      count = merge_interval(kept, count, lights[i].xz);
    }
  }
  uint mask = layers_below(at, kept[0].x);
  uint level = uint(255.0 * clamp(share_lit(at, kept[0].y, count), 0.0, 1.0));
  tiles[gl_LocalInvocationIndex] = uvec2(tile_key(tile, uint(count)), mask << 8 | level);
}
