#version 450
// SPDX-License-Identifier: Apache-2.0
// Runs a program in every pixel: the texel of one input attachment has sixteen instructions of eight
// bits, that of a second one has the first values of four registers. The registers after the run
// are the colour. A third attachment masks pixels, which show instead what ran.
//
// Exact: integers throughout. Colours are k * (1/255) for integers k from 0 to 255.
layout(input_attachment_index = 0, set = 0, binding = 0) uniform usubpassInput code;
layout(input_attachment_index = 2, set = 0, binding = 1) uniform isubpassInput values;
layout(input_attachment_index = 1, set = 0, binding = 2) uniform subpassInput mask;
layout(location = 0) out vec4 color;

layout(std140, set = 0, binding = 3) uniform Machine {
  ivec4 limits;  // instructions to run, shift of a step, the number that a register wraps at, skip
} machine;

int registers[4];

int Fetch(uvec4 program, int counter) {
  return int(program[counter >> 2 & 3] >> ((counter & 3) * 8)) & 255;
}

// Runs one instruction and returns how far the counter goes.
int Run(int word) {
  int to = word >> 3 & 3, from = word >> 5 & 3;
  int wrap = machine.limits.z;
  switch (word & 7) {
    case 0:
      registers[to] = (registers[to] + registers[from]) % wrap;
      break;
    case 1:
      registers[to] = abs(registers[to] - registers[from]);
      break;
    case 2:
      registers[to] = registers[from] * 3 % wrap;
      break;
    case 3:
      registers[to] ^= registers[from] << machine.limits.y & 255;
      break;
    case 4:
      if (registers[from] > registers[to]) return machine.limits.w;
      break;
    case 5: {
      int kept = registers[to];
      registers[to] = registers[from];
      registers[from] = kept;
      break;
    }
    case 6:
      registers[to] = registers[to] >> 1 | (registers[to] & 1) << 7;
      break;
    default:
      return (registers[to] & 1) != 0 ? -3 : 1;
  }
  return 1;
}

// How many instructions ran, and the longest row of them.
ivec2 Visits(int visited) {
  int all = 0, row = 0, longest = 0;
  for (int i = 0; i < 16; ++i) {
    if ((visited >> i & 1) == 0) {
      row = 0;
      continue;
    }
    ++all;
    ++row;
    longest = max(longest, row);
  }
  return ivec2(all, longest);
}

void main() {
  uvec4 program = subpassLoad(code);
  ivec4 first = subpassLoad(values);
  for (int i = 0; i < 4; ++i) registers[i] = first[i] & 255;
  int counter = 0, visited = 0;
  for (int i = 0; i < machine.limits.x; ++i) {
    visited |= 1 << counter;
    counter = (counter + Run(Fetch(program, counter))) & 15;
  }
  ivec3 rgb = ivec3(registers[0], registers[1], (registers[2] + registers[3]) / 2) & 255;
  if (subpassLoad(mask).r > 0.5) {
    ivec2 visits = Visits(visited);
    rgb = ivec3(counter * 17, visits.x * 15, 255 - visits.y * 15);
  }
  color = vec4(vec3(rgb) * (1.0 / 255.0), 1.0);
}
