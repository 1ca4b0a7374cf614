#version 320 es
// SPDX-License-Identifier: Apache-2.0
// Draws a room from above, lit by two lamps: distance fields of pillars, a table and a wall, a ray
// marched from every pixel to each lamp to see whether something is in between, and falling light
// in broad rings. Inside things, rings of equal distance from their edge are drawn.
//
// Stable: lengths and roots are off by a few units in the last place at most, a hundred-thousandth
// of a pixel; what they decide (rings, hits, shadows) has edges that few pixels come so near, since
// centres and sizes are no round numbers. Colours are sums of multiples of 1/51 = 5/255.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

layout(std140, set = 0, binding = 0) uniform Room {
  vec4 figures[5];  // middle, half sizes; or ends; of a pillar: radius, radius of its hollow
  ivec4 kinds[5];   // shape (0 pillar, 1 box, 2 capsule), tone, cuts out of those before
  vec4 lamps[2];    // place, strength, width of a ring
  ivec4 tones[4];
  vec3 limits;      // shortest step, longest way, width of rings in things
  int figure_count;
  int steps;        // of a ray
  int zero;
  int one;
};

struct Nearest {
  float distance;
  int figure;
};

float BoxDistance(vec2 from, vec2 half_size) {
  vec2 over = abs(from) - half_size;
  float outside = length(vec2(over.x > 0.0 ? over.x : 0.0, over.y > 0.0 ? over.y : 0.0));
  if (outside > 0.0) return outside;
  return over.x > over.y ? over.x : over.y;
}

float SegmentDistance(vec2 place, vec2 from, vec2 to) {
  vec2 along = to - from;
  vec2 seen = place - from;
  float part = dot(seen, along) / dot(along, along);
  if (part <= 0.0) return length(seen);
  if (part >= 1.0) return distance(place, to);
  return length(seen - along * part);
}

float FigureDistance(int figure, vec2 place) {
  vec4 f = figures[figure];
  float thickness = 2.3;
  switch (kinds[figure].x) {
    case 1:
      return BoxDistance(place - f.xy, f.zw);
    case 2:
      return SegmentDistance(place, f.xy, f.zw) - thickness;
    default: {
      float from_rim = length(place - f.xy) - f.z;
      float in_hollow = f.w - f.z - from_rim;
      return from_rim > in_hollow ? from_rim : in_hollow;
    }
  }
}

Nearest FindNearest(vec2 place) {
  Nearest nearest = Nearest(limits.y, -one);
  for (int i = zero; i < figure_count; i += one) {
    float distance_to = FigureDistance(i, place);
    if (kinds[i].z == one) {
      // Cut out: what is inside this figure is outside of all that came before.
      if (-distance_to > nearest.distance) nearest = Nearest(-distance_to, i);
      continue;
    }
    if (distance_to >= nearest.distance) continue;
    nearest.distance = distance_to;
    nearest.figure = i;
  }
  return nearest;
}

// How many rings round the lamp there are from the place outwards; each is narrower than the one
// inside it.
int Rings(float far, vec4 lamp) {
  int rings = zero;
  float reach = lamp.z;
  for (float width = lamp.w; reach > far; width *= 0.875) {
    reach -= width;
    rings += one;
  }
  return rings;
}

// The same, or none where something stands between; how many steps the ray took.
int Light(vec2 place, vec4 lamp, out int taken) {
  vec2 way = lamp.xy - place;
  float far = sqrt(way.x * way.x + way.y * way.y);
  taken = zero;
  int rings = Rings(far, lamp);
  if (rings == zero) return zero;
  vec2 ahead = way / far;
  float gone = limits.x * 4.0;
  while (gone < far) {
    if (taken >= steps) return zero;
    float free_way = FindNearest(place + ahead * gone).distance;
    if (free_way < limits.x) return zero;
    gone += free_way;
    taken += one;
  }
  return rings;
}

ivec3 Inside(Nearest nearest) {
  int ring = int(-nearest.distance / limits.z);
  ivec3 tone = tones[kinds[nearest.figure].y].xyz;
  if ((ring & 1) == zero) tone += ivec3(4, 3, 1) * (ring / 2 + one);
  return tone + nearest.figure;
}

void main() {
  vec2 place = gl_FragCoord.xy;
  Nearest nearest = FindNearest(place);
  ivec3 tone;
  if (nearest.distance < 0.0) {
    tone = Inside(nearest);
  } else {
    ivec2 tile = ivec2(place) >> 4;
    tone = tones[(tile.x + tile.y) & 1].zyx / 2;
    for (int i = 0; i < 2; i++) {
      int taken;
      int rings = Light(place, lamps[i], taken);
      if (rings == zero) continue;
      tone += rings * (i == 0 ? ivec3(3, 2, 1) : ivec3(1, 2, 3));
      tone.y += taken >> 3;
    }
    if (nearest.distance < 2.3) tone /= 2;
  }
  color = vec4(vec3(tone) * (1.0 / 51.0), 1.0);
}
