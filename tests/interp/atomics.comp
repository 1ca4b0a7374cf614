#version 460
// Every atomic of GLSL on buffers, workgroup memory and texels, with results that no order changes.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint sum, least, most, all_of, any_of, odd, swapped, texels, wave[64]; };
layout(binding = 1, r32ui) uniform uimage2D image;
shared uint turns;
shared int lowest;
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  if (i == 0) { turns = 0; lowest = 1000; }
  barrier();
  atomicAdd(sum, g);
  atomicMin(least, g + 3);
  atomicMax(most, g * 5);
  atomicAnd(all_of, ~(1u << (g % 7)));
  atomicOr(any_of, 1u << (g % 9));
  atomicXor(odd, g);
  atomicCompSwap(swapped, 77u, g);
  imageAtomicAdd(image, ivec2(i % 4, 0), g);
  imageAtomicMax(image, ivec2(i % 4, 1), g);
  atomicAdd(turns, i);
  atomicMin(lowest, 20 - int(i));
  barrier();
  atomicAdd(texels, turns + uint(lowest + 100));
  atomicAdd(wave[i], i * i);
}
