#version 450
// SPDX-License-Identifier: Apache-2.0
// Masks of 64 bits that many invocations share: sets of seats that are taken and given back, the span of
// a set, ranks of its members, and clocks that only go forward. Blocks have the scalar layout, and the
// last array of each has as many elements as the buffer has room for.
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 16) in;
layout(scalar, set = 0, binding = 0) buffer Seats {
  uint rows;
  uint64_t taken[4];
  int64_t clock;
  uvec3 names[];
} seats;
layout(scalar, set = 0, binding = 1) buffer Ranks { vec3 at; uint ranks[]; } ranks;

int bits_below(uint64_t set, uint seat) {
  uint64_t below = set & ((1ul << (seat & 63u)) - 1ul);
  uvec2 halves = unpackUint2x32(below);
  return bitCount(halves.x) + bitCount(halves.y);
}

// The seat after one in an order that spreads them out: the reversed bits count up.
uint next_seat(uint seat, uint seats) {
  uint turned = bitfieldReverse(seat) >> 26;
  do {
    turned = (turned + 1u) & 63u;
  } while (bitfieldReverse(turned) >> 26 >= max(seats, 1u) && turned != 0u);
  return bitfieldReverse(turned) >> 26;
}

// A price that falls with the row, and is lowest in the middle of it.
uint price_of(uvec3 name, uint row) {
  uint middle = name.x > 32u ? name.x - 32u : 32u - name.x;
  uint price = 1000u / (row + 1u);
  return name.y == 0u ? price : price - min(price, (32u - min(middle, 32u)) * name.z);
}

// The distance between the first and the last member.
uint span_of(uint64_t set) {
  uvec2 halves = unpackUint2x32(set);
  if (set == 0ul) {
    return 0u;
  }
  int low = halves.x != 0u ? findLSB(halves.x) : 32 + findLSB(halves.y);
  int high = halves.y != 0u ? 32 + findMSB(halves.y) : findMSB(halves.x);
  return uint(high - low) + 1u;
}

// The members of both sets by turns, from the lowest.
uint64_t woven(uint64_t first, uint64_t second) {
  uint64_t result = 0ul;
  for (uint i = 0u; i < 32u; ++i) {
    result |= (first >> i & 1ul) << (2u * i);
    result |= (second >> i & 1ul) << (2u * i + 1u);
  }
  return result;
}

uint64_t rotated(uint64_t set, uint by) {
  uint amount = by & 63u;
  return amount == 0u ? set : set << amount | set >> (64u - amount);
}

bool take_seat(uint row, uint seat) {
  uint64_t bit = 1ul << (seat & 63u);
  uint64_t before = atomicOr(seats.taken[row & 3u], bit);
  return (before & bit) == 0ul;
}

uint64_t leave_seat(uint row, uint seat) {
  return atomicAnd(seats.taken[row & 3u], ~(1ul << (seat & 63u)));
}

int64_t later(int64_t now, uint lane) {
  int64_t mine = now + int64_t(lane) * 3l;
  int64_t before = atomicMax(seats.clock, mine);
  return before < mine ? mine - before : 0l;
}

void main() {
  uint lane = gl_LocalInvocationID.x;
  uint seat = next_seat(lane, 48u);
  bool won = take_seat(lane, seat);
  uint64_t set = woven(uint64_t(lane) * 77ul, rotated(0x1234567ul, lane));
  int64_t waited = later(int64_t(set >> 40), lane);
  if (!won) {
    set ^= leave_seat(lane, seat);
  }
  uint room = uint(seats.names.length());
  if (lane < room) {
    seats.names[lane] = uvec3(span_of(set), uint(bits_below(set, lane)), uint(waited));
  }
  if (lane < uint(ranks.ranks.length())) {
    ranks.ranks[lane] = price_of(uvec3(seat, lane, 3u), lane >> 2) + span_of(set >> 1);
  }
}
