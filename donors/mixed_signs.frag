#version 320 es
// SPDX-License-Identifier: Apache-2.0
// Signed and unsigned mixed: conversions both ways, shifts that copy the sign and shifts that do
// not, bit fields, the highest and lowest bits, zigzag and Gray codes, LEB numbers and integer
// logarithms.
precision highp float;
precision highp int;
layout(location = 0) flat in ivec3 place;
layout(location = 0) out vec4 color;

int zigzag_back(uint coded) {
  return int(coded >> 1) ^ -int(coded & 1u);
}

uint zigzag(int value) {
  return uint(value << 1) ^ uint(value >> 31);
}

ivec4 wrap_signs(ivec4 v, uvec4 w) {
  uvec4 sum = uvec4(v) + w;
  ivec4 back = ivec4(sum);
  bvec4 less = lessThan(back, v);
  uvec4 over = uvec4(less) ^ uvec4(lessThan(sum, w));
  ivec4 shifted = ivec4(sum >> uvec4(3u, 5u, 31u, 0u)) - (v >> ivec4(3, 5, 31, 0));
  for (int i = 0; i < 4; ++i) {
    if (over[i] != 0u) {
      shifted[i] = -shifted[i];
    } else if (shifted[i] < 0) {
      shifted[i] = int(uint(shifted[i]) >> 1);
    }
  }
  return shifted;
}

int sign_by_bits(int a, uint b) {
  int highest = findMSB(a);
  int of_unsigned = findMSB(b);
  int lowest = findLSB(a) - findLSB(b);
  if (a < 0 && highest < 0) {
    return of_unsigned - 64;
  }
  if (uint(highest) > uint(of_unsigned)) {
    return highest * 32 + lowest;
  }
  return of_unsigned * 32 - lowest;
}

// Numbers of seven bits a byte, the last byte without its highest bit; four bytes at most.
int read_leb(uint bytes, out int used) {
  uint value = 0u;
  uint group = 1u;
  bool negative = false;
  used = 0;
  do {
    uint byte_read = bytes & 255u;
    bytes >>= 8;
    ++used;
    value += (byte_read & 127u) * group;
    group <<= 7;
    if ((byte_read & 128u) == 0u) {
      negative = (byte_read & 64u) != 0u;
      break;
    }
  } while (used < 4);
  return negative ? int(value - group) : int(value);
}

uint write_leb(int value) {
  uint bytes = 0u;
  uint shifted = 1u;
  for (int i = 0; i < 4; ++i) {
    uint group = uint(value) & 127u;
    value >>= 7;
    bool is_last = (value == 0 && (group & 64u) == 0u) || (value == -1 && (group & 64u) != 0u);
    bytes += (is_last ? group : group | 128u) * shifted;
    if (is_last) {
      break;
    }
    shifted <<= 8;
  }
  return bytes;
}

uint rotate_any(uint v, int count) {
  uint turned = v;
  int rest = count & 31;
  if (rest >= 16) {
    turned = turned << 16 | turned >> 16;
    rest -= 16;
  }
  if ((rest & 8) != 0) turned = turned << 8 | turned >> 24;
  if ((rest & 4) != 0) turned = turned << 4 | turned >> 28;
  if ((rest & 2) != 0) turned = turned << 2 | turned >> 30;
  return (rest & 1) != 0 ? turned << 1 | turned >> 31 : turned;
}

int fields(int word, uint other) {
  int low = bitfieldExtract(word, 0, 5);
  int middle = bitfieldExtract(word, 5, 11);
  uint top = bitfieldExtract(other, 16, 16);
  int joined = bitfieldInsert(low, middle, 12, 8);
  uint mixed = bitfieldInsert(top, uint(joined), 3, 13);
  mixed = bitfieldInsert(mixed, other, 31, 1);
  return int(mixed) < 0 ? ~joined : joined ^ int(mixed);
}

bool orders_agree(int a, int b) {
  bool as_signed = a < b;
  bool as_unsigned = uint(a) < uint(b);
  if (as_signed == as_unsigned) {
    return (a ^ b) >= 0;
  }
  return (a ^ b) < 0;
}

uvec2 add_with_carry(uint a, uint b, int rounds) {
  uint carry = 0u;
  uint sum = a;
  for (int i = 0; i < rounds; ++i) {
    uint next;
    sum = uaddCarry(sum, b, next);
    carry += next;
    uint high, low;
    umulExtended(sum, 0x10003u, high, low);
    sum = low ^ high;
  }
  int signed_high, signed_low;
  imulExtended(int(sum), -3, signed_high, signed_low);
  return uvec2(uint(signed_low), carry + uint(signed_high));
}

void main() {
  int used;
  int read = read_leb(uint(place.x) * 0x010204u, used);
  ivec4 wrapped = wrap_signs(ivec4(place, read), uvec4(place.yzxy) * 3u);
  uint mixed = zigzag(place.x - place.y) + uint(zigzag_back(uint(place.z)) + used);
  mixed ^= rotate_any(write_leb(place.y * 37 - 4000), place.x) + uint(fields(place.x, mixed));
  mixed += uint(sign_by_bits(place.x - 100, mixed) + wrapped.x + wrapped.y);
  uvec2 added = add_with_carry(mixed, uint(place.z), 3);
  mixed += orders_agree(wrapped.z, wrapped.w) ? added.x : added.y;
  color = vec4(float(mixed & 255u) * (1.0 / 255.0));
}
