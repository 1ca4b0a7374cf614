#version 450
#extension GL_EXT_nonuniform_qualifier : require
// SPDX-License-Identifier: Apache-2.0
// Shelves of lenses: images and samplers in arrays that indices of the pixel combine, levels that a
// distance chooses, rays that are passed from lens to lens, and cards that say which lens comes next.
layout(location = 0) out vec4 colour;

layout(set = 0, binding = 0) uniform texture2D plates[4];
layout(set = 0, binding = 1) uniform sampler grips[2];
layout(set = 0, binding = 2) uniform sampler2D lenses[3];
layout(std140, set = 0, binding = 3) uniform Card {
  ivec4 next;
  vec4 bend;
} cards[4];

struct Ray {
  vec2 at;
  vec2 way;
  int lens;
  float wide;
};

Ray bent(Ray ray, vec4 bend) {
  ray.way += bend.xy * ray.wide;
  ray.at += ray.way;
  ray.wide = clamp(ray.wide * bend.z + bend.w, 0.0, 8.0);
  return ray;
}

vec3 plate_texel(int plate, int grip, vec2 at, float level) {
  return textureLod(sampler2D(plates[nonuniformEXT(plate)], grips[grip & 1]), at, level).xyz;
}

int next_lens(Ray ray, ivec4 next) {
  ivec2 cell = ivec2(floor(ray.at * 4.0));
  int choice = (cell.x & 1) | (cell.y & 1) << 1;
  for (int i = 0; i < 4; ++i) {
    int lens = next[(choice + i) & 3];
    if (lens != ray.lens && lens >= 0) {
      return lens & 3;
    }
  }
  return -1;
}

// Which level a distance needs; far things are taken from small levels.
float level_at(float far, float last) {
  float level = 0.0;
  while (far > 1.0 && level < last) {
    far *= 0.5;
    level += 1.0;
  }
  return level + min(far, 1.0) * 0.5;
}

float last_level(int lens) {
  int levels = textureQueryLevels(lenses[nonuniformEXT(lens % 3)]);
  return float(max(levels - 1, 0));
}

vec3 trace(Ray ray, int most) {
  vec3 light = vec3(0.0), weight = vec3(1.0);
  for (int i = 0; i < most; ++i) {
    ivec4 next = cards[nonuniformEXT(ray.lens)].next;
    ray = bent(ray, cards[nonuniformEXT(ray.lens)].bend);
    vec3 seen = plate_texel(ray.lens, i, ray.at, level_at(ray.wide, last_level(ray.lens)));
    light += weight * seen;
    weight *= vec3(0.75, 0.5, 0.25).zxy;
    int lens = next_lens(ray, next);
    if (lens < 0) {
      return light;
    }
    ray.lens = lens;
    if (dot(weight, vec3(1.0)) < 0.0625) {
      break;
    }
  }
  return light.yzx;
}

// The lens whose image is brightest at the place, by rounds of a cup.
int brightest(vec2 at) {
  int cup[4];
  for (int i = 0; i < 4; ++i) cup[i] = min(i, 2);
  for (int count = 4; count > 1; count >>= 1) {
    for (int i = 0; i < count; i += 2) {
      float left = textureLod(lenses[nonuniformEXT(cup[i])], at, 0.0).x;
      float right = textureLod(lenses[nonuniformEXT(cup[i + 1])], at, 1.0).x;
      cup[i >> 1] = right > left ? cup[i + 1] : cup[i];
    }
  }
  return cup[0];
}

void main() {
  vec2 at = gl_FragCoord.xy * 0.015625;
  int lens = brightest(at);
  Ray ray = Ray(at, vec2(0.0625, -0.03125), lens, 1.0);
  vec3 light = trace(ray, 6) + texture(lenses[lens % 3], at.yx).xyz;
  colour = vec4(light, 1.0);
}
