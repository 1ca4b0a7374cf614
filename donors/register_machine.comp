#version 450
// SPDX-License-Identifier: Apache-2.0
// A machine with eight registers: a decoder with labels far apart, a step with 26 instructions of
// which some fall through, flags, branch delay, and an assembler of checksums; a switch in a loop
// in a switch.
layout(local_size_x = 32) in;

layout(std430, set = 0, binding = 0) readonly buffer Program { uint code[]; };
layout(std430, set = 0, binding = 1) buffer State { ivec4 registers[]; };

// The number of operands of an instruction by its code; negative if there is no such.
int operand_count(int code) {
  switch (code) {
    case -2147483647:
      return -3;
    case -128:
    case -127:
      return 0;
    case -5:
      return 1;
    case 0:
      return 0;
    case 3:
    case 5:
    case 9:
      code -= 3;
    case 17:
    case 33:
      code >>= 1;
    case 65:
      return code & 3;
    case 129:
    case 257:
      return 2;
    case 4096:
      return 3;
    case 65535:
    case 65536:
    case 65537:
      code &= 3;
      break;
    case 1000000007:
      return 4;
    case 2147483647:
      return -2;
    default:
      if (code < 0) {
        return -1;
      }
      code %= 5;
      break;
  }
  return code;
}

ivec3 execute(uint instruction, ivec3 state) {
  int a = state.x;
  int b = state.y;
  int flags = state.z;
  int literal = int(instruction << 12) >> 20;
  switch (instruction >> 27) {
    case 0u:
      break;
    case 1u:
      a += b;
      flags = a < 0 ? 1 : 0;
      break;
    case 2u:
      a -= b;
      flags = a < b ? 1 : 2;
      break;
    case 3u:
      a *= b;
      break;
    case 4u:
      a &= b;
      break;
    case 5u:
      a |= b;
      break;
    case 6u:
      b = ~b;
    case 7u:
      a ^= b;
      break;
    case 8u:
      a <<= 3;
    case 9u:
      a += literal;
      flags &= 6;
      break;
    case 10u:
      a >>= 5;
      break;
    case 11u:
      a = int(uint(a) >> 7);
      break;
    case 12u: {
      int kept = a;
      a = b;
      b = kept;
      break;
    }
    case 13u:
      a = min(a, b);
      break;
    case 14u:
      a = max(a, b);
      break;
    case 15u:
      a = a < b ? -1 : (a == b ? 0 : 1);
      flags = a + 1;
      break;
    case 16u:
      if ((flags & 1) != 0) {
        a = literal;
        break;
      }
      b = literal;
      break;
    case 17u:
      for (int i = 0; i < 5; ++i) {
        if ((b & 1) != 0) {
          a ^= b;
        }
        b >>= 1;
      }
      break;
    case 18u:
      a = bitCount(a);
      break;
    case 19u:
      a = bitfieldReverse(a);
      break;
    case 20u:
      a = findMSB(b);
      if (a < 0) {
        flags |= 4;
      }
      break;
    case 21u:
      a = bitfieldExtract(a, 4, 9);
    case 22u:
      a = bitfieldInsert(a, b, 8, 8);
    case 23u:
      flags ^= 3;
      break;
    case 24u:
      a %= 97;
      b /= 3;
      break;
    case 31u:
      return ivec3(0, 0, -1);
    default:
      flags = 8;
      return ivec3(b, a, flags);
  }
  return ivec3(a, b, flags);
}

uint assemble(int seed, int lines) {
  uint sum = 0x1505u;
  int mode = seed & 3;
  for (int i = 0; i < lines; ++i) {
    switch (mode) {
      case 0:
        switch ((seed + i) % 6) {
          case 0:
          case 3:
            mode = 1;
            continue;
          case 4:
            sum += 0x40u;
          case 5:
            sum = sum << 5 ^ sum >> 27;
            break;
          default:
            sum += uint(i);
        }
        break;
      case 1:
        sum = sum * 33u + uint(mode + i);
        if ((sum & 4u) != 0u) {
          mode = 2;
        }
        break;
      case 2:
        mode = (sum & 1u) == 0u ? 3 : 0;
        break;
      default:
        return sum ^ uint(i);
    }
    sum ^= sum >> 11;
  }
  return sum;
}

bool holds(int flags, int condition) {
  bool result = false;
  switch (condition >> 1) {
    case 0:
      result = true;
      break;
    case 1:
      result = (flags & 1) != 0;
      break;
    case 2:
      result = (flags & 2) != 0;
      break;
    case 3:
      result = (flags & 4) != 0 || flags == 0;
      break;
    case -1:
      return flags < 0;
  }
  return result != ((condition & 1) != 0);
}

void main() {
  uint n = gl_GlobalInvocationID.x;
  ivec4 start = registers[n];
  int bank[8] = int[8](start.x, start.y, start.z, start.w, 0, 1, -1, int(n));
  int flags = 0;
  int at = 0;
  int size = code.length();
  for (int step_count = 0; step_count < 200 && at >= 0 && at < size; ++step_count) {
    uint instruction = code[at++];
    int x = int(instruction) & 7;
    int y = int(instruction >> 3) & 7;
    ivec3 state = execute(instruction, ivec3(bank[x], bank[y], flags));
    if (state.z < 0) {
      break;
    }
    bank[x] = state.x;
    bank[y] = state.y;
    flags = state.z;
    if (holds(flags, int(instruction >> 6) & 7)) {
      at += operand_count(int(instruction >> 8 & 255u));
    }
  }
  bank[3] ^= int(assemble(bank[2], 30));
  registers[n] = ivec4(bank[0], bank[1], bank[2], bank[3]);
}
