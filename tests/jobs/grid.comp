#version 430
layout(local_size_x = 8, local_size_y = 4) in;

// A storage image, buffers and plain uniforms, none with a binding; all values go by name.
layout(r32ui) uniform uimage2D grid;
layout(std430) buffer Seen {
  uint highest;
  uint seen[];
};
layout(std430) readonly buffer Weights {
  int weight[4];
} weights;
uniform ivec2 size;
uniform uint start[2];

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (at.x >= size.x || at.y >= size.y) return;
  uint old = imageLoad(grid, at).x;
  uint value = old + start[at.y & 1] + uint(weights.weight[at.x & 3] * at.x);
  imageStore(grid, at, uvec4(value));
  atomicMax(highest, value);
  atomicAdd(seen[value % 8u], 1u);
}
