#version 450
// SPDX-License-Identifier: Apache-2.0
// The crew of a ship passes messages of four bytes: by hand to the three others of a watch, which
// are a quad of a subgroup, and through letter boxes in a buffer to any other watch of the same
// workgroup. Loads are small floats of 16 bits. The memory model is Vulkan's: what goes into a
// letter box is made available to the workgroup by the store, and visible by the load that takes it
// out.
//
// Exact: integers of 8, 16 and 32 bits, and whole numbers of at most 2048 in floats of 16 bits.
// Barriers separate rounds, and within a round each letter box has one writer.
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require

layout(local_size_x = 32) in;

const uint kCrew = 32u;
const uint kBells = 9u;

layout(std430, set = 0, binding = 0) workgroupcoherent buffer Boxes { uint box[][kCrew]; };
layout(std430, set = 0, binding = 1) readonly buffer Orders { uvec4 order[8]; };
layout(std430, set = 0, binding = 2) writeonly buffer Log { uvec2 log_of[][kCrew]; };
layout(push_constant) uniform Voyage {
  uint course;
  int swell;
};

struct Sailor {
  u8vec4 memory;
  f16vec2 load;   // what is carried, and how tired the sailor is
  i16vec2 post;
};

u8vec4 BytesOf(uint word) {
  return u8vec4(uint8_t(word), uint8_t(word >> 8), uint8_t(word >> 16), uint8_t(word >> 24));
}

uint WordOf(u8vec4 bytes) {
  return uint(bytes.x) | uint(bytes.y) << 8 | uint(bytes.z) << 16 | uint(bytes.w) << 24;
}

// Adds bytes, but no sum goes over 255.
u8vec4 Heaped(u8vec4 a, u8vec4 b) {
  u8vec4 sum = a + b;
  for (int i = 0; i < 4; i++) {
    if (sum[i] < a[i]) sum[i] = uint8_t(255);
  }
  return sum;
}

// Each of a watch tells one byte to each of the others.
u8vec4 Told(Sailor sailor) {
  uint word = WordOf(sailor.memory);
  uint beside = subgroupQuadSwapHorizontal(word);
  uint below = subgroupQuadSwapVertical(word);
  uint across = subgroupQuadSwapDiagonal(word);
  uint mate = subgroupQuadBroadcast(word, 1);
  u8vec4 told;
  told.x = BytesOf(beside).y;
  told.y = BytesOf(below).z;
  told.z = BytesOf(across).w ^ uint8_t(swell);
  told.w = BytesOf(mate).x;
  return told;
}

// A watch shares its load evenly; what cannot be divided stays with the first.
f16vec2 Shared(Sailor sailor, uint lane) {
  float mine = float(sailor.load.x);
  float sum = mine + subgroupQuadSwapHorizontal(mine);
  sum += subgroupQuadSwapVertical(sum);
  float each = floor(sum * 0.25);
  float16_t carried = float16_t((lane & 3u) == 0u ? sum - 3.0 * each : each);
  float16_t tired = min(sailor.load.y + carried * float16_t(0.25), float16_t(512.0));
  return f16vec2(carried, floor(tired));
}

i16vec2 Moved(i16vec2 post, uint8_t told) {
  switch (int(told) & 3) {
    case 0:
      return post + i16vec2(int16_t(told >> uint8_t(4)), int16_t(swell));
    case 1:
      return post * int16_t(3) - post.yx;
    case 2:
      return i16vec2(post.y, -post.x);
    default:
      return abs(post) >> int16_t(1);
  }
}

void Sync() {
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer,
                 gl_SemanticsAcquireRelease);
}

void main() {
  uint lane = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  uint ship = gl_WorkGroupID.x;
  uvec4 orders = order[(lane + ship * 3u) & 7u];
  Sailor sailor;
  sailor.memory = BytesOf(orders.x ^ lane * 0x01010101u + course);
  sailor.load = f16vec2(float16_t(orders.y & 127u), float16_t(0.0));
  sailor.post = i16vec2(int16_t(lane), int16_t(orders.z & 1023u));
  uint heard = 0u;
  for (uint bell = 0u; bell < kBells; bell++) {
    u8vec4 told = Told(sailor);
    sailor.load = Shared(sailor, lane);
    sailor.memory = (bell & 1u) == 0u ? Heaped(sailor.memory, told) : sailor.memory.wxyz ^ told;
    sailor.post = Moved(sailor.post, told.x);

    // The letter goes to the box of another watch; boxes are named by a permutation of the crew.
    uint to = (lane * 5u + bell * 4u + ship) & (kCrew - 1u);
    box[ship][to] = WordOf(sailor.memory) + uint(int(sailor.post.x));
    Sync();
    uint letter = box[ship][lane];
    Sync();
    uint twin = subgroupShuffleXor(letter, 2u);
    heard = (heard ^ letter) * 0x01000193u + (twin >> 3);
    sailor.memory.y += BytesOf(letter).w;
    if (sailor.load.y > float16_t(300.0)) {
      sailor.load = f16vec2(sailor.load.x + float16_t(letter & 15u), float16_t(1.0));
    }
  }
  uint loads = uint(sailor.load.x) << 16 | uint(sailor.load.y);
  uint told = WordOf(sailor.memory) ^ heard;
  log_of[ship][lane] = uvec2(told, loads + (uint(int(sailor.post.y)) << 4));
}
