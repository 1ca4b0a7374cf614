#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Draws four one-dimensional cellular automata, one a quadrant: 64 cells on a ring, of which each
// looks at itself and its two neighbours and finds its next state in an eight-bit rule. Time goes
// down. A cell's colour tells which of the eight neighbourhoods it came from; the darker half of the
// colours is for cells that died or stayed dead. A run ends early when nothing is left alive, or once
// two generations are the same but for a shift; below that line the quadrant shows the ruler of its
// birth rate.
//
// Stable: a generation is two unsigned words, and only bits are combined and counted; all shifts are
// by 1 to 31 places; colours are k * (1/255) for integers k from 0 to 255.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

layout(set = 0, binding = 0) uniform Rules { ivec4 rule; };     // 30, 110, 150, 184
layout(set = 0, binding = 1) uniform Seeds { uvec4 seed; };     // the middle of each first generation
layout(set = 0, binding = 2) uniform Sizes { int size_bits; };  // 6: a quadrant has 64 by 64 pixels
layout(set = 0, binding = 3) uniform One { uint one; };         // 1
layout(set = 0, binding = 4) uniform Alpha { float alpha; };    // 1.0

struct Film {
  uvec2 now;     // x: cells 0 to 31 from the lowest bit on, y: the others
  uvec2 before;
  int frames;    // computed so far
  int births;
  bool still;
};

uvec2 LeftOf(uvec2 row) { return (row << one) | (row.yx >> 31u); }
uvec2 RightOf(uvec2 row) { return (row >> one) | (row.yx << 31u); }

// The cells whose neighbourhood has the given number, as a set.
uvec2 Where(int number, uvec2 left, uvec2 row, uvec2 right) {
  uvec2 cells = (number & 1) != 0 ? left : ~left;
  cells &= (number & 2) != 0 ? row : ~row;
  if ((number & 4) == 0) return cells & ~right;
  return cells & right;
}

uvec2 Evolve(uvec2 row, int code) {
  uvec2 left = LeftOf(row);
  uvec2 right = RightOf(row);
  uvec2 next = uvec2(0u);
  int rest = code;
  for (int number = 0; rest != 0; number++) {
    bool lives = (rest & 1) != 0;
    rest >>= 1;
    if (!lives) continue;
    next |= Where(number, left, row, right);
  }
  return next;
}

int Ones(uvec2 cells) {
  ivec2 sums = bitCount(cells);
  return sums.x + sums.y;
}

bool SameButShifted(uvec2 a, uvec2 b) { return a == LeftOf(b) || a == RightOf(b); }

void Advance(inout Film film, int code) {
  film.before = film.now;
  film.now = Evolve(film.now, code);
  film.frames++;
  film.births += Ones(film.now & ~film.before);
  film.still = film.now == film.before || SameButShifted(film.now, film.before);
}

Film Show(int quadrant, int frames) {
  uvec2 start = uvec2(seed[quadrant], seed[quadrant] >> 16u);
  if ((seed[quadrant] & one) == 0u) start = start.yx;
  Film film = Film(start, uvec2(0u), 0, 0, false);
  int code = rule[quadrant];
  while (film.frames < frames) {
    Advance(film, code);
    if (film.now == uvec2(0u)) break;
    if (film.still) break;
  }
  return film;
}

uint CellOf(uvec2 row, int x) { return ((x < 32 ? row.x : row.y) >> uint(x & 31)) & one; }

int Neighbourhood(uvec2 row, int x) {
  uint number = CellOf(LeftOf(row), x) + 2u * CellOf(row, x) + 4u * CellOf(RightOf(row), x);
  return int(number);
}

ivec3 Colour(int quadrant, Film film, int x) {
  int number = Neighbourhood(film.before, x);
  ivec3 rgb = ivec3(20, 26, 44);
  switch (number) {
    case 7:
      rgb.x += 34;
      // falls through
    case 3:
    case 6:
      rgb.y += 60;
      // falls through
    case 2:
      rgb.z += 70 + number;
      break;
    case 5:
      rgb.z += 30;
      // falls through
    case 4:
      rgb.x += 90;
      // falls through
    case 1:
      rgb.x += 40 + 2 * film.frames / 3;
      break;
    default:
      rgb += film.frames >> 3;
      break;
  }
  rgb = quadrant < 2 ? rgb : rgb.yxz;
  if (CellOf(film.now, x) == one) {
    if (number == 0) return ivec3(255);
    rgb = rgb + ivec3(60, 70, 50);
  }
  return rgb;
}

void main() {
  int x = int(gl_FragCoord.x);
  int y = int(gl_FragCoord.y);
  int side = 1 << size_bits;
  int quadrant = (x >> size_bits) | (2 * (y >> size_bits));
  int column = x & (side - 1);
  int line = y & (side - 1);

  Film film = Show(quadrant, line);
  ivec3 rgb;
  if (film.frames < line) {
    int rate = film.births / film.frames;
    rgb = column < rate ? ivec3(210, 150, 60) : ivec3(14, 4 * film.frames, 30);
    if (((line - film.frames) & 7) == 1) rgb += film.births & 31;
  } else {
    rgb = Colour(quadrant, film, column);
  }
  color = vec4(vec3(rgb) * (1.0 / 255.0), alpha);
}
