#version 460
// Sorts by transposition through workgroup memory, then sums the buffer in a tree.
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[64]; };
shared uint keys[32];
void main() {
  uint i = gl_LocalInvocationID.x, base = 32 * gl_WorkGroupID.x;
  keys[i] = (i * 37 + 11) % 32 + gl_WorkGroupID.x;
  barrier();
  for (uint round = 0; round < 32; ++round) {
    uint left = 2 * i + round % 2;
    if (left + 1 < 32) {
      uint a = keys[left], b = keys[left + 1];
      keys[left] = min(a, b);
      keys[left + 1] = max(a, b);
    }
    barrier();
  }
  data[base + i] = keys[i];
  memoryBarrierBuffer();
  barrier();
  for (uint step = 1; step < 32; step *= 2) {
    uint other = i % (2 * step) == 0 ? data[base + i + step] : 0;
    memoryBarrierBuffer();
    barrier();
    if (other != 0) data[base + i] += other;
    memoryBarrierBuffer();
    barrier();
  }
}
