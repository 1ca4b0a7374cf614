#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Welds meshes: 128 triangles for each workgroup come as corners, and corners with the same
// position and material become one vertex. They meet in a hash table in shared memory that is
// filled with compare-and-swap; each slot remembers its least corner and how many there are.
// Vertices are then numbered by their least corners and written with a CRC-32 and a 64-bit FNV
// hash; triangles get the new numbers, or a mark where they collapsed.
//
// Stable: where in the table a key lies depends on who came first, but nothing of that is put out:
// least corners, counts and numbers are the same for every order. All arithmetic is on unsigned
// integers, 64 bits in two words.
precision highp float;
precision highp int;

layout(local_size_x = 128) in;

const uint kCorners = 384u;
const uint kSlots = 512u;
const uint kMostVertices = 160u;
const uint kFree = 0xffffffffu;

struct Slot {
  uint key;
  uint first;  // the least corner
  uint uses;
};

struct Vertex {
  uint key;
  uint crc;
  uvec2 hash;
};

layout(std140, set = 0, binding = 0) uniform Meshes {
  uvec4 meshes[5];   // shape, columns, scale, bits that are dropped
  uvec4 nibbles[4];  // CRC-32 of the sixteen nibbles
  uvec2 fnv_start;   // 0xcbf29ce484222325
  uvec2 fnv_prime;   // 0x100000001b3
  uint factor;       // 2654435761
  uint one;          // 1
};
layout(std430, set = 0, binding = 1) writeonly buffer Indices { uint indices[5 * 384]; };
layout(std430, set = 0, binding = 2) writeonly buffer Vertices { Vertex vertices[]; };
layout(std430, set = 0, binding = 3) writeonly buffer Totals { uvec4 totals[5]; };
layout(std430, set = 0, binding = 4) writeonly buffer Loads { uint loads[5 * 32]; };

shared Slot table[512];
shared uvec2 sums[128];
shared uint collapsed;
shared uint crowds[32];  // the keys that are at home in a 32nd of the table

// Corner of a quad mesh: six to a quad, of which two are there twice.
uvec2 CornerOf(uint corner, uint columns) {
  uint quad = corner / 6u;
  uvec2 place = uvec2(quad % columns, quad / columns);
  switch (corner % 6u) {
    case 4u:
      place.y += one;
      // falls through
    case 1u:
    case 3u:
      place.x += one;
      break;
    case 2u:
    case 5u:
      place.y += one;
      break;
    default:
      break;
  }
  return place;
}

uint KeyOf(uint corner, uvec4 mesh) {
  uvec2 place = CornerOf(corner, mesh.y);
  uvec3 at = uvec3(place * mesh.z, 0u);
  uint material = 0u;
  switch (mesh.x) {
    case 0u:  // a field of hills
      at.z = (at.x * at.y) >> 3u;
      break;
    case 1u:  // a tube: the last column meets the first
      at.x = (place.x % mesh.y) * mesh.z;
      material = place.y / 4u;
      break;
    case 3u:  // a wall of bricks
      at.x += (place.y & one) * 2u;
      material = (corner / 3u) % 3u;
      break;
    case 2u:  // a soup of corners
      at = uvec3(corner * factor >> 27u, corner * corner % 23u, corner / 96u);
      // falls through
    default:
      at.y ^= at.x & 5u;
      break;
  }
  at = (at >> mesh.w) & 1023u;
  return (material << 30u) | (at.z << 20u) | (at.y << 10u) | at.x;
}

uint HomeOf(uint key) { return (key * factor) >> 23u; }

void Insert(uint key, uint corner) {
  uint slot = HomeOf(key);
  for (uint tries = 0u; tries < kSlots; tries++) {
    uint found = atomicCompSwap(table[slot].key, kFree, key);
    if (found == kFree || found == key) {
      atomicMin(table[slot].first, corner);
      atomicAdd(table[slot].uses, one);
      return;
    }
    slot = (slot + tries + one) & (kSlots - 1u);
  }
}

