#version 450
#extension GL_EXT_nonuniform_qualifier : require
// SPDX-License-Identifier: Apache-2.0
// Sorts letters into rooms: each of four workgroups is an office that takes 32 letters out of one of
// two sacks, stamps them by the rules of its district, and carries each into the room of its zone.
// Rooms are storage buffers in an array, of different lengths; sacks and districts are uniform
// blocks, and boards are storage images on which the zones are marked. Which sack and which
// district an office has is the same for all its invocations; the room and the board are not.
//
// Exact: integers. Each letter has a place of its own in its room, which is the number of the letters of
// the same office that go to the same room and come before it; sums are made by atomics.
layout(local_size_x = 32) in;

struct Letter {
  uint weight;
  uint address;
};
layout(std140, set = 0, binding = 0) uniform Sack { uvec4 pairs[32]; } sacks[2];
layout(std140, set = 0, binding = 1) uniform District {
  uint key;    // what turns an address into a zone
  uint price;  // of a unit of weight
} districts[3];
layout(std430, set = 0, binding = 2) buffer Room {
  uint letters;       // all that came in
  uint postage;       // what was paid for them
  uint beyond;        // how many had no place
  uint most;          // how many letters an office may leave
  Letter shelf[];     // 16 places for each office, if there are so many
} rooms[4];
layout(set = 0, binding = 3, r32ui) uniform uimage2D boards[2];

shared uint zones[32];

// An address after a few turns of a shift register.
uint Scramble(uint address, uint key) {
  for (uint i = 0u; i < 1u + (key & 3u); i++) {
    address = (address >> 1) ^ ((address & 1u) * (0x8200u | key));
  }
  return address;
}

void main() {
  uint lane = gl_LocalInvocationID.x, office = gl_WorkGroupID.x;
  uint district = office * 2u % 3u;
  uvec4 pair = sacks[office & 1u].pairs[(lane * 3u + office * 5u) & 31u];
  Letter letter = (lane & 1u) == 0u ? Letter(pair.x, pair.y) : Letter(pair.z, pair.w);
  uint zone = Scramble(letter.address, districts[district].key);
  zone = (zone ^ zone >> 4 ^ zone >> 9) & 3u;
  zones[lane] = zone;
  barrier();

  uint before = 0u, same = 0u;
  for (uint i = 0u; i < 32u; i++) {
    if (zones[i] != zone) continue;
    same++;
    if (i < lane) before++;
  }
  uint paid = letter.weight * districts[district].price + (same > 8u ? 0u : 1u);
  uint place = office * 16u + before;
  uint most = rooms[nonuniformEXT(zone)].most;
  bool fits = false;
  // Atomics and lengths need an index that is the same for all invocations.
  for (uint room = 0u; room < 4u; room++) {
    if (room != zone) continue;
    atomicAdd(rooms[room].letters, 1u);
    atomicAdd(rooms[room].postage, paid);
    fits = before < most && place < uint(rooms[room].shelf.length());
    if (!fits) atomicAdd(rooms[room].beyond, 1u);
    if (fits) rooms[room].shelf[min(place, 63u)] = Letter(letter.weight ^ paid << 8, letter.address);
  }
  // The boards: one counts the letters of each zone and office, the other adds up their weights.
  uint board = zone >> 1;
  imageAtomicAdd(boards[nonuniformEXT(board)], ivec2(zone & 1u, office), 1u);
  imageAtomicAdd(boards[nonuniformEXT(1u - board)], ivec2(2u + (zone & 1u), office), letter.weight);
  // The first of each office signs both boards.
  if (lane == 0u) {
    ivec2 at = ivec2(4, int(office));
    imageStore(boards[0], at, uvec4(Scramble(office, 5u)));
    imageStore(boards[1], at, uvec4(Scramble(office + 40u, 5u)));
  }
}
