#version 450
// SPDX-License-Identifier: Apache-2.0
// Draws the roofs of 16 houses from above: hip roofs, gables, sheds and flat courts, whose paving
// is cut out. The roofs' planes are known only as heights; the slope, from which come light,
// contour lines and the width of a painted line on each roof, is taken from derivatives.
//
// Stable: a pixel's plane is chosen by its quad (coordinates shifted right by one), so within a
// quad every function that is differentiated is linear with small integer coefficients: coarse and
// fine derivatives are the same, and exact. All of them are taken before control flow parts; only
// then are pixels discarded. Colours are sixteenths of levels, cut to whole ones, times 1/255.
layout(location = 0) out vec4 color;

struct House {
  ivec4 shape;  // kind, pitch, height at the eaves, red of its contour lines
  ivec3 line;   // a x + b y + c = 0, from the roof's corner
};

layout(std140, binding = 0) uniform Town {
  House houses[8];
  ivec4 streets;  // houses in the four rows, an octal digit each
};
layout(std140, binding = 1) uniform Light {
  vec2 sun;            // -9, 6: what a slope of 1 adds to the brightness
  float base;          // 112
  int contour;         // 16: height from line to line
  ivec4 paints[3];     // red, green, blue in sixteenths of the brightness; added height
  int zero;
  int one;
};

const int kHip = 0;
const int kGable = 1;
const int kShed = 2;

struct Slope {
  vec2 of_height;
  vec2 of_line;
  float contour_width;
  float line_width;
};

// How many of the sides left, right, top and bottom a roof rises from.
int Sides(int kind) {
  int sides = one;
  switch (kind) {
    case kHip:
      sides += 2;
      // falls through: and the two of a gable
    case kGable:
      sides += one;
      // falls through
    case kShed:
      return sides;
    default:
      return zero;
  }
}

// The side that is nearest, by quads; the first of equal ones.
int NearestSide(ivec2 quad, int sides) {
  ivec4 away = ivec4(quad.x, 15 - quad.x, quad.y, 15 - quad.y);
  int best = zero;
  for (int i = 1; i < 4; i++) {
    if (i >= sides) break;
    if (away[best] <= away[i]) continue;
    best = i;
  }
  return best;
}

float Height(House house, ivec2 at, int side) {
  int pitch = house.shape.y;
  int climb = (side & 1) == 1 ? 31 : zero;
  int along = side < 2 ? at.x : at.y;
  climb = (side & 1) == 1 ? climb - along : climb + along;
  return float(house.shape.z + pitch * climb);
}

float LineValue(House house, ivec2 at) {
  return float(house.line.x * at.x + house.line.y * at.y + house.line.z);
}

Slope Differentiate(float height, float line_value) {
  vec2 both = vec2(height, line_value);
  vec2 right = dFdx(both);
  vec2 down = dFdyFine(both);
  Slope slope;
  slope.of_height = vec2(right.x, down.x);
  slope.of_line = vec2(right.y, down.y);
  slope.contour_width = fwidth(height);
  slope.line_width = fwidthCoarse(line_value) * 0.5;
  return slope;
}

ivec3 Paint(int tile, float brightness, float height) {
  ivec4 paint = paints[tile % 3];
  int sixteenths = int(brightness) + (int(height) * paint.w) / 32;
  return paint.xyz * sixteenths;
}

// Courts lie level: crosses of paving stones, and holes between them.
bool IsHole(ivec2 at) { return ((at.x >> 2) + (at.y >> 2)) % 3 == one && ((at.x ^ at.y) & 2) != 0; }

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 place = pixel & 31;
  ivec2 tile = pixel >> 5;
  int number = (streets[tile.y] >> (3 * tile.x)) & 7;
  House house = houses[number];
  int sides = Sides(house.shape.x);
  int side = NearestSide(place >> 1, sides);
  float height = sides > zero ? Height(house, place, side) : float(house.shape.z);
  float line_value = LineValue(house, place);
  Slope slope = Differentiate(height, line_value);

  float brightness = base + dot(slope.of_height, sun);
  ivec3 sixteenths = Paint(tile.x + 2 * tile.y, brightness, height);
  if (abs(line_value) < slope.line_width) {
    // On the line's lighter side brighter than on the other; the more so the steeper it runs.
    sixteenths += 512 + int(slope.of_line.x * 64.0 + slope.of_line.y * 40.0) + int(line_value) * 16;
  } else if (slope.contour_width == 0.0) {
    if (IsHole(place)) discard;
    sixteenths.xz += int(line_value) * ivec2(16, 32);
  } else if (int(height) % contour < int(slope.contour_width)) {
    sixteenths = sixteenths / 2 + ivec3(house.shape.w, 0, 96);
  }
  color = vec4(vec3(sixteenths >> 4) * (1.0 / 255.0), 1.0);
}
