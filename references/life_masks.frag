#version 450
// SPDX-License-Identifier: Apache-2.0
// Draws Conway's game of life on a torus of 16 by 16 cells, a film in four pictures: generations 0,
// n, 2n, 3n in the quadrants from top left to bottom right. A row is the low half of a word and all
// its cells are computed at once, the neighbours counted by full adders made of bit operations.
// Colours: born this generation, alive for longer, died just now, alone, crowded, empty.
//
// Stable: bit operations on unsigned integers, shifts by less than 16, indices masked to the board;
// colours are k * (1/255) for integers k from 0 to 255.
layout(location = 0) out vec4 color;

layout(set = 0, binding = 0) uniform buf0 { uvec4 upper; };        // rows 0 to 7, two a word
layout(set = 0, binding = 1) uniform buf1 { uvec4 lower; };        // rows 8 to 15
layout(set = 0, binding = 2) uniform buf2 { int generations; };    // 1, from picture to picture
layout(set = 0, binding = 3) uniform buf3 { int cell_bits; };      // 2: a cell has 4 by 4 pixels
layout(set = 0, binding = 4) uniform buf4 { uint one; };           // 1
layout(set = 0, binding = 5) uniform buf5 { int zero; };           // 0
layout(set = 0, binding = 6) uniform buf6 { int rows; };           // 16

const int kRows = 16;
const uint kRowMask = 0xffffu;

struct Count {  // of neighbours, bit by bit for a whole row: ones + 2 * twos + 4 * fours
  uint ones;
  uint twos;
  uint fours;
};

uint board[kRows];
uint before[kRows];

uint West(uint row) { return ((row << one) | (row >> 15u)) & kRowMask; }
uint East(uint row) { return ((row >> one) | (row << 15u)) & kRowMask; }

void Add(inout Count count, uint cells) {
  uint carry = count.ones & cells;
  count.ones ^= cells;
  uint carry2 = count.twos & carry;
  count.twos ^= carry;
  count.fours |= carry2;  // 8 neighbours would wrap to 4: dead either way
}

Count Neighbours(int row) {
  uint above = before[(row + kRows - 1) & (kRows - 1)];
  uint here = before[row & (kRows - 1)];
  uint below = before[(row + 1) & (kRows - 1)];
  Count count = Count(West(above), 0u, 0u);
  Add(count, above);
  Add(count, East(above));
  Add(count, West(here));
  Add(count, East(here));
  Add(count, West(below));
  Add(count, below);
  Add(count, East(below));
  return count;
}

void Load() {
  for (int i = zero; i < 4; i++) {
    board[2 * i] = upper[i] >> 16u;
    board[2 * i + 1] = upper[i] & kRowMask;
    board[8 + 2 * i] = lower[i] >> 16u;
    board[9 + 2 * i] = lower[i] & kRowMask;
  }
  before = board;
}

void Step() {
  before = board;
  for (int row = 0; row < rows; row++) {
    Count count = Neighbours(row);
    uint two_or_three = count.twos & ~count.fours;
    board[row] = two_or_three & (count.ones | before[row]);
  }
}

uint Bit(uint row, int column) { return (row >> uint(15 - column)) & one; }

vec4 Paint(int rgb) {
  ivec3 levels = ivec3(rgb >> 16, rgb >> 8, rgb) & 255;
  return vec4(vec3(levels) * (1.0 / 255.0), 1.0);
}

void main() {
  int x = int(gl_FragCoord.x);
  int y = int(gl_FragCoord.y);
  int picture = (x >> 6) + 2 * (y >> 6);
  int column = ((x & 63) >> cell_bits) & (kRows - 1);
  int row = ((y & 63) >> cell_bits) & (kRows - 1);

  Load();
  int steps = picture * generations;
  for (int i = zero; i < steps; i++) Step();

  uint now = Bit(board[row], column);
  uint then = Bit(before[row], column);
  int rgb = 0;
  switch (int(now * 2u + then)) {
    case 0: {
      rgb = ((row + column) & 1) == zero ? 0x101820 : 0x182430;
      Count around = Neighbours(row);
      if (Bit(around.fours, column) == one) {
        rgb = 0x243850;
        break;
      }
      if (Bit(around.ones & ~around.twos, column) == one) rgb += 0x000c14;
      break;
    }
    case 1:
      rgb = 0x703030;
      break;
    case 2:
      rgb = 0x40e060;
      break;
    case 3:
      rgb = 0xe8d048;
      break;
  }
  int edge = (1 << cell_bits) - 1;
  if ((x & edge) == zero || (y & edge) == zero) rgb = now == one ? 0x504810 : 0x0c1014;
  if ((x & 63) == 63 || (y & 63) == 63) rgb = 0xc0c0c8;
  color = Paint(rgb);
}
