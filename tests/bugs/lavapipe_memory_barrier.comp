#version 450
// A memory barrier in a loop that invocations leave after different numbers of rounds. It orders
// what one invocation does and waits for nobody: `rounds` must be 0 + 1 + ... + 63 = 2016.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Counts { uint rounds; uint own[64]; };

void main() {
  uint i = gl_LocalInvocationIndex;
  for (uint k = 0u; k < i; ++k) {
    atomicAdd(rounds, 1u);
    memoryBarrierBuffer();
  }
  own[i] = i;
}
