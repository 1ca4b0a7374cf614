#version 450
// SPDX-License-Identifier: Apache-2.0
// Pixels that choose their own depth: balls and boxes on flat squares, folded depths, layers in the
// order of their depths, and fog between what an earlier pass drew and what is drawn now.
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput behind;
layout(location = 0) in vec4 place;
layout(location = 1) flat in ivec2 kind;
layout(location = 0) out vec4 color;
layout(depth_any) out float gl_FragDepth;
layout(set = 0, binding = 1) uniform Fog {
  vec4 ranges;
  vec4 layers[4];
  float near, far;
};

// From a distance to the depth of a projection, and back.
float depth_of(float apart, float from, float to) {
  if (apart <= from) {
    return 0.0;
  }
  return apart >= to ? 1.0 : to * (apart - from) / (apart * (to - from));
}

float distance_of(float depth, float from, float to) {
  float rest = to - depth * (to - from);
  return rest > 0.0 ? from * to / rest : to;
}

// How far a ray along z goes into a ball, or -1 beside it.
float into_ball(vec2 at, float radius) {
  float rest = radius * radius - dot(at, at);
  if (rest < 0.0) {
    return -1.0;
  }
  return sqrt(rest);
}

// The same for a box that is turned round z and leans.
float into_box(vec2 at, vec2 turn, vec3 half_size, float lean) {
  vec2 own = vec2(at.x * turn.x + at.y * turn.y, at.y * turn.x - at.x * turn.y);
  vec2 outside = abs(own) - half_size.xy;
  if (max(outside.x, outside.y) > 0.0) {
    return -1.0;
  }
  float top = half_size.z + own.x * lean;
  return top < 0.0 ? 0.0 : top;
}

// Puts a depth into the list of the nearest four, and gives the place that it got, or 4.
int inserted(inout vec4 nearest, float depth) {
  int at = 4;
  for (int i = 3; i >= 0; --i) {
    if (nearest[i] <= depth) {
      break;
    }
    if (i < 3) {
      nearest[i + 1] = nearest[i];
    }
    nearest[i] = depth;
    at = i;
  }
  return at;
}

float fog_between(float from, float to, vec4 bounds) {
  float sum = 0.0, begin = min(from, to), end = max(from, to);
  for (int i = 0; i < 3; ++i) {
    float low = max(begin, bounds[i]), high = min(end, bounds[i + 1]);
    if (low >= high) {
      continue;
    }
    float thick = 1.0 / float(1 << i);
    sum += (high - low) * thick;
    if (sum > 4.0) {
      return 1.0;
    }
  }
  return 1.0 - exp(-sum);
}

// Weights of layers that are mixed in any order: near ones count more.
vec4 weighted(vec4 all[4], float depths[4]) {
  vec4 sum = vec4(0.0);
  float weights = 0.0, shown = 1.0;
  for (int i = 0; i < 4; ++i) {
    if (all[i].a <= 0.0) {
      continue;
    }
    float nearness = 1.0 - clamp(depths[i], 0.0, 1.0);
    float weight = all[i].a * (0.01 + nearness * nearness * nearness * 8.0);
    sum += vec4(all[i].rgb * all[i].a, all[i].a) * weight;
    weights += weight;
    shown *= 1.0 - all[i].a;
    if (shown < 0.01) {
      break;
    }
  }
  return weights > 0.0 ? vec4(sum.rgb / max(sum.a, 0.001), 1.0 - shown) : vec4(0.0);
}

// A depth in steps of an even number, which depend on the half that it is in.
float stepped(float depth, int count) {
  int steps = clamp(count, 1, 64);
  if (depth > 0.5) {
    steps *= 2;
  }
  return floor(depth * float(steps) + 0.5) / float(steps);
}

void main() {
  vec2 at = place.xy;
  float into = -1.0;
  switch (kind.x) {
    case 0:
      into = into_ball(at, place.w);
      break;
    case 1:
      into = into_box(at, ranges.xy, vec3(0.5, 0.25, place.w), ranges.z);
      break;
    default:
      into = place.w;
  }
  if (into < 0.0) {
    discard;
  }
  vec4 nearest = vec4(1.0);
  float depths[4];
  for (int i = 0; i < 4; ++i) {
    depths[i] = depth_of(place.z - into * layers[i].a, near, far);
    inserted(nearest, depths[i]);
  }
  vec4 before = subpassLoad(behind);
  float fog = fog_between(distance_of(before.a, near, far), place.z, ranges);
  vec4 mixed = weighted(layers, depths);
  color = mix(vec4(mixed.rgb, 1.0), before, fog * mixed.a);
  gl_FragDepth = clamp(stepped(nearest.x, kind.y), 0.0, 1.0);
}
