#version 450
#extension GL_EXT_nonuniform_qualifier : require
// SPDX-License-Identifier: Apache-2.0
// Draws farm land from above: fields round twelve posts, hedges between them, and in each field rows
// of one of four crops. Every kind of thing is an array of descriptors: the crops are sampled images,
// the seasons uniform blocks, the soils images without samplers, and the probes samplers. Most
// indices differ from pixel to pixel; others are constants or counters of loops.
//
// Exact: fields and rows are integers, texels are fetched or sampled at their centres, and levels
// are rounded at once.
layout(set = 0, binding = 0) uniform sampler2D crops[4];
layout(set = 0, binding = 1) uniform texture2D soils[3];
layout(set = 0, binding = 2) uniform sampler probes[2];
layout(set = 0, binding = 3) uniform Season {
  ivec4 tint;   // what a full texel adds to red, green and blue; then the width of a row
  ivec2 drift;  // how far rows lean
} seasons[3];
layout(set = 0, binding = 4) uniform Land {
  ivec4 posts[12];  // x, y and the weights of the distances along x and y
  int hedge;        // how near to another field a hedge grows
};
layout(location = 0) out vec4 colour;

// Red, green and blue of a texel from 0 to 255.
ivec3 LevelsOf(vec4 texel) {
  return ivec3(floor(texel.xyz * 255.0 + 0.5));
}

// The field of the pixel, and how much farther the next post is.
int FieldAt(ivec2 pixel, out int margin) {
  int best = 1 << 20, second = 1 << 20, field = 0;
  for (int i = 0; i < 12; i++) {
    ivec2 way = abs(pixel - posts[i].xy) * posts[i].zw;
    int distance = way.x + way.y;
    if (distance < best) {
      second = best;
      best = distance;
      field = i;
    } else if (distance < second) {
      second = distance;
    }
  }
  margin = second - best;
  return field;
}

// The soil of a place: all soils where they are thin, else the one of the field.
ivec3 SoilAt(ivec2 place, int field) {
  vec2 at = (vec2(place) + 0.5) * 0.0625;
  int kind = field % 3;
  ivec3 soil = ivec3(0), mixed = ivec3(0);
  for (int i = 0; i < 3; i++) {
    ivec3 levels = LevelsOf(textureLod(sampler2D(soils[i], probes[i & 1]), at, 0.0));
    mixed += LevelsOf(textureLod(sampler2D(soils[i], probes[hedge & 1]), at.yx, 0.0)) >> 2;
    if (i == kind) soil = levels;
  }
  return soil.x + soil.y > 300 ? soil : soil + mixed;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  int margin;
  int field = FieldAt(pixel, margin);
  int season = (field * 7 + pixel.y / 64) % 3;
  ivec4 tint = seasons[nonuniformEXT(season)].tint;
  ivec2 drift = seasons[nonuniformEXT(season)].drift;
  int row = (pixel.x * drift.x + pixel.y * drift.y) / tint.w;
  int crop = (field + (row & 1) * 2) & 3;
  ivec3 soil = SoilAt(pixel >> 2, field);
  ivec3 plant = LevelsOf(texelFetch(crops[nonuniformEXT(crop)], ivec2(row, pixel.y) & 7, 0));
  ivec3 sum = (soil >> 1) + plant * tint.xyz / 255;
  // The ripest field is marked by the size of a crop's image.
  if (field == 5 && (pixel.x + pixel.y) % textureSize(crops[2], 0).x == 0) {
    sum += ivec3(60, 10, 0);
  }
  ivec3 leaves = LevelsOf(texelFetch(crops[1], pixel & 15, 0));
  if (margin < hedge) sum = (leaves >> 2) + ivec3(8, 40, 8);
  colour = vec4(vec3(min(sum, 255)), 255.0) / 255.0;
}
