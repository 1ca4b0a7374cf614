#version 310 es
// SPDX-License-Identifier: Apache-2.0
// A stack machine, interpreted for every pixel. Its memory is a uniform array with four programs,
// one for each quadrant, which get the pixel's place in the quadrant: the carpet x xor y, a
// Sierpinski triangle, rings round the middle, and a loop that counts bits. What is left on the
// stack picks the colour; each quadrant has a palette of its own.
//
// Stable: all arithmetic is on unsigned integers, which wrap by definition; shifts are masked to 31,
// the stack pointer and the program counter to their arrays, so any program whatsoever is well
// defined and ends after `budget` steps. Colours are k * (1/255) for integers k from 0 to 255.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

layout(set = 0, binding = 0) uniform buf0 { uint program[64]; };  // operation * 256 + operand
layout(set = 0, binding = 1) uniform buf1 { ivec4 entry; };       // of the four programs
layout(set = 0, binding = 2) uniform buf2 { int budget; };        // 100 steps
layout(set = 0, binding = 3) uniform buf3 { uint one; };          // 1
layout(set = 0, binding = 4) uniform buf4 { uint zero; };         // 0
layout(set = 0, binding = 5) uniform buf5 { float opaque; };      // 1.0

const uint kHalt = 0u;
const uint kPush = 1u;    // operand
const uint kX = 2u;
const uint kY = 3u;
const uint kAdd = 4u;
const uint kSubtract = 5u;
const uint kMultiply = 6u;
const uint kAnd = 7u;
const uint kXor = 8u;
const uint kShift = 9u;   // right, by operand
const uint kLess = 10u;
const uint kCopy = 11u;   // the operand-th from the top
const uint kSwap = 12u;
const uint kJump = 13u;   // to operand, if the top is not 0

const int kStackMask = 7;
const int kProgramMask = 63;

struct Machine {
  uint stack[8];
  int top;      // index of the last pushed
  int counter;  // of the program
  int steps;
  bool halted;
};

Machine machine;

void Push(uint value) {
  machine.top = (machine.top + 1) & kStackMask;
  machine.stack[machine.top] = value;
}

uint Pop() {
  uint value = machine.stack[machine.top];
  machine.top = (machine.top - 1) & kStackMask;
  return value;
}

uint Peek(uint depth) { return machine.stack[(machine.top - int(depth)) & kStackMask]; }

void Step(uint x, uint y) {
  uint word = program[machine.counter & kProgramMask];
  uint operand = word & 255u;
  machine.counter++;
  uint right = zero;
  switch (word >> 8u) {
    case kPush:
      Push(operand);
      break;
    case kX:
      Push(x);
      break;
    case kY:
      Push(y);
      break;
    case kSubtract:
      Push(~Pop() + one);
      // falls through: adding the negative
    case kAdd:
      right = Pop();
      Push(Pop() + right);
      break;
    case kMultiply:
      right = Pop();
      Push(Pop() * right);
      break;
    case kAnd:
      right = Pop();
      Push(Pop() & right);
      break;
    case kXor:
      right = Pop();
      Push(Pop() ^ right);
      break;
    case kShift:
      Push(Pop() >> (operand & 31u));
      break;
    case kLess:
      right = Pop();
      Push(Pop() < right ? one : zero);
      break;
    case kCopy:
      Push(Peek(operand));
      break;
    case kSwap: {
      uint upper = Pop();
      uint under = Pop();
      Push(upper);
      Push(under);
      break;
    }
    case kJump:
      if (Pop() != zero) machine.counter = int(operand);
      break;
    case kHalt:
    default:
      machine.halted = true;
      break;
  }
}

uint Execute(int start, uint x, uint y) {
  for (int i = 0; i <= kStackMask; i++) machine.stack[i] = zero;
  machine.top = kStackMask;
  machine.counter = start;
  machine.steps = 0;
  machine.halted = false;
  while (!machine.halted && machine.steps < budget) {
    Step(x, y);
    machine.steps++;
  }
  return Peek(zero);
}

int Palette(int quadrant, int value) {
  int level = value & 15;
  switch (quadrant) {
    case 0:
      return (level * 0x0c0800) + 0x283040 + level * 4;
    case 1:
      return level == 0 ? 0xe0c060 : 0x182038 + level * 0x020406;
    case 2:
      level = 15 - level;
      // falls through
    default:
      return (level * 0x030d09) + (quadrant == 2 ? 0x102010 : 0x301020) + (level & 1) * 0x400000;
  }
}

vec4 Paint(int rgb) {
  ivec3 levels = ivec3(rgb >> 16, rgb >> 8, rgb) & 255;
  return vec4(vec3(levels) * (1.0 / 255.0), opaque);
}

void main() {
  int x = int(gl_FragCoord.x);
  int y = int(gl_FragCoord.y);
  int quadrant = ((x >> 7) & 1) + 2 * ((y >> 7) & 1);
  uint result = Execute(entry[quadrant], uint(x & 127), uint(y & 127));
  int rgb = Palette(quadrant, int(result & 255u));
  if ((x & 127) == 127 || (y & 127) == 127) rgb = 0xf0f0f0;
  if (!machine.halted) rgb = 0xff0000;
  color = Paint(rgb);
}
