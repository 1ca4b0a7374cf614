#version 320 es
// SPDX-License-Identifier: Apache-2.0
// Draws sixteen chess boards, each a set of 64 squares in one 64-bit number, kept in two words. A
// 64-bit multiplicative hash scatters holes and chooses the start; a flood then spreads by the moves
// of a piece (a row of boards each for knight, rook, king and a leaper that skips rows) until
// it is at the pixel's square. Squares are coloured by the number of moves, in fixed point with 32
// bits after the point, and carry pips: the hash of the squares seen until then.
//
// Stable: unsigned words with carries, borrows and the upper half of products made explicit; all
// shifts are by 1 to 31 places, so none of a word's width; every round of a flood adds a square or is
// the last. Colours are k * (1/255) for integers k from 0 to 255.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

layout(std140, set = 0, binding = 0) uniform Boards {
  uvec2 gamma;     // odd, added between hashes
  uvec2 factor;    // odd, of the hash
  uint step_size;  // 0x9a3c51f0: 0.6 of a level ...
  uint step_high;  // 27: ... and 27 more for each move
  uint zero;       // 0
  int one;         // 1
  float opaque;    // 1.0
} boards;

struct Wide {
  uint low;
  uint high;
};

struct Flood {
  Wide seen;
  Wide front;
  int moves;
};

Wide Both(Wide a, Wide b) { return Wide(a.low & b.low, a.high & b.high); }
Wide Either(Wide a, Wide b) { return Wide(a.low | b.low, a.high | b.high); }
Wide Without(Wide a, Wide b) { return Wide(a.low & ~b.low, a.high & ~b.high); }
Wide Columns(Wide a, uint byte) { return Both(a, Wide(byte * 0x01010101u, byte * 0x01010101u)); }

Wide Up(Wide a, uint places) {
  return Wide(a.low << places, (a.high << places) | (a.low >> (32u - places)));
}

Wide Down(Wide a, uint places) {
  return Wide((a.low >> places) | (a.high << (32u - places)), a.high >> places);
}

Wide Plus(Wide a, Wide b) {
  uint carry;
  uint low = uaddCarry(a.low, b.low, carry);
  return Wide(low, a.high + b.high + carry);
}

Wide Minus(Wide a, Wide b) {
  uint borrow;
  uint low = usubBorrow(a.low, b.low, borrow);
  return Wide(low, a.high - b.high - borrow);
}

Wide Times(Wide a, Wide b) {
  uint high;
  uint low;
  umulExtended(a.low, b.low, high, low);
  return Wide(low, high + a.low * b.high + a.high * b.low);
}

// The next number of a sequence.
Wide Scatter(inout Wide state) {
  state = Plus(state, Wide(boards.gamma.x, boards.gamma.y));
  Wide mixed = Times(Minus(state, Down(state, 29u)), Wide(boards.factor.x, boards.factor.y));
  return Minus(Up(mixed, 7u), Down(mixed, 21u));
}

bool Holds(Wide a, int square) {
  uint word = square < 32 ? a.low : a.high;
  return ((word >> uint(square & 31)) & 1u) != boards.zero;
}

Wide Single(int square) {
  uint bit = 1u << uint(square & 31);
  return square < 32 ? Wide(bit, boards.zero) : Wide(boards.zero, bit);
}

Wide Sideways(Wide a, uint far) {
  uint kept = (0xffu << far) & 0xffu;
  Wide right = Columns(Up(a, far), kept);
  Wide left = Columns(Down(a, far), 0xffu >> far);
  return Either(left, right);
}

Wide Vertical(Wide a, uint far) { return Either(Up(a, 8u * far), Down(a, 8u * far)); }

Wide Slide(Wide from, Wide open) {
  Wide across = from;
  Wide along = from;
  for (int i = 0; i < 3; i += boards.one) {
    across = Either(across, Both(Sideways(across, 1u), open));
    along = Either(along, Both(Vertical(along, 1u), open));
  }
  return Either(across, along);
}

Wide Moves(int piece, Wide from, Wide open) {
  Wide one_off = Sideways(from, 1u);
  Wide reached = from;
  switch (piece) {
    case 0:
      reached = Vertical(Sideways(from, 2u), 1u);
      return Either(reached, Vertical(one_off, 2u));
    case 1:
      return Slide(from, open);
    case 2:
      reached = Either(reached, one_off);
      reached = Either(reached, Vertical(reached, 1u));
      break;
    default:
      reached = Either(Sideways(from, 3u), Vertical(one_off, 2u));
      break;
  }
  return reached;
}

// False: the piece never gets there.
bool Spread(inout Flood flood, int piece, Wide open, int square) {
  while (!Holds(flood.seen, square)) {
    flood.front = Both(Without(Moves(piece, flood.front, open), flood.seen), open);
    if ((flood.front.low | flood.front.high) == boards.zero) return false;
    flood.seen = Either(flood.seen, flood.front);
    flood.moves++;
  }
  return true;
}

ivec3 MoveColour(int moves, uint salt) {
  Wide step_wide = Wide(boards.step_size, boards.step_high);
  Wide level = Times(step_wide, Wide(uint(moves), boards.zero));
  level = Minus(Wide(salt, 236u), level);
  int bright = int(level.high & 255u);
  return ivec3(bright, 40 + bright / 2, 200 - bright * 3 / 4);
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  ivec2 board = at / 36;
  ivec2 inner = at - 36 * board - 2;
  ivec2 place = inner >> 2;
  int square = place.x + 8 * place.y;

  ivec3 rgb = ivec3(70, 62, 54) + 12 * board.y;
  if ((place.x | place.y) >= 0 && all(lessThan(place, ivec2(8)))) {
    Wide state = Wide(uint(board.x) * 77u, uint(board.y));
    Wide holes = Both(Scatter(state), Scatter(state));
    int start = int(Scatter(state).high >> 26u);
    Wide open = Minus(Wide(0xffffffffu, 0xffffffffu), holes);
    Flood flood = Flood(Single(start), Single(start), 0);
    bool there = Spread(flood, board.y, open, square);
    Wide mark = Scatter(flood.seen);
    if (there) {
      rgb = MoveColour(flood.moves, mark.low);
      if (flood.moves == 0) rgb = ivec3(255, 255, 250);
    } else {
      rgb = Holds(holes, square) ? ivec3(18, 16, 22) : ivec3(60, 20, 70);
    }
    int pip = (inner.x & 3) + 4 * (inner.y & 3);
    if (((mark.high >> uint(pip)) & 0x11u) == 0x11u) rgb = rgb * 3 / 4;
    if (((place.x + place.y) & 1) == 0) rgb -= rgb >> 3;
  }
  color = vec4(vec3(rgb) * (1.0 / 255.0), boards.opaque);
}
