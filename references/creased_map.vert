#version 450
// SPDX-License-Identifier: Apache-2.0
// Folds a printed sheet along a list of creases, one after the other, and gives each of its
// vertices a height of a landscape with lakes. A crease mirrors what lies on one side of it and
// is already folded there; which side of the paper is seen, and how many layers lie below,
// follow. Heights are noise on a coarse lattice in octaves, of integers; water flows from a
// vertex to its lowest neighbour.
//
// Exact: creases lie on whole columns and rows, so that folding keeps to the lattice, whose
// sides are 8 pixels long; the frame has 128 pixels a side, so clip coordinates are 64ths.
layout(location = 0) flat out ivec4 print;  // flow, layers, odd folds, lake
layout(location = 1) out float height;      // and half a 16th, so that no pixel's is a whole 16th
layout(location = 2) out vec2 sheet_at;     // eighths of cells on the paper, and a quarter

struct Folded {
  ivec2 at;
  int turns;
  int layers;
};

layout(std140, set = 0, binding = 0) uniform Sheet {
  ivec4 creases[5];  // axis, where, the side that moves (1: beyond), whether it is made
  ivec4 sheet;       // columns, rows, pixels of a cell, creases
  ivec2 origin;      // in pixels
  uint seed;
  int octaves;
} paper;

uint Scrambled(uint value) {
  value ^= value << 13u;
  value ^= value >> 17u;
  return value ^ (value << 5u);
}

int Lattice(ivec2 at, int octave) {
  uint key = paper.seed + uint(at.x * 73 + at.y * 1031 + octave * 65537);
  for (int round = 0; round < 3; ++round) key = Scrambled(key);
  return int(key >> 24u);
}

// Between four corners of a lattice whose cells are 1 << shift wide; 0 to 255.
int Smooth(ivec2 at, int shift, int octave) {
  int width = 1 << shift;
  ivec2 corner = at >> shift;
  ivec2 part = at & (width - 1);
  int upper = Lattice(corner, octave) * (width - part.x) +
              Lattice(corner + ivec2(1, 0), octave) * part.x;
  int lower = Lattice(corner + ivec2(0, 1), octave) * (width - part.x) +
              Lattice(corner + ivec2(1, 1), octave) * part.x;
  return (upper * (width - part.y) + lower * part.y) >> (2 * shift);
}

int Height(ivec2 at) {
  int sum = 0;
  for (int octave = 0; octave < paper.octaves; ++octave) {
    int shift = paper.octaves - octave;
    sum += Smooth(at + 32, shift, octave) >> (octave + 1);
  }
  return sum >> 2;
}

// The neighbour that is lowest, counted clockwise from the one above; 4: none is lower.
int Flow(ivec2 at, int own) {
  const ivec2 ways[4] = ivec2[4](ivec2(0, -1), ivec2(1, 0), ivec2(0, 1), ivec2(-1, 0));
  int best = 4;
  int lowest = own;
  for (int way = 0; way < 4; ++way) {
    int there = Height(at + ways[way]);
    if (there >= lowest) continue;
    lowest = there;
    best = way;
  }
  return best;
}

Folded Fold(ivec2 at) {
  Folded folded = Folded(at, 0, 1);
  for (int i = 0; i < paper.sheet.w; ++i) {
    ivec4 crease = paper.creases[i];
    if (crease.w == 0) continue;
    int along = crease.x == 0 ? folded.at.x : folded.at.y;
    bool moves = crease.z != 0 ? along > crease.y : along < crease.y;
    if (!moves) continue;
    along = 2 * crease.y - along;
    if (crease.x == 0) {
      folded.at.x = along;
    } else {
      folded.at.y = along;
    }
    folded.turns ^= 1;
    ++folded.layers;
  }
  return folded;
}

void main() {
  int stride = paper.sheet.x + 1;
  ivec2 at = ivec2(gl_VertexIndex % stride, gl_VertexIndex / stride);
  Folded folded = Fold(at);
  int own = Height(at);
  int flow = Flow(at, own);
  print = ivec4(flow, folded.layers, folded.turns, own < 14 || flow == 4 ? 1 : 0);
  height = float(own) + 1.0 / 32.0;
  sheet_at = vec2(at) * 8.0 + 0.25;
  ivec2 pixel = folded.at * paper.sheet.z + paper.origin;
  gl_Position = vec4(vec2(pixel) * (1.0 / 64.0) - 1.0, 0.0, 1.0);
}
