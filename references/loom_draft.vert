#version 450
// SPDX-License-Identifier: Apache-2.0
// Works out a weaver's draft, a crossing of warp and weft for each vertex, and lays the cloth
// out on its corner. The threading says on which shaft a warp end is, the treadling which
// treadle a pick presses, the tie-up which shafts that lifts; how long an end floats over its
// neighbours, and whether two ends or picks beside each other do the same, decides how the
// crossing is drawn.
//
// Exact: crossings are integers; columns and rows come from the grid's own coordinates, rounded,
// and corners lie on whole pixels of a frame of 128, so that sides of cells are diagonals.
layout(location = 0) in vec4 place;
layout(location = 0) flat out int crossing;
layout(location = 1) flat out ivec2 yarn;
layout(location = 2) out vec2 weave;  // eighths of a cell, and a half, so that none is a whole one

layout(std140, set = 0, binding = 0) uniform Draft {
  ivec4 threading[3];
  ivec4 treadling[2];
  ivec4 tie_up[2];
  ivec4 yarns[2];
  ivec4 size;  // cells a side, warp ends of a repeat, picks of one, half a cell's width
} draft;

const int kLongest = 7;

int At(ivec4 row, int index) {
  switch (index) {
    case 0: return row.x;
    case 1: return row.y;
    case 2: return row.z;
  }
  return row.w;
}

// Of values down to -kLongest.
int Wrapped(int value, int period) { return (value + kLongest * period) % period; }

int ShaftOf(int end) {
  int at = Wrapped(end, draft.size.y);
  return At(draft.threading[at >> 2], at & 3);
}

int LiftedBy(int pick) {
  int at = Wrapped(pick, draft.size.z);
  int treadle = At(draft.treadling[at >> 2], at & 3);
  return At(draft.tie_up[treadle >> 2], treadle & 3);
}

bool IsUp(ivec2 cell) { return ((LiftedBy(cell.y) >> ShaftOf(cell.x)) & 1) != 0; }

// Crossings in a row that are as this one, both ways; 1 to kLongest.
int FloatLength(ivec2 cell, ivec2 along) {
  bool up = IsUp(cell);
  int length = 1;
  for (int way = -1; way <= 1; way += 2) {
    ivec2 next = cell;
    while (length < kLongest) {
      next += along * way;
      if (IsUp(next) != up) break;
      ++length;
    }
  }
  return length;
}

// A fault of the draft: two ends side by side that are lifted alike by every treadle.
int Doubled(int end) {
  int alike = 0;
  for (int pick = 0; pick < draft.size.z; ++pick) {
    if (IsUp(ivec2(end, pick)) == IsUp(ivec2(end + 1, pick))) ++alike;
  }
  return alike == draft.size.z ? 1 : 0;
}

int YarnOf(int thread, int stripe, int first) {
  int number = (thread / stripe + first) & 7;
  if ((thread & 7) == 5) number ^= 1;
  return At(draft.yarns[number >> 2], number & 3);
}

void main() {
  int side = draft.size.x;
  ivec2 cell = ivec2(floor((place.xy + 1.0) * 0.5 * float(side) + 0.5));
  bool up = IsUp(cell);
  int length = FloatLength(cell, up ? ivec2(0, 1) : ivec2(1, 0));
  bool turns = IsUp(cell + ivec2(1, 1)) == up && IsUp(cell - ivec2(1, 1)) == up;
  crossing = (up ? 1 : 0) | length << 1 | Doubled(cell.x) << 4 | (turns ? 1 : 0) << 5;
  yarn = ivec2(YarnOf(cell.x, 3, 0), YarnOf(cell.y, 4, 2));
  weave = vec2(cell) * 8.0 + 0.5;
  ivec2 pixel = 64 + ivec2(cell.x - cell.y, cell.x + cell.y - side) * draft.size.w;
  gl_Position = vec4(vec2(pixel) * (1.0 / 64.0) - 1.0, 0.0, 1.0);
}
