#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Draws a maze of eight by eight cells, dug by hunt and kill: a random walk that goes on until it is
// stuck, then a hunt, row by row, for a cell that is still solid beside one that is dug, and a walk
// from there. Through the finished maze goes a walker with its right hand on the wall until it
// stands in the pixel's cell; the cell's colour tells how many steps that took and how often it had
// to turn round, a chevron which way it came in. The middles of wall posts are discarded and keep the
// clear colour.
//
// Stable: integers only; cells are indices inside the array since walks do not leave the grid; a maze
// without islands brings the walker to every cell. Colours are k * (1/255), k from 0 to 255.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

layout(set = 0, binding = 0) uniform Grid { int side; };          // 8 cells
layout(set = 0, binding = 1) uniform Cell { int pixels; };        // 10
layout(set = 0, binding = 2) uniform Random { uvec3 random; };    // seed, factor, increment
layout(set = 0, binding = 3) uniform Entry { ivec2 entry; };      // where the walker starts
layout(set = 0, binding = 4) uniform Opaque { float opaque; };    // 1.0

// Directions: 0 north, 1 east, 2 south, 3 west. A cell's doors are bits of them.
int doors[64];
uint dice;

struct Walker {
  ivec2 at;
  int facing;
  int steps;
  int turns;  // by dead ends
};

struct Digger {
  ivec2 at;
  int hunts;
  bool done;
};

ivec2 Toward(int direction) {
  int sense = 1 - (direction & 2);
  return (direction & 1) == 1 ? ivec2(sense, 0) : ivec2(0, -sense);
}

bool InGrid(ivec2 at) {
  if (at.x < 0 || at.y < 0) return false;
  return at.x < side && at.y < side;
}

int Index(ivec2 at) { return at.y * side + at.x; }

int Roll(int sides) {
  dice = dice * random.y + random.z;
  return int((dice >> 24u) % uint(sides));
}

void Open(inout int here, inout int there, int direction) {
  here |= 1 << direction;
  there |= 1 << (direction ^ 2);
}

// A direction, from `first` on clockwise, to a neighbour that is dug or is not, as asked; 4: none.
int Look(ivec2 at, int first, bool dug) {
  for (int i = 0; i < 4; i++) {
    int direction = (first + i) & 3;
    ivec2 next = at + Toward(direction);
    if (!InGrid(next)) continue;
    if ((doors[Index(next)] != 0) == dug) return direction;
  }
  return 4;
}

bool DigFrom(ivec2 at, bool dug, out ivec2 next) {
  int direction = Look(at, Roll(4), dug);
  next = at;
  if (direction == 4) return false;
  next += Toward(direction);
  Open(doors[Index(at)], doors[Index(next)], direction);
  return true;
}

void Hunt(inout Digger digger) {
  digger.done = true;
  digger.hunts++;
  for (int y = 0; y < side; y++) {
    for (int x = 0; x < side; x++) {
      if (doors[y * side + x] != 0) continue;
      ivec2 met;
      if (!DigFrom(ivec2(x, y), true, met)) continue;
      digger.at = ivec2(x, y);
      digger.done = false;
      return;
    }
  }
}

Digger Dig() {
  for (int i = 0; i < side * side; i++) doors[i] = 0;
  dice = random.x;
  Digger digger = Digger(entry, 0, false);
  while (!digger.done) {
    ivec2 next;
    if (DigFrom(digger.at, false, next)) {
      digger.at = next;
    } else {
      Hunt(digger);
    }
  }
  return digger;
}

// One step: right if there is a door, else ahead, left, or back.
void Follow(inout Walker walker) {
  int open = doors[Index(walker.at)];
  int tried = 0;
  walker.facing = (walker.facing + 1) & 3;
  while (((open >> walker.facing) & 1) == 0) {
    walker.facing = (walker.facing + 3) & 3;
    tried++;
  }
  if (tried == 3) walker.turns++;
  walker.at += Toward(walker.facing);
  walker.steps++;
}

Walker WalkTo(ivec2 cell) {
  Walker walker = Walker(entry, 1, 0, 0);
  while (walker.at != cell) Follow(walker);
  return walker;
}

// Whether a pixel of a cell lies in its chevron, which points the way the walker faced.
bool InChevron(ivec2 from_middle, int facing) {
  ivec2 ahead = Toward(facing);
  int along = from_middle.x * ahead.x + from_middle.y * ahead.y;
  int across = from_middle.x * ahead.y - from_middle.y * ahead.x;
  int back = along + abs(across);
  return back == 2 || (back == 1 && along > -2);
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 cell = pixel / pixels;
  ivec2 inner = pixel - cell * pixels;
  bool north_edge = inner.y < 2;
  bool west_edge = inner.x < 2;
  if (north_edge && west_edge && inner.x == inner.y) discard;

  Digger digger = Dig();
  Walker walker = WalkTo(cell);
  int open = doors[Index(cell)];
  ivec3 rgb = ivec3(44 + walker.steps * 3 / 2, 190 - walker.steps, 90 + 5 * walker.turns);
  if (north_edge || west_edge) {
    bool door = west_edge ? (open & 8) != 0 : (open & 1) != 0;
    if (!door || north_edge && west_edge) rgb = ivec3(12, 14, 20) + digger.hunts;
  } else if (InChevron(inner - 6, walker.facing)) {
    rgb = ivec3(250, 240, 210) - walker.steps / 2;
  } else if (cell == digger.at) {
    rgb.z = 255;
  } else if ((open & (open - 1)) == 0) {
    rgb -= 36;
  }
  color = vec4(vec3(rgb) * (1.0 / 255.0), opaque);
}
