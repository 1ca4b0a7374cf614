#version 450
// SPDX-License-Identifier: Apache-2.0
// Draws the bricks of a leaning wall: mortar between them, clay by the brick's number with a
// grain of hashed specks, a frog or a burnt end by its bond, tufts of moss where it has lived
// for long, and the crack as a jagged line. Half a cell is of its left upper corner, the other
// half of the right.
//
// Exact: coordinates on the wall are odd quarters of pixels. Colours are k * (1/255) for
// integers k from 0 to 255.
layout(location = 0) flat in ivec4 brick;
layout(location = 1) flat in ivec2 decay;
layout(location = 2) in vec2 wall_at;
layout(location = 0) out vec4 color;

layout(std140, set = 0, binding = 1) uniform Stuff {
  ivec4 clays[2];
  ivec3 mortar;
  ivec3 moss;
  uvec2 grain;
  float opaque;  // 1.0
} stuff;

uint Hash(ivec2 at, int salt) {
  uint key = uint(at.x) * stuff.grain.x ^ uint(at.y) * stuff.grain.y;
  key += uint(salt) * 40503u;
  key ^= key >> 15u;
  key *= 739982445u;
  return key ^ key >> 12u;
}

ivec3 Clay(int number) {
  ivec4 four = stuff.clays[number >> 2 & 1];
  int rgb = four.w;
  if ((number & 3) == 0) rgb = four.x;
  if ((number & 3) == 1) rgb = four.y;
  if ((number & 3) == 2) rgb = four.z;
  return ivec3(rgb >> 16, rgb >> 8, rgb) & 255;
}

bool InMortar(ivec2 at) {
  ivec2 local = at - ivec2(brick.y * 8, at.y & ~7);
  return local.y == 7 || local.x == 0 || local.x >= brick.z * 8;
}

// What distinguishes bricks of a bond.
ivec3 Dressed(ivec3 rgb, ivec2 local) {
  int length = brick.z * 8;
  switch (brick.w) {
    case 0:
      if (local.x > 3 && local.x < length - 2 && local.y > 1 && local.y < 5) rgb -= rgb / 6;
      break;
    case 1:
      if (length == 8) rgb = rgb * (9 - local.y) / 12;
      break;
    case 2:
      for (int line = 2; line < length; line += 3) {
        if (local.x == line + (local.y >> 1 & 1)) rgb += (255 - rgb) / 5;
      }
      break;
    default: {
      int edge = min(min(local.x, length - local.x), min(local.y, 6 - local.y));
      if (edge == 1) rgb -= rgb / 4;
      else if (edge > 1) rgb += (255 - rgb) / 8;
    }
  }
  return rgb;
}

ivec3 WithMoss(ivec3 rgb, ivec2 at) {
  for (int tuft = 0; tuft < decay.x; ++tuft) {
    uint place = Hash(at >> 3, tuft);
    ivec2 from = (at & 7) - ivec2(int(place & 7u), int(place >> 3u & 7u));
    int reach = 1 + int(place >> 6u & 1u);
    if (abs(from.x) + abs(from.y) > reach) continue;
    rgb = (rgb + (3 + tuft) * stuff.moss) / (4 + tuft);
  }
  return rgb;
}

bool Cracked(ivec2 at) {
  if (abs(decay.y) > 1) return false;
  int edge = 3 + (at.y & 1);
  for (int y = at.y & 7; y > 0; y -= 2) edge += int(Hash(ivec2(y, at.y >> 3), 9) % 3u) - 1;
  int from = (at.x & 7) - edge + 8 * decay.y;
  return from == 0 || from == 1 && (at.y & 3) == 2;
}

void main() {
  ivec2 at = ivec2(floor(wall_at));
  ivec3 rgb = stuff.mortar - int(Hash(at, 5) & 15u);
  if (!InMortar(at)) {
    rgb = Clay(brick.x * 5 >> 2);
    rgb -= rgb * int(Hash(at, brick.x) & 7u) / 48;
    rgb = Dressed(rgb, ivec2(at.x - brick.y * 8, at.y & 7));
  }
  rgb = WithMoss(rgb, at);
  if (Cracked(at)) rgb = rgb / 4;
  color = vec4(vec3(clamp(rgb, ivec3(0), ivec3(255))) * (1.0 / 255.0), stuff.opaque);
}
