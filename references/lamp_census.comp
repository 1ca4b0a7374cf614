#version 450
// SPDX-License-Identifier: Apache-2.0
// Counts which lamps reach which stones of a yard. Each of six lamps sees the yard through a face
// of a cube, and a map of depths, asked by comparison, says what stands in between. Stones answer
// with the four corners of their shadow, with the lamp that is nearest, and with a hash of what
// they saw, into texels of five formats and a texel buffer.
//
// Stable: depths are n/256, compared with halves between them; samples are at centres of texels,
// gathers at corners. Levels n/255 are rounded to n at once; what is stored in 8 or 16 bits of
// unorm and snorm texels is k/255, k/127 or k/65535. Each invocation writes its own texels.

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0) uniform sampler2DShadow depths;         // 16 by 16, greater_or_equal
layout(set = 0, binding = 1) uniform samplerCube lamps;              // 4 by 4
layout(set = 0, binding = 2) uniform isamplerBuffer order;           // r16i, 64
layout(set = 0, binding = 3, r8ui) uniform writeonly uimage2D lit;
layout(set = 0, binding = 4, rgba8_snorm) uniform writeonly image2D slopes;
layout(set = 0, binding = 5, rg16) uniform writeonly image2D shares;
layout(set = 0, binding = 6, r32i) uniform iimage2D stones;
layout(set = 0, binding = 7, rgba32f) uniform writeonly imageBuffer rays;  // 256
layout(std430, set = 0, binding = 8) buffer Census { uint census[8]; };
layout(push_constant) uniform Yard {
  ivec3 sun;   // a direction with components from -3 to 3
  int lamp_height;
  uint salt;
};

const float kTexel = 1.0 / 16.0;

struct Stone {
  ivec2 at;
  int height;
  uint shadow;  // bits of its corners
};

bool IsLit(ivec2 at, int height) {
  vec2 centre = (vec2(at & 15) + 0.5) * kTexel;
  return textureLod(depths, vec3(centre, (float(height) - 0.5) * (1.0 / 256.0)), 0.0) < 0.5;
}

uint CornersLit(ivec2 at, int height) {
  vec2 corner = vec2((at & 15) + 1) * kTexel;
  float level = (float(height) + 0.5) * (1.0 / 256.0);
  vec4 near = textureGather(depths, corner, level);
  vec4 far = textureGatherOffset(depths, corner, level, ivec2(1, -1));
  uint bits = 0u;
  for (int i = 0; i < 4; i++) {
    bits |= (near[i] < 0.5 ? 1u : 0u) << i;
    bits |= (far[3 - i] < 0.5 ? 16u : 0u) << i;
  }
  return bits;
}

// Heights by thirds and halves of what is left, until the answer is known.
int HeightOf(ivec2 at) {
  int low = 0, high = 256;
  while (high - low > 1) {
    int middle = low + max(1, (high - low) / ((low & 1) == 0 ? 2 : 3));
    if (IsLit(at, middle)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// The texel of a lamp's cube that a stone sees: the direction points at the centre of a texel.
ivec4 Light(int face, ivec2 at) {
  ivec2 place = 2 * (at & 3) - 3;
  vec3 to = vec3(4.0, place);
  switch (face) {
    case 0:
      break;
    case 1:
      to = -to;
      break;
    case 2:
      to = to.yxz;
      break;
    case 3:
      to = -to.zxy;
      break;
    case 4:
      to = to.yzx;
      break;
    default:
      to = vec3(-to.z, to.y, -to.x);
      break;
  }
  return ivec4(textureLod(lamps, to, 0.0) * 255.0 + 0.5);
}

// Walks from a stone along the sun until a higher one stands in the way; steps that are left.
int Walk(Stone stone, int most) {
  ivec3 at = ivec3(stone.at * 4 + 2, stone.height);
  int left = most;
  for (; left > 0; left--) {
    at += ivec3(sun.xy, sun.z * 4);
    if (at.z > 255 || at.z < 1) break;
    if (IsLit(at.xy >> 2, at.z)) return left;
  }
  return -left;
}

uint Hash(uint a, uint b) {
  a = (a ^ salt) * 0xcc9e2d51u;
  a = (a << 15 | a >> 17) + b * 0x1b873593u;
  return a ^ a >> 13;
}

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  Stone stone = Stone(at, HeightOf(at), 0u);
  stone.shadow = CornersLit(at, stone.height);
  int first = texelFetch(order, int(gl_LocalInvocationIndex)).x;
  uint seen = 0u, hash = salt;
  ivec4 brightest = ivec4(0);
  int nearest = -1;
  for (int i = 0; i < 6; i++) {
    int lamp = ((first & 7) + i) % 6;
    ivec4 light = Light(lamp, at + lamp);
    int reach = (light.w * lamp_height >> 6) - abs(stone.height - 128);
    if (reach <= 0 && (first >> lamp & 1) == 0) continue;
    seen |= 1u << lamp;
    if (light.x > brightest.x) {
      brightest = light;
      nearest = lamp;
    }
    hash = Hash(hash, uint(light.y << 8 | light.z));
  }
  int left = Walk(stone, 12);
  ivec2 slope = ivec2(HeightOf(at + ivec2(1, 0)), HeightOf(at + ivec2(0, 1))) - stone.height;

  imageStore(lit, at, uvec4(seen | stone.shadow & 0xc0u));
  vec4 tilt = vec4(clamp(slope, -127, 127), nearest, left);
  imageStore(slopes, at, tilt * (1.0 / 127.0));
  imageStore(shares, at, vec4(hash & 0xffffu, hash >> 16, 0.0, 0.0) * (1.0 / 65535.0));
  imageStore(stones, at, ivec4(stone.height << 8 | int(stone.shadow)));
  imageStore(rays, at.y * 16 + at.x, vec4(brightest.xyz, left));
  atomicAdd(census[bitCount(seen) & 7], hash & 255u);
}
