#version 450
// SPDX-License-Identifier: Apache-2.0
// Copies tapes of words: each of eight workgroups reads its stretch of a tape, a texel buffer, as
// runs of a small code, moves a head over it as the code says, and writes what it decodes to a
// second tape, to a panel of 16-bit texels, and to a gauge. A third tape of bytes
// holds the steps of the head, a fourth one factors between -1 and 1.
//
// Exact: integers, and levels n/127 that are rounded to n at once. Each invocation writes its own
// texels; what all of them count goes to a gauge by atomic additions.
layout(local_size_x = 16) in;

layout(set = 0, binding = 0) uniform utextureBuffer tape;                           // r32ui, 256
layout(set = 0, binding = 1) uniform itextureBuffer steps;                          // r8i, 64
layout(set = 0, binding = 2) uniform textureBuffer factors;                   // rgba8_snorm, 32
layout(set = 0, binding = 3, r32ui) uniform writeonly uimageBuffer copied;          // 128
layout(set = 0, binding = 4, rgba16i) uniform writeonly iimage2D panel;             // 16 by 8
layout(set = 0, binding = 5, r32ui) uniform uimage2D gauge;                         // 4 by 8
layout(set = 0, binding = 6, rg16ui) uniform readonly uimage1D stencil;             // 16
layout(std430, set = 0, binding = 7) writeonly buffer Report { uvec4 report[128]; };
layout(push_constant) uniform Head {
  uint begin;    // the first word of the first stretch
  uint stretch;  // words from one stretch to the next
  uint most;     // the most words that a head reads
};

const uint kLanes = 16u;

struct Reader {
  uint at;      // the next word
  uint bits;    // what is left of the word that was read last
  uint left;    // how many bits of it
  uint words;   // words read so far
};

// The next `count` bits, at most 16, from the low end of the tape on.
uint Take(inout Reader reader, uint count) {
  if (reader.left < count) {
    uint word = texelFetch(tape, int(reader.at & 255u)).x;
    int step = texelFetch(steps, int(word >> 26)).x;
    reader.at = uint(int(reader.at) + (step == 0 ? 1 : step));
    reader.bits = word;
    reader.left = 32u;
    reader.words++;
  }
  uint taken = bitfieldExtract(reader.bits, 0, int(count));
  reader.bits >>= count;
  reader.left -= count;
  return taken;
}

// A factor of the tape as an integer from -127 to 127.
int FactorAt(uint slot, uint channel) {
  vec4 texel = texelFetch(factors, int(slot & 31u));
  return int(floor(texel[channel & 3u] * 127.0 + 0.5));
}

// Numbers of Elias's gamma code, but with the length in front as ones.
uint TakeGamma(inout Reader reader) {
  uint length = 0u;
  while (length < 9u && Take(reader, 1u) == 1u) length++;
  return (1u << length) + Take(reader, length) - 1u;
}

uint Decode(inout Reader reader, uint former, inout int weight) {
  uint code = Take(reader, 2u);
  uint word = former;
  switch (code) {
    case 0u:
      word = Take(reader, 8u);
      break;
    case 1u:
      word += TakeGamma(reader);
      // falls through: a sum is turned as well
    case 2u:
      word = word << 3 | word >> 29;
      break;
    default:
      weight = FactorAt(reader.at, TakeGamma(reader));
      word ^= uint(weight * 257);
      break;
  }
  return word;
}

void main() {
  uint lane = gl_LocalInvocationID.x, group = gl_WorkGroupID.x;
  uvec2 mask = imageLoad(stencil, int(lane)).xy;
  Reader reader = Reader(begin + group * stretch + lane * 3u, 0u, 0u, 0u);
  uint word = mask.x, mixed = 0u, count = 0u;
  int weight = 1, sum = 0;
  while (reader.words < most && count < 20u) {
    word = Decode(reader, word, weight);
    sum += weight * int(word & mask.y & 255u);
    mixed = (mixed ^ word) * 0x9e3779b1u;
    mixed ^= mixed >> 15;
    count++;
  }
  uint place = group * kLanes + lane;
  imageStore(copied, int(place), uvec4(mixed, 0u, 0u, 0u));
  ivec4 row = ivec4(int(word & 0xffffu) - 32768, (sum & 0x7fff) - 0x4000, weight, int(count));
  imageStore(panel, ivec2(lane, group), row);
  imageAtomicAdd(gauge, ivec2(int(lane & 3u), int(group)), count);
  report[place] = uvec4(word, uint(sum), reader.at, reader.left << 16 | count);
}
