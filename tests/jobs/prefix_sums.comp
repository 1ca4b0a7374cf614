#version 310 es
layout(local_size_x = 16) in;

// Sums of all before, with the buffer as "$compute" gives it.
layout(std430, binding = 0) buffer Data {
  int count;
  int values[32];
  int sums[32];
};
uniform int injected;
shared int part[16];

void main() {
  uint at = gl_GlobalInvocationID.x;
  uint local = gl_LocalInvocationID.x;
  part[local] = int(at) < count ? values[at] : injected;
  for (uint width = 1u; width < 16u; width <<= 1u) {
    barrier();
    int before = local >= width ? part[local - width] : 0;
    barrier();
    part[local] += before;
  }
  sums[at] = part[local];
}
