#version 450
// SPDX-License-Identifier: Apache-2.0
// Draws a plasma in bands: three layers, each the sum of two waves or their product, cut into bands
// by thresholds; the second layer is bent by the bands of the first, the third by both. Contours
// between bands are found by comparing with the neighbours to the right and below.
//
// Stable: phases are integers, 64 to a turn, so each wave has only 33 heights, which sin and cos
// give within 2^-11. The thresholds lie in gaps between the sums, at least 0.006 from any; which
// band a sum is in is therefore certain, and all that follows is integers. Colours are k/255.
layout(location = 0) out vec4 color;

struct Wave {
  ivec4 pace;  // phase for each step right, down, and of the square of the distance; at the start
  int bend;    // phase for each band of the layers before
  float height;
};

layout(std140, binding = 0) uniform Plasma {
  Wave waves[6];
  vec4 edges[6];    // of the layers: two each, so eight thresholds, rising
  ivec4 mixes[3];   // of the layers: red, green, blue in eighths; 1: product
  ivec2 middle;     // 60, 40
  float turn;       // 2 pi / 64
  int layers;       // 3
  int dim;          // 3: a contour is so many quarters as bright
  int zero;
  int one;
};

struct Bands {
  int of[3];
  int sum;
};

int Phase(Wave wave, ivec2 place, int bands) {
  ivec2 from = place - middle;
  int square = from.x * from.x + from.y * from.y;
  int phase = wave.pace.x * place.x + wave.pace.y * place.y + (wave.pace.z * square >> 8);
  return phase + wave.pace.w + wave.bend * bands;
}

// Phases from -32 to 31: half a turn either way, where sin and cos are most certain.
float Angle(int phase) { return float((phase & 63) - 32) * turn; }

float Height(int layer, ivec2 place, int bands) {
  Wave first = waves[2 * layer];
  Wave second = waves[2 * layer + 1];
  float rise = first.height * sin(Angle(Phase(first, place, bands)));
  float fall = second.height * cos(Angle(Phase(second, place, bands)));
  return mixes[layer].w == one ? rise * fall : rise + fall;
}

int CountBelow(float height, vec4 four) {
  int count = zero;
  for (; count < 4; count += one) {
    if (height < four[count]) break;
  }
  return count;
}

// Which of nine bands; the upper thresholds are looked at only above all the lower ones.
int BandOf(int layer, float height) {
  int band = CountBelow(height, edges[2 * layer]);
  if (band < 4) return band;
  return band + CountBelow(height, edges[2 * layer + 1]);
}

Bands Layers(ivec2 place) {
  Bands bands;
  bands.sum = zero;
  for (int i = zero; i < layers; i += one) {
    bands.of[i] = BandOf(i, Height(i, place, bands.sum));
    bands.sum += bands.of[i];
  }
  return bands;
}

bool Contour(Bands here, ivec2 place, out int layer) {
  layer = zero;
  int other_sum = zero;
  for (ivec2 next = place + ivec2(1, 0);; next += ivec2(-1, 1)) {
    int band = BandOf(zero, Height(zero, next, zero));
    if (band != here.of[0]) return true;
    layer = one;
    other_sum = band;
    if (BandOf(one, Height(one, next, other_sum)) != here.of[1]) break;
    if (next.x < place.x + one) return false;
  }
  return true;
}

ivec3 Tint(Bands bands) {
  ivec3 tint = ivec3(18, 10, 30);
  for (int i = zero; i < layers; i += one) {
    int level = 9 * bands.of[i];
    switch (i) {
      case 1:
        level = 72 - level;
        // falls through: triangular
      case 0:
        if (level > 36) level = 2 * level - 36;
        break;
      default:
        level += bands.of[0];
        break;
    }
    tint += mixes[i].xyz * level / 8;
  }
  return tint;
}

void main() {
  ivec2 place = ivec2(gl_FragCoord.xy);
  Bands bands = Layers(place);
  ivec3 tint = Tint(bands);
  int layer;
  if (Contour(bands, place, layer)) {
    tint = layer == zero ? tint * dim / 4 : tint.yzx;
  }
  color = vec4(vec3(tint) / 255.0, 1.0);
}
