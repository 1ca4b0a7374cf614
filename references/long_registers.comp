#version 450
// SPDX-License-Identifier: Apache-2.0
// Shift registers of 64 bits: each invocation runs one, with feedback from taps, carry-less
// products, and permutations of its bits by masks and swaps. Boards of a game of pegs are 64-bit
// masks too: they are moved, mirrored and counted. Constants of 64 bits come from specialisation.
//
// Exact: integers only, of 64 and of 32 bits; amounts of shifts are below the width.
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_ARB_gpu_shader_int64 : require

layout(local_size_x = 32) in;

layout(constant_id = 0) const uint64_t kTaps = 0x800000000000000dul;
layout(constant_id = 1) const int64_t kBias = -1l;
layout(constant_id = 2) const uint kSteps = 4u;
layout(constant_id = 3) const bool kMirrored = false;
layout(constant_id = 4) const double kShare = 0.5lf;

layout(std430, set = 0, binding = 0) readonly buffer Seeds { u64vec2 seeds[32]; };
layout(std430, set = 0, binding = 1) writeonly buffer Registers { u64vec4 registers[]; };
layout(std430, set = 0, binding = 2) buffer Sums { uint sums[8]; };

const uint64_t kFiles = 0x0101010101010101ul;
const uint64_t kEven = 0x5555555555555555ul;
const uint64_t kPairs = 0x3333333333333333ul;
const uint64_t kNibbles = 0x0f0f0f0f0f0f0f0ful;

struct Board {
  uint64_t pegs;
  uint64_t holes;
  uint moves;
};

uint64_t Rotated(uint64_t value, uint by) {
  return by == 0u ? value : value << by | value >> (64u - by);
}

uint BitsOf(uint64_t value) {
  uvec2 halves = unpackUint2x32(value);
  return uint(bitCount(halves.x) + bitCount(halves.y));
}

// The number of the lowest bit that is set; 64 if there is none.
uint LowestOf(uint64_t value) {
  uvec2 halves = unpackUint2x32(value);
  if (halves.x != 0u) return uint(findLSB(halves.x));
  return halves.y != 0u ? 32u + uint(findLSB(halves.y)) : 64u;
}

uint64_t Reversed(uint64_t v) {
  v = (v >> 1 & kEven) | (v & kEven) << 1;
  v = (v >> 2 & kPairs) | (v & kPairs) << 2;
  v = (v >> 4 & kNibbles) | (v & kNibbles) << 4;
  uvec2 halves = unpackUint2x32(v);
  uvec2 turned = (halves >> 24u) | (halves >> 8u & 0xff00u);
  turned |= (halves << 8u & 0xff0000u) | halves << 24u;
  return packUint2x32(turned.yx);
}

uint64_t Stepped(uint64_t state, uint count) {
  for (uint i = 0u; i < count; i++) {
    uint64_t out_bit = state & 1ul;
    state >>= 1;
    if (out_bit != 0ul) state ^= kTaps;
  }
  return state;
}

// The low bits of a product without carries.
uint64_t Crossed(uint64_t a, uint64_t b) {
  uint64_t sum = 0ul;
  for (uint i = 0u; i < 64u && b >> i != 0ul; i += 1u) {
    if ((b >> i & 1ul) == 1ul) sum ^= a << i;
  }
  return sum;
}

// Keeps the bits that a mask names, moved together at the low end.
uint64_t Gathered(uint64_t value, uint64_t mask) {
  uint64_t kept = 0ul;
  uint place = 0u;
  while (mask != 0ul) {
    uint low = LowestOf(mask);
    kept |= (value >> low & 1ul) << place++;
    mask &= mask - 1ul;
  }
  return kept;
}

// Jumps of pegs to the right over a peg into a hole; the lowest that is possible.
Board Jumped(Board board, uint by, uint64_t edge) {
  uint64_t from = board.pegs & (board.pegs >> by) & (board.holes >> (2u * by)) & ~edge;
  if (from == 0ul) return board;
  uint64_t peg = from & (~from + 1ul);
  board.pegs ^= peg | peg << by | peg << (2u * by);
  board.holes ^= peg | peg << by | peg << (2u * by);
  board.moves++;
  return board;
}

int64_t Scaled(uint64_t value, uint lane) {
  int64_t centred = int64_t(value >> 8) + kBias * int64_t(lane);
  int64_t part = centred / int64_t(lane * 3u + 1u);
  return (centred & 1l) != 0l ? -part : part >> 3;
}

void main() {
  uint lane = gl_LocalInvocationID.x, group = gl_WorkGroupID.x;
  u64vec2 seed = seeds[(lane + group * 7u) & 31u];
  uint64_t state = seed.x, other = Rotated(seed.y, (lane * 11u) & 63u);
  Board board = Board(seed.y, ~seed.y, 0u);
  uint share = uint(kShare * 64.0lf);
  uint trace = 0u;
  for (uint step = 0u; step < kSteps; step++) {
    state = Stepped(state, 5u + (step & 7u)) ^ group;
    switch (uint(state) & 3u) {
      case 0u:
        other = Crossed(other, state | 1ul);
        break;
      case 1u:
        other = Gathered(state, other) + (other << share);
        // falls through: the state is reversed as well
      case 2u:
        state = Reversed(state);
        break;
      default:
        other ^= Rotated(state * 0xd6e8feb86659fd93ul, share);
        break;
    }
    board = Jumped(board, 1u, kFiles << 6 | kFiles << 7);
    board = Jumped(board, 8u, 0xfffful << 48);
    trace = trace * 5u + BitsOf(board.pegs ^ state) + LowestOf(other);
  }
  if (kMirrored) board.pegs = Reversed(board.pegs);
  int64_t scaled = Scaled(other, lane);
  registers[group * 32u + lane] = u64vec4(state, other, board.pegs, uint64_t(scaled));
  atomicAdd(sums[group & 3u], board.moves);
  atomicXor(sums[4u + (lane & 3u)], trace + uint(scaled > 0l));
}
