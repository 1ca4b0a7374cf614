#version 450
// SPDX-License-Identifier: Apache-2.0
// What shaders do with the least and the greatest of several texels: bounds of a square of a relief, marches
// that skip what is below the bounds, occlusion, and the merging of intervals. The soundings of a place are
// the samples of an image, and a mask keeps the samples that are below the bounds.
layout(location = 0) out vec4 colour;

layout(set = 0, binding = 0) uniform sampler2D least;
layout(set = 0, binding = 1) uniform sampler2D greatest;
layout(input_attachment_index = 1, set = 0, binding = 2) uniform subpassInputMS depths;
layout(set = 0, binding = 3, r32f) uniform image2DMS soundings;
layout(set = 0, binding = 4) uniform Relief {
  vec4 ray;     // place, direction
  vec4 limits;  // height, slope, reach, bias
  int steps;
} relief;

vec2 bounds_at(vec2 texel) {
  float low = textureLod(least, texel, 0.0).r;
  float high = textureLod(greatest, texel, 0.0).r;
  return vec2(low, high);
}

vec2 merged(vec2 a, vec2 b) {
  return vec2(min(a.x, b.x), max(a.y, b.y));
}

bool overlap(vec2 a, vec2 b) {
  return a.x <= b.y && b.x <= a.y;
}

// The intervals that remain of one after another is cut out: none, one or two.
int cut_out(vec2 whole, vec2 hole, out vec2 left, out vec2 right) {
  left = vec2(whole.x, min(whole.y, hole.x));
  right = vec2(max(whole.x, hole.y), whole.y);
  int count = 0;
  if (left.x < left.y) {
    ++count;
  }
  if (right.x < right.y) {
    if (count == 0) {
      left = right;
    }
    ++count;
  }
  return count;
}

float march(vec4 ray, vec4 limits, int steps) {
  vec2 at = ray.xy;
  float height = limits.x, gone = 0.0;
  for (int i = 0; i < steps; ++i) {
    float wave = fract(at.x * 0.37 + at.y * 0.61);
    vec2 bounds = vec2(wave * 0.5, wave * 0.5 + 0.25);
    if (height < bounds.x) {
      return gone;
    }
    float stride = height > bounds.y ? 2.0 : 0.5;
    at += ray.zw * stride;
    height -= limits.y * stride;
    gone += stride;
    if (gone > limits.z) {
      break;
    }
  }
  return limits.z;
}

uint below_mask(vec4 four, float limit) {
  uint mask = 0u;
  for (int i = 0; i < 4; ++i) {
    mask |= four[i] < limit ? 1u << i : 0u;
  }
  return mask;
}

float occlusion(vec2 bounds[4], float height, float bias) {
  float hidden = 0.0;
  vec2 all = bounds[0];
  for (int i = 1; i < 4; ++i) {
    all = merged(all, bounds[i]);
  }
  for (int i = 0; i < 4; ++i) {
    if (!overlap(bounds[i], vec2(height - bias, height + bias))) {
      hidden += bounds[i].x > height ? 1.0 : 0.0;
      continue;
    }
    hidden += clamp((bounds[i].y - height) / max(all.y - all.x, 0.01), 0.0, 1.0);
  }
  return 1.0 - hidden * 0.25;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  vec2 bounds[4];
  for (int i = 0; i < 4; ++i) {
    bounds[i] = bounds_at(vec2(pixel) + vec2(i & 1, i >> 1) + 0.5);
  }
  vec4 four = vec4(subpassLoad(depths, 0).r, subpassLoad(depths, 1).r, subpassLoad(depths, 2).r,
                   subpassLoad(depths, 3).r);
  uint mask = below_mask(four, bounds[0].y);
  vec2 left, right;
  int parts = cut_out(bounds[1], bounds[2], left, right);
  float gone = march(relief.ray, relief.limits, relief.steps);
  imageStore(soundings, pixel, parts & 3, vec4(gone));
  gl_SampleMask[0] = int(mask) | gl_SampleMaskIn[0] & 1;
  colour = vec4(left, occlusion(bounds, four.x, relief.limits.w), imageLoad(soundings, pixel, 0).r);
}
