#version 450
#extension GL_EXT_samplerless_texture_functions : require
// SPDX-License-Identifier: Apache-2.0
// Resolves multisampled images by hand: weighted means, the median sample, the sample next to the
// mean, the samples that differ from the first one, and edges between the samples of neighbours.
layout(location = 0) in vec2 place;
layout(location = 1) flat in ivec2 seat;
layout(location = 0) out vec4 colour;

layout(set = 0, binding = 0) uniform sampler2DMS paints;
layout(set = 0, binding = 1) uniform texture2DMSArray sheets;
layout(set = 0, binding = 2) uniform Resolve {
  vec4 weights;
  float near;
  int layer;
} resolve;

vec4 weighted_mean(ivec2 at) {
  vec4 sum = vec4(0.0);
  float all = 0.0;
  int samples = textureSamples(paints);
  for (int i = 0; i < samples; ++i) {
    float weight = resolve.weights[i & 3];
    sum += texelFetch(paints, at, i) * weight;
    all += weight;
  }
  return all > 0.0 ? sum / all : sum;
}

float luminance(vec4 paint) {
  return dot(paint.rgb, vec3(0.25, 0.625, 0.125));
}

// The sample with as many darker as brighter ones.
int median_sample(ivec2 at) {
  int samples = textureSamples(paints);
  for (int i = 0; i < samples; ++i) {
    float mine = luminance(texelFetch(paints, at, i));
    int rank = 0;
    for (int k = 0; k < samples; ++k) {
      float other = luminance(texelFetch(paints, at, k));
      if (other < mine || (other == mine && k < i)) {
        ++rank;
      }
    }
    if (rank == samples / 2) {
      return i;
    }
  }
  return 0;
}

vec4 nearest_to(ivec2 at, vec4 wanted) {
  vec4 best = texelFetch(paints, at, 0);
  for (int i = 1; i < textureSamples(paints); ++i) {
    vec4 next = texelFetch(paints, at, i);
    if (distance(next, wanted) < distance(best, wanted)) {
      best = next;
    }
  }
  return best;
}

// A bit for each sample of a sheet that differs from its first one.
uint differing(ivec3 at) {
  uint mask = 0u;
  vec4 first = texelFetch(sheets, at, 0);
  for (int i = 1; i < textureSamples(sheets); ++i) {
    vec4 change = abs(texelFetch(sheets, at, i) - first);
    if (max(max(change.x, change.y), change.z) > resolve.near) {
      mask |= 1u << i;
    }
  }
  return mask;
}

float edge_between(ivec2 at, ivec2 step) {
  ivec2 last = textureSize(paints) - 1;
  ivec2 next = clamp(at + step, ivec2(0), last);
  float most = 0.0;
  for (int i = 0; i < textureSamples(paints); ++i) {
    float here = luminance(texelFetch(paints, at, i));
    float there = luminance(texelFetch(paints, next, i));
    most = max(most, abs(here - there));
  }
  return most;
}

vec4 stacked(ivec2 at) {
  ivec3 size = textureSize(sheets);
  vec4 top = vec4(0.0);
  for (int layer = 0; layer < size.z; ++layer) {
    vec4 sheet = texelFetch(sheets, ivec3(at % size.xy, layer), layer % textureSamples(sheets));
    top = mix(top, sheet, sheet.a * 0.5);
  }
  return top;
}

void main() {
  ivec2 at = clamp(ivec2(place), ivec2(0), textureSize(paints) - 1);
  vec4 mean = weighted_mean(at);
  vec4 middle = texelFetch(paints, at, median_sample(at));
  uint mask = differing(ivec3(seat & 7, clamp(resolve.layer, 0, textureSize(sheets).z - 1)));
  vec4 mixed = bitCount(mask) > 1 ? nearest_to(at, mean) : mix(mean, middle, 0.5);
  float edge = max(edge_between(at, ivec2(1, 0)), edge_between(at, ivec2(0, 1)));
  colour = mix(mixed, stacked(seat & 7), 0.25) * (1.0 - edge);
}