Slot Find(uint key) {
  uint slot = HomeOf(key);
  uint tries = 0u;
  while (table[slot].key != key) {
    tries++;
    slot = (slot + tries) & (kSlots - 1u);
  }
  return table[slot];
}

uint Crc(uint crc, uint word) {
  for (uint i = 0u; i < 8u; i++) {
    uint nibble = (crc ^ word) & 15u;
    crc = (crc >> 4u) ^ nibbles[nibble >> 2u][nibble & 3u];
    word >>= 4u;
  }
  return crc;
}

// FNV-1a over the bytes of a word; x is the low half.
uvec2 Fnv(uvec2 hash, uint word) {
  for (int byte = 0; byte < 4; byte++) {
    hash.x ^= bitfieldExtract(word, 8 * byte, 8);
    uint high;
    uint low;
    umulExtended(hash.x, fnv_prime.x, high, low);
    hash = uvec2(low, high + hash.x * fnv_prime.y + hash.y * fnv_prime.x);
  }
  return hash;
}

uvec2 Add64(uvec2 a, uvec2 b) {
  uint carry;
  uint low = uaddCarry(a.x, b.x, carry);
  return uvec2(low, a.y + b.y + carry);
}

void CountCrowds(uint lane) {
  for (uint k = 0u; k < 4u; k++) {
    Slot slot = table[lane + 128u * k];
    if (slot.key == kFree) continue;
    uint home = HomeOf(slot.key);
    atomicAdd(crowds[home >> 4u], home * slot.uses);
  }
}

// How many vertices have a least corner before this one.
uint NumberOf(uint first) {
  uint number = 0u;
  for (uint slot = 0u; slot < kSlots; slot++) {
    if (table[slot].first < first) number++;
  }
  return number;
}

uvec2 Weld(uint triangle, uint group) {
  uvec2 sum = uvec2(triangle, 0u);
  uint numbers[3];
  for (uint k = 0u; k < 3u; k++) {
    uint corner = 3u * triangle + k;
    Slot slot = Find(KeyOf(corner, meshes[group]));
    numbers[k] = NumberOf(slot.first);
    if (slot.first != corner || numbers[k] >= kMostVertices) continue;
    Vertex vertex;
    vertex.key = slot.key;
    vertex.crc = ~Crc(Crc(~0u, slot.key), slot.uses);
    vertex.hash = Fnv(Fnv(fnv_start, slot.uses), slot.key);
    vertices[group * kMostVertices + numbers[k]] = vertex;
    sum = Add64(sum, vertex.hash);
  }
  bool thin = numbers[0] == numbers[1] || numbers[1] == numbers[2] || numbers[2] == numbers[0];
  if (thin) atomicAdd(collapsed, triangle + one);
  for (uint k = 0u; k < 3u; k++) {
    indices[group * kCorners + 3u * triangle + k] = thin ? numbers[k] | 0x8000u : numbers[k];
  }
  return sum;
}

void main() {
  uint lane = gl_LocalInvocationID.x;
  uint group = gl_WorkGroupID.x;
  for (uint k = 0u; k < 4u; k++) table[lane + 128u * k] = Slot(kFree, kCorners, 0u);
  if (lane < 32u) crowds[lane] = group;
  if (lane == 0u) collapsed = 0u;
  barrier();

  for (uint k = 0u; k < 3u; k++) {
    uint corner = lane + 128u * k;
    Insert(KeyOf(corner, meshes[group]), corner);
  }
  barrier();

  CountCrowds(lane);
  sums[lane] = Weld(lane, group);
  for (uint half_size = 64u; half_size > 0u; half_size >>= 1u) {
    barrier();
    if (lane < half_size) sums[lane] = Add64(sums[lane], sums[lane + half_size]);
  }
  barrier();
  if (lane < 32u) loads[group * 32u + lane] = crowds[lane];
  if (lane == 0u) totals[group] = uvec4(sums[0], NumberOf(kCorners), collapsed);
}
