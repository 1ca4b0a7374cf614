#version 450
// SPDX-License-Identifier: Apache-2.0
// Books the slips of a bank: each of 64 clerks reads a slip of three words, unseals its amount with a
// key that turns from slip to slip, checks its seal, and books it in one of eight vaults. What all
// clerks share is booked by atomics of 64 bits: sums, the largest and the smallest amount, seals that
// cancel out, and a mask of the days on which something came in. Blocks have the scalar layout, so
// vectors of three begin wherever the last member ended, and the receipts have no fixed number.
//
// Exact: integers of 64 and 32 bits; amounts of shifts are below the width. Sums, extremes and masks
// do not depend on the order of the clerks.
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_scalar_block_layout : require

layout(local_size_x = 32) in;

layout(scalar, set = 0, binding = 0) uniform Bank {
  uint64_t key;
  uint turns;
  uvec3 rates[4];  // fee, limit, days; 12 bytes each
  uint closed;     // a bit for each vault
} bank;
layout(scalar, set = 0, binding = 1) readonly buffer Slips {
  uint first;
  uvec3 slips[64];
};
layout(scalar, set = 0, binding = 2) buffer Vaults {
  uint64_t totals[8];
  uint64_t most[8];
  int64_t least[8];
  uint64_t seals[8];
  uint64_t days[8];   // on which something came in
  uint64_t quiet[8];  // on which nothing was refused
  uint refused;
  uint64_t kept;
};
layout(scalar, set = 0, binding = 3) writeonly buffer Receipts {
  uvec3 heading;
  u64vec3 receipts[];
};

struct Amount {
  uint64_t coins;
  uint vault;
  uint day;
  bool sealed;
};

uint64_t Turned(uint64_t value, uint by) {
  by &= 63u;
  return by == 0u ? value : value << by | value >> (64u - by);
}

// Every second bit of a number, moved together.
uint64_t Thinned(uint64_t value) {
  value &= 0x5555555555555555ul;
  value = (value | value >> 1) & 0x3333333333333333ul;
  value = (value | value >> 2) & 0x0f0f0f0f0f0f0f0ful;
  value = (value | value >> 4) & 0x00ff00ff00ff00fful;
  value = (value | value >> 8) & 0x0000ffff0000fffful;
  return (value | value >> 16) & 0xfffffffful;
}

// Whether the number of bits is odd.
bool Odd(uint64_t value) {
  value ^= value >> 32;
  value ^= value >> 16;
  value ^= value >> 8;
  value ^= value >> 4;
  return (0x6996u >> uint(value & 15ul) & 1u) != 0u;
}

// A checksum of 16 bits over the eight bytes.
uint Sealed(uint64_t value) {
  uint sum = 0xffffu;
  for (uint i = 0u; i < 8u; i++) {
    sum ^= uint(value >> (8u * i) & 0xfful) << 8;
    for (uint bit = 0u; bit < 4u; bit++) {
      sum = (sum & 0x8000u) != 0u ? (sum << 1 ^ 0x1021u) & 0xffffu : sum << 1 & 0xffffu;
    }
  }
  return sum;
}

Amount Read(uvec3 slip, uint number) {
  uint64_t key = Turned(bank.key, number * bank.turns);
  uint64_t raw = (uint64_t(slip.y) << 32 | uint64_t(slip.x)) ^ key;
  Amount amount;
  amount.coins = Thinned(raw) + (Thinned(raw >> 1) << 20);
  amount.vault = slip.z & 7u;
  amount.day = uint(raw % 61ul);
  amount.sealed = Odd(raw) != ((slip.z >> 3 & 1u) != 0u);
  return amount;
}

uint64_t Fee(uint64_t coins, uvec3 rate) {
  uint64_t fee = coins / uint64_t(rate.x + 1u);
  uint64_t limit = uint64_t(rate.y) << 16;
  return fee < limit ? fee : limit + (fee - limit >> 3);
}

void main() {
  uint clerk = gl_GlobalInvocationID.x;
  uvec3 slip = slips[(clerk * 5u + first) & 63u];
  Amount amount = Read(slip, clerk);
  uint vault = amount.vault;
  bool closed = (bank.closed >> vault & 1u) != 0u;
  if (closed) vault = (vault + 3u) & 7u;
  uvec3 rate = bank.rates[vault >> 1];
  uint64_t fee = Fee(amount.coins, rate);
  uint64_t rest = amount.coins - fee;
  int64_t change = int64_t(rest) - int64_t(uint64_t(rate.z) << 24);
  uint64_t mark = uint64_t(Sealed(rest)) << 40 | uint64_t(Sealed(fee)) << 8 | uint64_t(clerk);

  if (amount.sealed) {
    atomicAdd(totals[vault], rest);
    atomicMax(most[vault], rest);
    atomicMin(least[vault], change);
    atomicOr(days[vault], 1ul << amount.day);
    atomicAdd(kept, fee);
  } else {
    atomicAdd(refused, 1u + (closed ? 256u : 0u));
    atomicAnd(quiet[vault], ~(3ul << (amount.day & 31u)));
  }
  atomicXor(seals[vault], mark);
  if (clerk == 0u) heading = uvec3(receipts.length(), bank.turns, uint(bank.key >> 48));
  receipts[clerk] = u64vec3(rest, mark, Turned(fee, amount.day) ^ uint64_t(change));
}
