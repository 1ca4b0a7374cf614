#version 450
// SPDX-License-Identifier: Apache-2.0
// Reads a timetable whose rows and columns are texels: trams follow lines over a street map, wait at stops
// for as many minutes as the table says, and write down when they come by. Streets are looked up by their
// place in metres, and a metre is a texel: nothing is divided by the size of the map. Half a metre to the
// side, a filter sees the mean of two lanes.
//
// Exact: the centres of texels, and means of two lanes that are equal.
layout(local_size_x = 32) in;

layout(set = 0, binding = 0) uniform sampler2D streets;   // nearest, has a white border
layout(set = 0, binding = 1) uniform sampler2D lanes;     // linear, clamps
layout(set = 0, binding = 2) uniform usampler1D minutes;  // nearest, clamps
layout(std140, set = 0, binding = 3) uniform Depot {
  ivec4 lines[8];  // start, heading, pace
  ivec4 rules;     // steps, longest wait, fare, night
} depot;
layout(std430, set = 0, binding = 4) buffer Log {
  uint arrivals[32];
  ivec4 last[32];
} log_book;

const ivec2 kWays[4] = ivec2[4](ivec2(1, 0), ivec2(0, 1), ivec2(-1, 0), ivec2(0, -1));

struct Tram {
  ivec2 at;
  int way;
  int clock;
  uint seen;
};

ivec4 StreetAt(ivec2 metre) {
  return ivec4(textureLod(streets, vec2(metre) + 0.5, 0.0) * 255.0 + 0.5);
}

// Between two lanes side by side, which are equal.
int LaneBeside(ivec2 metre) {
  vec2 between = vec2(float((metre.x & ~1) + 1), float(metre.y) + 0.5);
  return int(textureLod(lanes, between, 0.0).r * 255.0 + 0.5);
}

uint WaitAt(int stop, int passengers) {
  uvec4 wait = textureLod(minutes, float(stop) + 0.5, 0.0);
  uint longest = uint(depot.rules.y);
  if (passengers > 180) return min(wait.x + wait.y, longest);
  return passengers > 90 ? min(wait.x, longest) : wait.x >> 4;
}

Tram Advanced(Tram tram, ivec4 street, int pace) {
  Tram next = tram;
  int lane = LaneBeside(tram.at);
  if (street.r > 150 && lane > 60) {
    next.way = tram.way + 1 & 3;
    next.clock += lane & 7;
  } else if (street.g < 40) {
    next.way = tram.way + 3 & 3;
  }
  next.at += kWays[next.way] * (1 + (pace & 1));
  next.clock += 2 + pace;
  return next;
}

void main() {
  int number = int(gl_GlobalInvocationID.x);
  ivec4 line = depot.lines[number & 7];
  Tram tram = Tram(line.xy + ivec2(number >> 3, 0), line.z, depot.rules.w, 0u);
  int stops = 0;
  for (int i = 0; i < depot.rules.x; ++i) {
    ivec4 street = StreetAt(tram.at);
    // Beyond the map all is white.
    if (street.r + street.g + street.b + street.a == 4 * 255) {
      tram.seen |= 0x80000000u;
      break;
    }
    if ((street.b & 3) == (number & 3)) {
      uint wait = WaitAt(street.b >> 4, street.a);
      tram.clock += int(wait & 63u);
      tram.seen = tram.seen * 5u + wait;
      if (++stops == 6) continue;
    }
    tram = Advanced(tram, street, line.w);
    tram.seen ^= uint(tram.at.x + 32 * tram.at.y) << (i & 7);
  }
  log_book.arrivals[number] = tram.seen;
  log_book.last[number] = ivec4(tram.at, tram.way, tram.clock + stops * depot.rules.z);
}
