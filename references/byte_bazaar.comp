#version 450
// SPDX-License-Identifier: Apache-2.0
// A market of stalls that count in bytes: goods are signed bytes that saturate, prices unsigned
// ones that wrap, ledgers have 16 bits, and the bank keeps 64. Sixteen stalls to a workgroup trade
// round by round with the neighbour that a table of bytes names.
//
// Exact: integers only. Arithmetic of bytes and shorts wraps by definition; what saturates is
// computed in a wider type and clamped. Barriers separate what a stall reads from what it writes.
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require

layout(local_size_x = 16) in;

const uint kStalls = 16u;
const uint kRounds = 12u;

struct Offer {
  int8_t goods;
  uint8_t price;
  uint16_t patience;
};

layout(std430, set = 0, binding = 0) readonly buffer Rules {
  uint8_t partner[64];
  int8_t habit[16];
  uint16_t toll[8];
};
layout(std430, set = 0, binding = 1) writeonly buffer Ledger {
  Offer closing[];
};
layout(std430, set = 0, binding = 2) writeonly buffer Bank { u64vec2 accounts[]; };
layout(std430, set = 0, binding = 3) writeonly buffer Prints { u8vec4 print[]; };
layout(push_constant) uniform Season {
  uint seed;
  uint greed;
};

shared uint goods_of[kStalls];
shared uint price_of[kStalls];

int8_t Saturated(int value) { return int8_t(clamp(value, -128, 127)); }

uint8_t Turned(uint8_t value, int by) {
  return uint8_t(value << uint8_t(by)) | uint8_t(value >> uint8_t(8 - by));
}

int8_t Averaged(int8_t a, int8_t b) {
  return (a & b) + ((a ^ b) >> int8_t(1));
}

uint16_t Patience(uint8_t low, int8_t high) {
  return uint16_t(low) | uint16_t(uint16_t(uint8_t(high)) << uint16_t(8));
}

Offer FirstOffer(uint stall, uint group) {
  uint mixed = (seed + stall * 0x01000193u) ^ group * 0x9e3779b1u;
  mixed ^= mixed >> 13;
  mixed *= 0x85ebca6bu;
  mixed ^= mixed >> 16;
  uvec4 bytes = uvec4(mixed, mixed >> 8, mixed >> 16, mixed >> 24);
  i8vec4 parts = i8vec4(bytes);
  parts ^= parts.yxwz;
  return Offer(parts.x, uint8_t(parts.y) | uint8_t(1), Patience(uint8_t(parts.z), parts.w));
}

// What a stall asks after it saw its partner's goods and price.
Offer Haggle(Offer own, int8_t goods, uint8_t price, int8_t habit) {
  Offer next = own;
  if (habit < int8_t(0)) {
    next.goods = Saturated(int(own.goods) + int(goods) * int(habit) / 16);
  } else if (goods > own.goods) {
    next.goods = Averaged(own.goods, goods);
  } else {
    next.goods = own.goods - habit;
  }
  switch (int(habit) & 3) {
    case 0:
      next.price = max(own.price, price);
      break;
    case 1:
      next.price = own.price + price;
      break;
    case 2:
      next.price = Turned(own.price, 3) ^ price;
      break;
    default:
      next.price = own.price * uint8_t(price | uint8_t(1)) - uint8_t(goods);
      break;
  }
  uint16_t spent = uint16_t(own.price) * uint16_t(price);
  next.patience = own.patience > spent ? own.patience - spent : own.patience ^ spent;
  return next;
}

uint64_t Banked(uint64_t account, Offer offer, uint round) {
  uint64_t deposit = uint64_t(int64_t(offer.goods)) * uint64_t(offer.price);
  account = account << 7 | account >> 57;
  account ^= deposit + (uint64_t(offer.patience) << (round * 4u));
  return account * 0x9e3779b97f4a7c15ul;
}

void main() {
  uint stall = gl_LocalInvocationID.x, group = gl_WorkGroupID.x;
  Offer offer = FirstOffer(stall, group);
  uint64_t account = uint64_t(seed), debt = 0ul;
  for (uint round = 0u; round < kRounds; ++round) {
    goods_of[stall] = uint(int(offer.goods));
    price_of[stall] = uint(offer.price);
    barrier();
    uint8_t named = partner[(round * kStalls + stall) & 63u];
    uint with = (uint(named) + group) & (kStalls - 1u);
    int8_t goods = int8_t(goods_of[with]);
    uint8_t price = uint8_t(price_of[with]);
    barrier();
    offer = Haggle(offer, goods, price, habit[(stall + round) & 15u]);
    uint16_t due = toll[uint(offer.price) & 7u];
    if (offer.patience < due) {
      offer.patience += due;
      debt += uint64_t(due);
    }
    if (uint(offer.price) > greed) offer.price -= uint8_t(greed);
    account = Banked(account, offer, round);
  }
  uint place = group * kStalls + stall;
  closing[place] = offer;
  accounts[place] = u64vec2(account, debt);
  u8vec2 ends = u8vec2(uint8_t(account), uint8_t(account >> 56));
  u8vec4 marks = u8vec4(uint8_t(offer.goods), offer.price, ends);
  print[place] = marks.wzyx + marks;
}
