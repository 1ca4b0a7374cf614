#version 460
// Images read in every way that is exact.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { float data[64 * 8]; };
layout(binding = 1) uniform sampler2D nearest;
layout(binding = 2) uniform sampler2D filtered;
layout(binding = 3) uniform sampler2DArray layers;
layout(binding = 4) uniform isampler2D whole;
layout(binding = 5, rgba8) uniform image2D written;
layout(binding = 6, r32f) uniform image2D kept;
void main() {
  uint i = gl_LocalInvocationID.x, at = 8 * i;
  ivec2 p = ivec2(i % 8, i / 8);
  vec2 inside = (vec2(p) + 0.25 + 0.5 * float(i % 2)) / 8.0;
  data[at] = textureLod(nearest, inside, 0.0).x;
  data[at + 1] = textureLod(nearest, inside + vec2(1.0, -1.0), 0.0).y;
  data[at + 2] = textureLod(filtered, (vec2(p) + 0.5) * 0.125, 0.0).z;
  data[at + 3] = textureLod(layers, vec3(inside, float(i % 5) - 1.25), 0.0).x;
  data[at + 4] = float(texelFetch(whole, p, 0).x);
  data[at + 5] = textureGather(nearest, (vec2(p) + 1.0) / 8.0, 1)[i % 4];
  data[at + 6] = textureLodOffset(nearest, inside, 0.0, ivec2(1, -1)).x;
  imageStore(written, p, vec4(float(i % 4) / 3.0, float(i % 2), 1.0 - float(p.x % 2), 1.0));
  imageStore(kept, p, imageLoad(kept, p) * 2.0 + 1.0);
  data[at + 7] = float(textureSize(layers, 0).z + imageSize(written).x);
}
