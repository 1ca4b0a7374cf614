#version 450
#extension GL_EXT_nonuniform_qualifier : require
// SPDX-License-Identifier: Apache-2.0
// An atlas in arrays of descriptors: sheets, inks and logs that are chosen by computed indices; free
// space by shelves, glyphs by runs, and a vote of the sheets about each cell.
layout(local_size_x = 32) in;

layout(set = 0, binding = 0) uniform usampler2D sheets[5];
layout(set = 0, binding = 1, r32ui) uniform uimage2D pages[3];
layout(std140, set = 0, binding = 2) uniform Ink {
  uvec4 tones[4];
  int spread;
} inks[3];
layout(std430, set = 0, binding = 3) buffer Log {
  uint count;
  uint lines[];
} logs[2];
layout(push_constant) uniform Run {
  int first;
  int last;
  uint key;
} run;

struct Shelf {
  int top;
  int height;
  int used;
};

// Puts a box on the lowest shelf on which it fits; gives its place, or -1.
ivec2 put_box(inout Shelf shelves[4], inout int count, ivec2 box, int width) {
  int best = -1;
  int waste = 1 << 16;
  for (int i = 0; i < count; ++i) {
    int left = shelves[i].height - box.y;
    if (left < 0 || shelves[i].used + box.x > width || left >= waste) {
      continue;
    }
    best = i;
    waste = left;
  }
  if (best < 0) {
    if (count == 4) {
      return ivec2(-1);
    }
    int top = count == 0 ? 0 : shelves[count - 1].top + shelves[count - 1].height;
    shelves[count] = Shelf(top, box.y, 0);
    best = count++;
  }
  ivec2 at = ivec2(shelves[best].used, shelves[best].top);
  shelves[best].used += box.x;
  return at;
}

int packed_boxes(uint key, int boxes) {
  Shelf shelves[4];
  for (int i = 0; i < 4; ++i) {
    shelves[i] = Shelf(0, 0, 0);
  }
  int count = 0, sum = 0;
  for (int i = 0; i < boxes; ++i) {
    key = key * 1664525u + 1013904223u;
    ivec2 at = put_box(shelves, count, ivec2(key >> 28, key >> 24 & 15u) + 1, 48);
    if (at.x < 0) {
      return -sum;
    }
    sum += at.x * 3 + at.y;
  }
  return sum;
}

// The sheet that has most of the bits that are asked for.
int best_sheet(ivec2 at, uint wanted) {
  int best = 0, most = -1;
  for (int i = 0; i < 5; ++i) {
    int bits = bitCount(texelFetch(sheets[i], at & 7, 0).x & wanted);
    if (bits > most) {
      most = bits;
      best = i;
    }
  }
  return best;
}

uint tone_of(int ink, uint level) {
  int spread = inks[nonuniformEXT(ink)].spread;
  uint step = level / uint(max(spread, 1));
  switch (step & 3u) {
    case 0u:
      return inks[nonuniformEXT(ink)].tones[0].x;
    case 1u:
      level ^= 5u;
    case 2u:
      return inks[nonuniformEXT(ink)].tones[1][level & 3u];
  }
  return inks[nonuniformEXT(ink)].tones[3].w + level;
}

// Runs of equal texels in a row of a sheet, the lengths four bits each.
uint runs_in(int sheet, int row) {
  uint runs = 0u;
  int length = 0;
  uint last = 0u;
  for (int x = 0; x < 8; ++x) {
    uint texel = texelFetch(sheets[nonuniformEXT(sheet)], ivec2(x, row), 0).y & 3u;
    if (x > 0 && texel == last) {
      ++length;
      continue;
    }
    runs = runs << 4 | uint(length);
    length = 1;
    last = texel;
  }
  return runs;
}

void note(int book, uint line) {
  // Atomics need an index that is the same for all.
  for (int i = 0; i < 2; ++i) {
    if (i != book) {
      continue;
    }
    uint at = atomicAdd(logs[i].count, 1u);
    if (at < uint(logs[i].lines.length())) {
      logs[i].lines[at] = line;
    }
  }
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  uint sum = 0u;
  for (int cell = run.first; cell < run.last; ++cell) {
    int sheet = best_sheet(ivec2(lane, cell), run.key);
    sum = sum * 7u + tone_of(sheet % 3, runs_in(sheet, cell & 7));
    imageAtomicXor(pages[nonuniformEXT(sheet % 3)], ivec2(lane, cell & 7), sum);
  }
  note(lane & 1, sum ^ uint(packed_boxes(run.key + uint(lane), 9)));
}
