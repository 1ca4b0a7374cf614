#version 320 es
// SPDX-License-Identifier: Apache-2.0
// Draws a small picture (a moon over a house) four times: with specks of dirt on it; after a rank
// filter of 3 by 3 pixels, which takes most of them away; its morphological gradient, which leaves
// outlines; and sharpened by moving every pixel to the nearer of its neighbourhood's extremes. All
// need the nine neighbours sorted: a network of 25 compare-exchanges, read from a uniform block.
//
// Stable: both images hold integers and are fetched by texel. Indices come from the network's
// half-bytes, 0 to 8. A colour is four bytes, unpacked: k/255 is in the middle between two rounding
// boundaries, however the division is done.
precision highp float;
precision highp int;
precision highp usampler2D;

layout(location = 0) out vec4 color;

layout(set = 0, binding = 0) uniform usampler2D picture;  // 16 by 16, 0 to 7
layout(set = 0, binding = 1) uniform usampler2D dirt;     // 64 by 64, bytes
layout(std140, set = 0, binding = 2) uniform Filter {
  uvec4 network[2];  // a pair in each byte: first index * 16 + second, from the lowest byte on
  int exchanges;     // 25
  int rank;          // 4: the median of 0 to 8
  uint dirty;        // 14: of 256 pixels
  uint one;
  int none;
};

const int kWindow = 9;

struct Extremes {
  uint least;
  uint chosen;
  uint greatest;
};

// A smooth slope from corner to corner on flat areas, and specks of black or white.
uint PixelLevel(ivec2 at) {
  uvec4 speck = texelFetch(dirt, at, none);
  if (speck.x < dirty) return (speck.y & one) * 250u + 3u;
  uint flat_level = texelFetch(picture, at >> 2, none).x;
  return flat_level * 28u + uint(at.x + 2 * at.y) / 4u;
}

void Order(inout uint low, inout uint high, inout int swaps) {
  if (low <= high) return;
  uint kept = low;
  low = high;
  high = kept;
  swaps++;
}

void ReadWindow(ivec2 middle, out uint window[kWindow]) {
  int filled = none;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      window[filled++] = PixelLevel((middle + ivec2(dx, dy)) & 63);
    }
  }
}

Extremes SortWindow(inout uint window[kWindow], out int swaps) {
  swaps = none;
  for (int i = none; i < exchanges; i++) {
    uint packed_pair = network[i >> 4][(i >> 2) & 3] >> uint(8 * (i & 3));
    Order(window[(packed_pair >> 4u) & 15u], window[packed_pair & 15u], swaps);
  }
  return Extremes(window[0], window[rank], window[kWindow - 1]);
}

uint Toggle(Extremes of, uint level) {
  uint up = of.greatest - level;
  uint down = level - of.least;
  if (up < down) return of.greatest;
  if (down < up) return of.least;
  return of.chosen;
}

// Three ramps between four tones, each 64 levels long, byte by byte.
uint Tone(uint level) {
  uint part = level & 63u;
  uint red = 20u;
  uint blue = 70u;
  uint green = 24u;
  switch (level >> 6u) {
    case 3u:
      red += 84u;
      green += 2u * part;
      blue += part;
      // falls through: as warm as the one below is at its end
    case 2u:
      red += 110u;
      green += 40u + part / 2u;
      blue -= 30u;
      break;
    case 1u:
      red += 2u * part - 20u;
      green += part;
      // falls through
    default:
      blue += 3u * part / 2u;
      break;
  }
  return red | green << 8u | blue << 16u | 0xff000000u;
}

uint Outline(uint thickness, int swaps) {
  uint ink = 0xff403028u + uint(swaps) * 0x010002u;
  for (uint bound = 16u; bound < 256u && thickness >= bound; bound *= 2u) ink += 0x00281c30u;
  return ink;
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  ivec2 place = at & 63;
  int panel = (at.x >> 6) + 2 * (at.y >> 6);
  uint level = PixelLevel(place);
  if (panel == none) {
    color = unpackUnorm4x8(Tone(level));
    return;
  }
  uint window[kWindow];
  ReadWindow(place, window);
  int swaps;
  Extremes sorted = SortWindow(window, swaps);
  uint shown = one;
  switch (panel) {
    case 1:
      shown = Tone(sorted.chosen);
      break;
    case 2:
      shown = Outline(sorted.greatest - sorted.least, swaps);
      break;
    default:
      shown = Tone(Toggle(sorted, level));
      shown = (shown >> 8u & 0xffffu) | (shown & 255u) << 16u | shown & 0xff000000u;
      break;
  }
  color = unpackUnorm4x8(shown);
}
