#version 450
// SPDX-License-Identifier: Apache-2.0
// Gilds frames on a wall, sample by sample. What is behind is known from an earlier pass, for each sample
// of the pixel. The picture in a frame takes its colours from the places of samples, with a shade that is
// interpolated at each sample; dust settles on the samples that a frame leaves free, and the gold that
// is used is weighed for each kind of frame.
//
// Exact, but for the shade: places are multiples of a sixteenth of a pixel.
layout(location = 0) sample in vec2 inside;  // in sixteenths of a pixel, from the corner of the frame
layout(location = 1) flat in ivec4 wood;     // kind, side, number, width of the frame
layout(location = 0) out vec4 color;
layout(location = 1) out ivec4 ledger;

layout(input_attachment_index = 1, set = 0, binding = 0) uniform subpassInputMS behind;
layout(std140, set = 0, binding = 1) uniform Wall {
  ivec4 tilt;
  ivec4 gold[4];
  ivec4 room;
  float unit;
} wall;
layout(std430, set = 0, binding = 2) buffer Scales {
  uint weighed[4];
  int brightest[4];
  uint free_samples;
} scales;

struct Spot {
  ivec2 at;     // in sixteenths, on the wall
  int number;
  int behind;
};

Spot SpotOf() {
  Spot spot;
  spot.number = gl_SampleID;
  spot.at = ivec2(gl_FragCoord.xy * 16.0);
  vec4 before[2] = vec4[2](subpassLoad(behind, 0), subpassLoad(behind, 3));
  vec4 own = (spot.number & 1) == 0 ? before[0] : before[1];
  ivec4 level = ivec4(own * 255.0 + 0.5);
  spot.behind = spot.number < 2 ? level.x + level.z / 2 : level.y + level.z / 4;
  return spot;
}

// The ornament: a step of a walk over the digits of the place, in base 3.
int Ornament(ivec2 at, int kind) {
  int x = at.x / (2 + kind), y = at.y / 3, marks = 0;
  while (x > 0 || y > 0) {
    if (x % 3 == 1 && y % 3 == 1) return marks + 7;
    marks = marks * 2 + (x + y & 1);
    x /= 3;
    y /= 3;
    if (marks > 500) break;
  }
  return marks % 11;
}

int Shine(Spot spot, ivec4 gold) {
  int away = abs(spot.at.x - wall.room.z) + abs(spot.at.y - spot.at.x / 2);
  int shine = gold.z * 40 / (8 + away / 16);
  return clamp(shine - gold.w * (spot.number + 1) + wall.tilt.w, 0, 90);
}

void main() {
  Spot spot = SpotOf();
  ivec4 gold = wall.gold[wood.x & 3];
  ivec2 cell = spot.at - wall.room.w * wood.z;
  int ornament = Ornament(abs(cell), wood.x & 3);
  bool is_frame = (ornament + wood.w & 7) < gold.y;
  int shine = Shine(spot, gold);
  // Dust lies on every other sample where the wall is dark.
  bool dusty = spot.behind < 3 * wall.room.w && (spot.number + ornament & 1) == 0;
  gl_SampleMask[0] = dusty ? 0 : gl_SampleMaskIn[0];
  if (dusty) {
    atomicAdd(scales.free_samples, 1u);
  } else if (is_frame) {
    atomicAdd(scales.weighed[wood.x & 3], uint(gold.x + shine));
    atomicMax(scales.brightest[wood.x & 3], shine * 4 + spot.number);
  }
  vec3 shade = vec3(inside, float(wood.y)) * (wall.unit * 128.0) / float(wood.y);
  ivec3 level = is_frame ? ivec3(gold.x, gold.x - 30, 40) + shine : ivec3(spot.behind / 2, 8 * ornament, 60);
  color = vec4((vec3(level) / 255.0) * 0.75 + shade * 0.25, 1.0);
  ledger = ivec4(ornament, shine, spot.behind, gl_SampleMaskIn[0]);
}
