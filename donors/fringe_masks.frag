#version 450
// SPDX-License-Identifier: Apache-2.0
// What a pixel with several samples computes: which samples a shape covers, how a mask of samples is
// dithered, how covered samples of earlier passes are mixed, and how samples of an image are sorted.
layout(location = 0) flat in ivec4 shape;
layout(location = 1) sample in vec2 spot;
layout(location = 0) out vec4 colour;

layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInputMS earlier;
layout(set = 0, binding = 1, rgba8) uniform image2DMS trail;
layout(set = 0, binding = 2) uniform sampler2D ramp;  // coordinates of texels
layout(set = 0, binding = 3) uniform Fringe {
  vec4 edges[3];
  ivec4 pattern;
} fringe;

vec2 sample_place(int number) {
  int bits = number * 7 + 3 & 15;
  return vec2(float(bits & 3), float(bits >> 2)) * 0.25 + 0.125;
}

uint inside_mask(vec2 corner, vec4 sides[3], int samples) {
  uint mask = 0u;
  for (int i = 0; i < samples; ++i) {
    vec2 at = corner + sample_place(i);
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
      inside = inside && dot(sides[k].xy, at) + sides[k].z >= 0.0;
    }
    if (inside) {
      mask |= 1u << i;
    }
  }
  return mask;
}

// As many samples as the share asks for, in an order that changes from pixel to pixel.
uint dithered_mask(float share, ivec2 pixel, int samples) {
  int wanted = int(clamp(share, 0.0, 1.0) * float(samples) + 0.5);
  int first = pixel.x * 3 + pixel.y * 5;
  uint mask = 0u;
  for (int i = 0; i < wanted; ++i) {
    mask |= 1u << (first + i * 3) % samples;
  }
  return mask;
}

int lowest_sample(uint mask) {
  int place = 0;
  while ((mask & 1u) == 0u) {
    if (++place >= 8) {
      return -1;
    }
    mask >>= 1;
  }
  return place;
}

vec4 covered_mean(vec4 all[4], uint mask) {
  vec4 sum = vec4(0.0);
  int count = 0;
  for (int i = 0; i < 4; ++i) {
    if ((mask >> i & 1u) == 0u) {
      continue;
    }
    sum += all[i];
    ++count;
  }
  return count == 0 ? vec4(0.0) : sum / float(count);
}

void sort_by_alpha(inout vec4 all[4]) {
  for (int i = 1; i < 4; ++i) {
    vec4 moved = all[i];
    int k = i;
    while (k > 0 && all[k - 1].a > moved.a) {
      all[k] = all[k - 1];
      --k;
    }
    all[k] = moved;
  }
}

float ramp_at(float level, int row) {
  vec4 below = textureLod(ramp, vec2(floor(level) + 0.5, float(row) + 0.5), 0.0);
  vec4 above = textureLod(ramp, vec2(floor(level) + 1.5, float(row) + 0.5), 0.0);
  return mix(below.r, above.r, fract(level));
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  vec4 all[4];
  all[0] = subpassLoad(earlier, 0);
  all[1] = subpassLoad(earlier, 1);
  all[2] = subpassLoad(earlier, 2);
  all[3] = subpassLoad(earlier, 3);
  uint mask = inside_mask(vec2(pixel) + spot, fringe.edges, 4) & uint(gl_SampleMaskIn[0]);
  mask &= dithered_mask(ramp_at(float(shape.x & 15), shape.y & 3), pixel, 4);
  vec4 mean = covered_mean(all, mask);
  sort_by_alpha(all);
  int first = lowest_sample(mask);
  if (first >= 0 && imageSamples(trail) > first) {
    imageStore(trail, pixel, first, mix(all[0], all[3], 0.5));
  }
  gl_SampleMask[0] = int(mask);
  colour = mean + imageLoad(trail, pixel, fringe.pattern.x & 3) * 0.25;
}
