#version 450
// SPDX-License-Identifier: Apache-2.0
// An effects system: every invocation is a particle and runs its emitter's script, a small program
// for a machine with eight registers, calls and a fault state, once for each of its frames. What
// moves the particle, what it counts and how it bounces is all in the script. The particles'
// states, the cells they passed and what each script came to are left behind.
//
// Stable: registers are signed integers that wrap, as SPIR-V's do; shifts are masked to 31, a
// division by zero and the one by -1 are faults of the script; the program counter and the call
// stack are checked, and there is a budget of steps. Cells are counted by atomic additions.

layout(local_size_x = 64) in;

const uint kHalt = 0u;
const uint kLoad = 1u;       // a = operand
const uint kAdd = 2u;        // a += b + operand
const uint kSubtract = 3u;   // a -= b + operand
const uint kMultiply = 4u;   // a *= b + operand
const uint kDivide = 5u;     // a /= b + operand
const uint kShift = 6u;      // a >>= operand, arithmetic
const uint kXor = 7u;        // a ^= b + operand
const uint kSkipLess = 8u;   // skips the next if a < b + operand
const uint kJump = 9u;       // to operand
const uint kJumpZero = 10u;  // to operand, if a is 0
const uint kCall = 11u;      // the function of number operand
const uint kReturn = 12u;
const uint kPlot = 13u;      // counts the cell at register a, register b
const uint kMix = 14u;       // a is stirred with b
const uint kLeast = 15u;     // a = min(a, b + operand)

const uint kRegisters = 8u;
const uint kDepth = 3u;

const uint kRunning = 0u;
const uint kDone = 1u;
const uint kDividedByZero = 2u;
const uint kLost = 3u;
const uint kTooDeep = 4u;
const uint kOutOfTime = 5u;

struct Instruction {
  uint code;  // operation | a << 8 | b << 12; b of 15: none
  int operand;
};

struct Script {
  uvec4 functions;  // where they begin
  Instruction code[21];
};

struct Limits {
  uint budget;
  uint frames;
};

struct Emitter {
  Script script;
  Limits limits;
  ivec2 pull;
  ivec4 start;
};

struct Thread {
  int registers[kRegisters];
  uint counter;
  uint calls[kDepth];
  uint depth;
  uint state;
};

struct Particle {
  ivec4 place_and_speed;
  uint state;
  uint steps;
  uint digest;
  uint place_in_script;  // counter, depth, and where the first call came from
};

layout(std430, set = 0, binding = 0) readonly buffer Emitters { Emitter emitters[4]; };
layout(std430, set = 0, binding = 1) writeonly buffer Particles { Particle particles[4][64]; };
layout(std430, set = 0, binding = 2) buffer Cells { uint cells[16][16]; };
layout(std430, set = 0, binding = 3) buffer Ends { uint ends[4][6]; };

Thread self;

int Right(uint code, int operand) {
  uint from = code >> 12;
  if (from < kRegisters) return self.registers[from] + operand;
  return operand;
}

void Plot(int x, int y) {
  atomicAdd(cells[(y >> 4) & 15][(x >> 4) & 15], 1u + (gl_WorkGroupID.x << 16));
}

void Stir(inout int value, int by) {
  uint bits = uint(value) + uint(by) * 0x45d9f3bu;
  bits ^= bits >> 15;
  bits *= 0x2c1b3c6du;
  value = int(bits >> 12);
}

bool Enter(int number) {
  if (self.depth == kDepth) {
    self.state = kTooDeep;
    return false;
  }
  self.calls[self.depth++] = self.counter;
  self.counter = emitters[gl_WorkGroupID.x].script.functions[uint(number) & 3u];
  return true;
}

// What an operation does to its register. False: the script has ended.
bool Calculate(uint operation, uint a, int right) {
  switch (operation) {
    case kSubtract:
      right = -right;
      // falls through
    case kAdd:
      self.registers[a] += right;
      break;
    case kMultiply:
      self.registers[a] *= right;
      break;
    case kDivide:
      if (right == 0 || right == -1) {
        self.state = kDividedByZero;
        return false;
      }
      self.registers[a] /= right;
      break;
    case kShift:
      self.registers[a] >>= right & 31;
      break;
    case kXor:
      self.registers[a] ^= right;
      break;
    case kMix:
      Stir(self.registers[a], right);
      break;
    case kLeast:
      if (self.registers[a] <= right) break;
      // falls through
    case kLoad:
      self.registers[a] = right;
      break;
    default:
      return false;
  }
  return true;
}

bool Execute(Instruction instruction) {
  uint operation = instruction.code & 255u;
  uint a = (instruction.code >> 8) & 7u;
  switch (operation) {
    case kHalt:
      self.state = kDone;
      return false;
    case kReturn:
      if (self.depth == 0u) {
        self.state = kLost;
        return false;
      }
      self.counter = self.calls[--self.depth];
      return true;
    case kCall:
      return Enter(instruction.operand);
    case kJumpZero:
      if (self.registers[a] != 0) return true;
      // falls through
    case kJump:
      self.counter = uint(instruction.operand);
      return true;
    case kSkipLess:
      if (self.registers[a] < Right(instruction.code, instruction.operand)) self.counter++;
      return true;
    case kPlot:
      Plot(self.registers[a], self.registers[(instruction.code >> 12) & 7u]);
      return true;
  }
  return Calculate(operation, a, Right(instruction.code, instruction.operand));
}

// One frame; returns how many steps it took.
uint RunFrame(Limits limits) {
  self.counter = 0u;
  self.depth = 0u;
  self.state = kRunning;
  uint steps = 0u;
  do {
    if (steps >= limits.budget) {
      self.state = kOutOfTime;
      break;
    }
    steps++;
    if (self.counter > 20u) {
      self.state = kLost;
      break;
    }
    Instruction next = emitters[gl_WorkGroupID.x].script.code[self.counter++];
    if (!Execute(next)) break;
  } while (self.state == kRunning);
  return steps;
}

void Launch(uint lane, ivec4 start, ivec2 pull) {
  int number = int(lane);
  self.registers = int[kRegisters](
      start.x + 3 * number, start.y + number * number, start.z - (number >> 2),
      start.w + (number & 7), number, pull.x, pull.y, 0);
  self.calls = uint[kDepth](0u, 0u, 0u);
}

void main() {
  uint lane = gl_LocalInvocationID.x;
  uint group = gl_WorkGroupID.x;
  Limits limits = emitters[group].limits;
  Launch(lane, emitters[group].start, emitters[group].pull);

  uint steps = 0u;
  uint digest = 0u;
  // Particles live for different times.
  uint frames = limits.frames + lane % 3u;
  for (uint frame = 0u; frame < frames; frame++) {
    steps += RunFrame(limits);
    for (uint i = 0u; i < kRegisters; i++) digest = digest * 31u + uint(self.registers[i]);
    if (self.state == kDone) continue;
    digest ^= self.counter << 20;
    if (self.state != kOutOfTime) break;
  }

  Particle particle;
  particle.place_and_speed =
      ivec4(self.registers[0], self.registers[1], self.registers[2], self.registers[3]);
  particle.state = self.state;
  particle.steps = steps;
  particle.digest = digest;
  particle.place_in_script = self.counter | (self.depth << 8) | (self.calls[0] << 16);
  particles[group][lane] = particle;
  atomicAdd(ends[group][self.state], steps + (self.depth << 12) + (self.calls[1] << 18));
}
