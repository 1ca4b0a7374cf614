#version 450
// SPDX-License-Identifier: Apache-2.0
// Surveys a terraced hill that can only be asked whether a point lies under its surface: a depth
// image with comparison. Heights are found by a binary search, contour lines by the four answers
// round a corner, cliffs by answers at offsets, and beds of rock by an array of depth images that
// compares the other way. The second target keeps the numbers of the survey.
//
// Exact: a depth is n/256 and is compared with m/256 or with a number between two such numbers;
// samples are taken at centres of texels, gathers at corners. All else is integers. A colour is
// k * (1/255) for an integer k from 0 to 255.
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 survey;

layout(set = 0, binding = 0) uniform sampler2DShadow hill;       // 16 by 16, less_or_equal
layout(set = 0, binding = 1) uniform sampler2DArrayShadow beds;  // 16 by 16 by 4, greater
layout(std140, set = 0, binding = 2) uniform Setup {
  ivec4 tint[5];  // of a terrace; the last component is the level at which it begins
  ivec2 sun;      // a step of texels towards the sun, at most 1 each way
  int lines;      // the distance of two contour lines, in levels
  int zero;
  int one;
};

const int kCell = 8;  // pixels to a texel
const int kSide = 16;
const int kBeds = 4;

vec2 Centre(ivec2 texel) { return (vec2(texel & (kSide - 1)) + 0.5) * (1.0 / float(kSide)); }

bool IsUnder(ivec2 texel, int level) {
  return textureLod(hill, vec3(Centre(texel), float(level) * (1.0 / 256.0)), 0.0) > 0.5;
}

// The largest level that is not above the surface.
int HeightOf(ivec2 texel) {
  int height = zero;
  for (int bit = 128; bit > zero; bit >>= one) {
    if (IsUnder(texel, height | bit)) height |= bit;
  }
  return height;
}

// The corners of a cell that are above a level as bits: lower left, lower right, upper right, upper
// left. The cell lies between four centres of texels.
int CornersAbove(ivec2 cell, int level) {
  vec2 corner = vec2((cell & (kSide - 1)) + one) * (1.0 / float(kSide));
  vec4 answers = textureGather(hill, corner, (float(level) + 0.5) * (1.0 / 256.0));
  int bits = zero;
  for (int i = zero; i < 4; i++) {
    if (answers[i] > 0.5) bits |= one << i;
  }
  return bits;
}

// How a contour line crosses a cell: 0 not at all, 1 to 4 round a corner, 5 across, 6 down, 7 a
// saddle.
int ShapeOf(int corners) {
  if (bitCount(corners) > 2) corners ^= 15;
  switch (corners) {
    case 0:
      return zero;
    case 1:
    case 2:
      return corners;
    case 4:
      return 3;
    case 8:
      return 4;
    case 3:
    case 12:
      return 5;
    case 6:
    case 9:
      return 6;
    default:
      return 7;
  }
}

bool LineAt(int shape, ivec2 inner) {
  int across = inner.x + inner.y, along = inner.x - inner.y;
  switch (shape) {
    case 1:
      return along == -4;
    case 2:
      return across == 11;
    case 3:
      return along == 4;
    case 4:
      return across == 3;
    case 5:
      return inner.y == 4;
    case 6:
      return inner.x == 4;
    case 7:
      return along == 4 || along == -4;
    default:
      return false;
  }
}

// The first bed that begins above the level; kBeds if there is none.
int BedAt(ivec2 texel, int level) {
  for (int bed = zero; bed < kBeds; bed += one) {
    vec4 where = vec4(Centre(texel.yx), float(bed), (float(level) - 0.5) * (1.0 / 256.0));
    if (texture(beds, where) > 0.5) return bed;
  }
  return kBeds;
}

// Neighbours on four sides that are higher, asked for at constant offsets.
int Cliffs(ivec2 texel, int height) {
  vec3 at = vec3(Centre(clamp(texel, 1, kSide - 2)), (float(height) + 40.5) * (1.0 / 256.0));
  int sides = zero;
  if (textureLodOffset(hill, at, 0.0, ivec2(1, 0)) > 0.5) sides |= 1;
  if (textureLodOffset(hill, at, 0.0, ivec2(-1, 0)) > 0.5) sides |= 2;
  if (textureLodOffset(hill, at, 0.0, ivec2(0, 1)) > 0.5) sides |= 4;
  if (textureLodOffset(hill, at, 0.0, ivec2(0, -1)) > 0.5) sides |= 8;
  return sides;
}

// How many steps towards the sun the ray goes before the hill stops it.
int StepsInSun(ivec2 texel, int height) {
  int steps = zero;
  int level = height + 12;
  while (steps < 6 && level < 256) {
    texel += sun;
    if (IsUnder(texel, level)) break;
    level += 12;
    steps++;
  }
  return steps;
}

ivec3 TintOf(int height) {
  int terrace = zero;
  while (terrace < 4 && height >= tint[terrace + 1].w) terrace++;
  return tint[terrace].xyz;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 texel = pixel / kCell;
  int height = HeightOf(texel);
  int bed = BedAt(texel, height);
  int lit = StepsInSun(texel, height);
  int cliffs = Cliffs(texel, height);

  ivec2 moved = pixel - kCell / 2;  // cells lie between the centres of texels
  ivec2 cell = (moved + 8 * kSide) / kCell - kSide;
  ivec2 inner = moved & (kCell - 1);
  int crossings = zero;
  for (int level = lines; level < 256; level += lines) {
    if (LineAt(ShapeOf(CornersAbove(cell, level)), inner)) crossings += one;
  }

  ivec3 levels = TintOf(height) * (lit + 4) / 10;
  levels[bed % 3] += 6 * bed;
  if ((cliffs & 3) != zero && (pixel.x & 7) == 0) levels >>= 1;
  if ((cliffs & 12) != zero && (pixel.y & 7) == 0) levels >>= 1;
  if (crossings > zero) levels = ivec3(250 - 40 * min(crossings, 5), 30, 20);
  color = vec4(vec3(clamp(levels, 0, 255)) * (1.0 / 255.0), 1.0);
  survey = uvec4(height, bed * 8 + lit, cliffs, crossings);
}
