#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Draws a map: integer value noise, four octaves of it added up, is a landscape whose heights are
// coloured by zone (the deep sea is cut out, so it keeps the clear colour), lit from the north-west,
// with contour lines and an index line every fourth of them. Lattice points get their values from a
// small integer mixer; between them the interpolation is a cubic smooth step in fixed point.
//
// Stable: lattice cells are 2^k pixels wide, so cell and fraction are bits of the coordinate;
// fractions have 8 bits and weighted sums stay below 2^24; shifts right of negative numbers are
// arithmetic. Neighbouring heights are computed anew instead of differentiated. Colours are
// k * (1/255) for integers k from 0 to 255.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

uniform ivec2 origin;   // of the map: 400, 1237
uniform int octaves;    // 4
uniform int coarse;     // 6: the first octave's cells are 64 pixels wide
uniform uint key;       // 0x51ed2705
uniform int shore;      // 92
uniform int interval;   // 12: between contour lines
uniform int one;        // 1
uniform float opaque;   // 1.0

struct Place {
  ivec2 cell;
  ivec2 fraction;  // 8 bits
};

struct Weight {
  int share;   // of 256
  int total;   // of the octaves so far
};

uint Stir(uint value) {
  value ^= value >> 15u;
  value *= 0x2c1b3c6du;
  return value ^ (value >> 12u);
}

// 0 to 255 at a lattice point.
int Corner(ivec2 point, int octave) {
  uint mixed = Stir(uint(point.x) * 0x8da6b343u + key);
  mixed = Stir(mixed - uint(point.y) * 0xd8163841u);
  return int((mixed + uint(octave) * 0x40000000u) >> 24u);
}

int Smooth(int fraction) { return (fraction * fraction * (768 - 2 * fraction)) >> 16; }

int Between(int from, int to, int share) { return from * 256 + (to - from) * share; }

int Noise(Place place, int octave) {
  ivec2 share = ivec2(Smooth(place.fraction.x), Smooth(place.fraction.y));
  int rows[2];
  for (int row = 0; row < 2; row += one) {
    int west = Corner(place.cell + ivec2(0, row), octave);
    int east = Corner(place.cell + ivec2(1, row), octave);
    rows[row] = Between(west, east, share.x) >> 8;
  }
  return Between(rows[0], rows[1], share.y) >> 4;
}

Place Locate(ivec2 at, int bits) {
  return Place(at >> bits, ((at & ((1 << bits) - 1)) << 8) >> bits);
}

// From 0 to 255.
int Height(ivec2 at) {
  int sum = 0;
  Weight weight = Weight(256, 0);
  for (int octave = 0; octave < octaves; octave++) {
    sum += weight.share * Noise(Locate(at, coarse - octave), octave);
    weight.total += weight.share;
    if (octave > 0 && sum < weight.total * 900) weight.share >>= 1;
    weight.share >>= 1;
  }
  return (sum / weight.total) >> 4;
}

ivec3 Zone(int height, int slope) {
  int above = height - shore;
  if (above < 0) return ivec3(40, 70, 150) + ivec3(1, 2, 2) * above;
  ivec3 rgb = ivec3(0);
  switch (above / 16) {
    case 0:
      rgb = ivec3(208, 196, 140);
      break;
    case 2:
      rgb = ivec3(16, 20, 24);
      // falls through: a darker kind of grass
    case 1:
      rgb = ivec3(100, 160, 80) - rgb;
      break;
    case 3:
      rgb.xz += 64;
      // falls through
    case 4:
      rgb += ivec3(60, 100, 48);
      if (slope > 3 || slope < -3) rgb.x += 30;
      break;
    default:
      rgb = ivec3(20) + above;
      break;
  }
  return rgb + 8 * slope;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 at = pixel + origin;
  int here = Height(at);
  if (here < shore - 34) discard;

  int north = Height(at - ivec2(0, one));
  int west = Height(at - ivec2(one, 0));
  int slope = clamp(2 * here - north - west, -5, 5);
  ivec3 rgb = Zone(here, slope);
  int line = here / interval;
  if (line != north / interval || line != west / interval) {
    rgb = (line & 3) == 0 ? rgb / 3 : rgb - rgb / 4;
    if (here < shore) rgb.z += 40;
  }
  if ((pixel.x & 31) == 0 && (pixel.y & 31) == 0) rgb = ivec3(220, 40, 40);
  color = vec4(vec3(rgb) * (1.0 / 255.0), opaque);
}
