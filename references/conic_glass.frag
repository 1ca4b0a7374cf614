#version 460
// SPDX-License-Identifier: Apache-2.0
// Draws stained glass cut by conics: circles, ellipses, parabolas and hyperbolas, each a symmetric
// matrix of 3 by 3. A pixel walks a graph of them, one way where it lies inside a conic and another
// where it lies outside, and mixes in the glass it passes. The second target gets the last conic's
// value and gradient at the pixel and the way that was taken.
//
// Stable: coordinates are halves of small odd numbers, all matrices hold small integers, so every
// product and sum, however it is contracted or rearranged, is exact in 24 bits. No sum of the
// second target is ever 0, whose sign could be either one. Colours are halved and added in powers
// of two. Both targets are 32-bit floats and keep what they are given.
layout(location = 0) out vec4 glass;
layout(location = 1) out vec4 facts;

layout(std140, set = 0, binding = 0) uniform Window {
  mat3 forms[10];
  vec4 inks[10];   // in 256ths; the fourth: how much of it is lead
  ivec4 ways[10];  // next inside, next outside, bands, what the pixel's place is squeezed by
};
layout(std140, set = 0, binding = 1) uniform View {
  mat3x2 lenses[2];  // from window to glass
  vec2 middle;       // 64, 64
  float unit;        // 1/256
  float half_of;     // 1/2
  float rim;         // 40: a line of lead is as thick as the gradient is long, at most by this
  int start;         // 0
  int longest;       // 7
  int zero;
  int one;
};

struct Point {
  vec3 place;
  vec3 image;  // form * place
};

struct Walk {
  vec3 tone;
  float lead;
  float value;
  vec2 gradient;
  int trail;  // a bit for each turn, after a leading 1
  int last;
};

float Value(Point p) { return dot(p.place, p.image); }

vec2 Gradient(Point p, int lens) {
  // The chain rule: twice the image, seen back through the lens.
  return 2.0 * (p.image.xy * mat2(lenses[lens]));
}

Point Look(vec2 at, int node) {
  Point p;
  int lens = ways[node].w & one;
  p.place = vec3(lenses[lens] * vec3(at, 1.0), 1.0);
  p.image = forms[node] * p.place;
  return p;
}

float LongerSide(vec2 v) {
  vec2 sides = abs(v);
  return sides.x > sides.y ? sides.x + sides.y * half_of : sides.y + sides.x * half_of;
}

// Bands of equal value: which one of `count`, counted by subtraction.
int Band(float value, int count) {
  float rest = abs(value);
  float width = 256.0;
  int band = zero;
  while (band < count) {
    rest -= width;
    if (rest < 0.0) break;
    width += 512.0;
    band += one;
  }
  return band;
}

void Mix(inout Walk walk, vec4 ink, int band) {
  walk.tone = (walk.tone + ink.rgb + vec3(ivec3(band, band * 2, 3 * band) * 8)) * half_of;
  walk.lead += ink.a;
}

bool Turn(inout Walk walk, vec2 at, inout int node) {
  Point p = Look(at, node);
  ivec4 way = ways[node];
  walk.last = node;
  walk.value = Value(p);
  walk.gradient = Gradient(p, way.w & one);
  bool inside = walk.value < 0.0;
  Mix(walk, inks[node], inside ? Band(walk.value, way.z) : zero);
  walk.trail = walk.trail * 2 + (inside ? one : zero);
  node = inside ? way.x : way.y;
  float thickness = LongerSide(walk.gradient);
  if (thickness > rim) thickness = rim + (thickness - rim) * half_of * half_of;
  return abs(walk.value) >= thickness;
}

Walk Follow(vec2 at) {
  Walk walk = Walk(vec3(inks[start].brg), 0.0, 0.0, vec2(0.0), one, zero);
  int node = start;
  for (int turns = zero; turns < longest; turns += one) {
    if (!Turn(walk, at, node)) {
      walk.tone *= half_of * half_of;
      break;
    }
    if (node < zero) break;
    if (walk.last == node - one) continue;
    walk.lead += unit * float(turns);
  }
  return walk;
}

void main() {
  Walk walk = Follow(gl_FragCoord.xy - middle);
  glass = vec4(walk.tone * unit, walk.lead);
  facts = vec4(walk.value, walk.gradient, float(walk.trail * 16 + walk.last));
}
