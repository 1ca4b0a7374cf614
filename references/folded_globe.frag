#version 450
// SPDX-License-Identifier: Apache-2.0
// Unrolls a globe that is painted on the six faces of a cube: every pixel belongs to one of 4 by 3
// fields, each of which shows a face, or what a walker sees who leaves the face over its border.
// The last fields compare three globes of an array, and a globe of numbers. The second target keeps
// the texels as they came.
//
// Exact: directions point at centres of texels, so the nearest texel is half a texel away from
// every other. A texel is n/255 up to an error far smaller than a level, and is rounded to n at
// once. All else is integers. A colour is k * (1/255) for an integer k from 0 to 255.
layout(location = 0) out vec4 color;
layout(location = 1) out ivec4 seen;

layout(set = 0, binding = 0) uniform samplerCube globe;         // 8 by 8
layout(set = 0, binding = 1) uniform samplerCubeArray seasons;  // 8 by 8, three of them
layout(set = 0, binding = 2) uniform usamplerCube marks;        // 8 by 8
layout(std140, set = 0, binding = 3) uniform Setup {
  ivec4 field[3];  // the faces that the fields of a row show; 6 and more: the walker's view
  ivec4 walk;      // texels that the walker has gone, by row and then the direction
  int zero;
  int one;
};

const int kSide = 8;     // texels to a side of a face
const int kFrame = 128;  // pixels
const int kSeasons = 3;

// A place on the cube, in half texels from its centre: odd numbers from -7 to 7, and 8 for the axis
// that the face lies on.
struct Place {
  int face;
  ivec2 at;  // odd numbers from -7 to 7
};

ivec3 DirectionOf(Place place) {
  int s = place.at.x, t = place.at.y;
  switch (place.face) {
    case 0:
      return ivec3(kSide, -t, -s);
    case 1:
      return ivec3(-kSide, -t, s);
    case 2:
      return ivec3(s, kSide, t);
    case 3:
      return ivec3(s, -kSide, -t);
    case 4:
      return ivec3(s, -t, kSide);
    default:
      return ivec3(-s, -t, -kSide);
  }
}

// The face and place to which an integer direction points. The largest component must be kSide.
Place PlaceOf(ivec3 to) {
  ivec3 size = abs(to);
  if (size.x == kSide) {
    return to.x > 0 ? Place(0, ivec2(-to.z, -to.y)) : Place(1, ivec2(to.z, -to.y));
  }
  if (size.y == kSide) {
    return to.y > 0 ? Place(2, ivec2(to.x, to.z)) : Place(3, ivec2(to.x, -to.z));
  }
  return to.z > 0 ? Place(4, ivec2(to.x, -to.y)) : Place(5, ivec2(-to.x, -to.y));
}

// Goes one texel over the surface. Over the border of a face, the axis that was kSide becomes the
// one of the first texel of the next face.
Place Step(Place place, ivec2 by) {
  ivec2 next = place.at + 2 * by;
  if (abs(next.x) < kSide && abs(next.y) < kSide) return Place(place.face, next);
  ivec3 to = DirectionOf(Place(place.face, next));
  ivec3 folded = to;
  for (int axis = zero; axis < 3; axis += one) {
    if (abs(to[axis]) > kSide) {
      folded[axis] = to[axis] > 0 ? kSide : -kSide;
    } else if (abs(to[axis]) == kSide) {
      folded[axis] = to[axis] > 0 ? kSide - 1 : 1 - kSide;
    }
  }
  return PlaceOf(folded);
}

ivec4 LevelsAt(Place place) {
  vec3 to = vec3(DirectionOf(place));
  return ivec4(textureLod(globe, to, 0.0) * 255.0 + 0.5);
}

ivec4 Walked(Place place, int row) {
  int count = walk[row];
  ivec2 by = (walk.w >> row & 1) != zero ? ivec2(one, zero) : ivec2(zero, -one);
  for (int i = zero; i < count; i++) {
    int before = place.face;
    place = Step(place, by);
    if (place.face != before) by = by.yx * ((count & 1) == zero ? 1 : -1);
  }
  ivec4 levels = LevelsAt(place);
  levels.w = place.face * 40;
  return levels;
}

// The middle one of three globes, and which it was.
ivec4 Median(Place place) {
  ivec3 red;
  for (int i = zero; i < kSeasons; i++) {
    vec4 to = vec4(vec3(DirectionOf(place)), float(i));
    red[i] = int(textureLod(seasons, to, 0.0)[i] * 255.0 + 0.5);
  }
  int low = min(red.x, min(red.y, red.z)), high = max(red.x, max(red.y, red.z));
  int middle = red.x + red.y + red.z - low - high;
  int which = middle == red.x ? 0 : middle == red.y ? 1 : 2;
  return ivec4(middle, high - low, which * 100, low);
}

ivec4 Marked(Place place) {
  uvec4 word = textureLod(marks, vec3(DirectionOf(place)), 0.0);
  uvec4 opposite = textureLod(marks, -vec3(DirectionOf(place)), 0.0);
  uint both = word.x & opposite.y, either = word.z | opposite.w;
  return ivec4(bitCount(both) * 30, bitCount(either) * 30, findMSB(either) * 20, word.w ^ both);
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 tile = ivec2(pixel.x / 32, pixel.y * 3 / kFrame);
  ivec2 inner = ivec2(pixel.x & 31, pixel.y - (tile.y * kFrame + 2) / 3) / 4 & (kSide - 1);
  int shown = field[tile.y][tile.x];
  Place place = Place(shown % 6, 2 * inner + 1 - kSide);
  ivec4 levels;
  if (shown < 6) {
    levels = LevelsAt(place);
  } else if (shown < 12) {
    levels = Walked(place, tile.y);
  } else if (shown < 18) {
    levels = Median(place);
  } else {
    levels = Marked(place);
  }
  bool rim = any(equal(inner, ivec2(0)));
  ivec3 shade = levels.xyz - (rim ? levels.w / 4 : 0);
  color = vec4(vec3(clamp(shade, 0, 255)) * (1.0 / 255.0), 1.0);
  seen = levels;
}
