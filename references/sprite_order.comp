#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Puts sprites into drawing order, as a renderer does before blending: each workgroup sorts 256
// keys with their sprites' numbers by a bitonic network in shared memory. What the key is depends
// on the workgroup's mode: depth as a float whose bits are turned so that they order like
// integers, material before depth, or rows of the screen. Then every sprite learns how many of
// those drawn before it, at most eight back, overlap it.
//
// Stable: the network compares and exchanges the same places whatever the schedule, with barriers
// between its steps, and the sprite's number decides between equal keys, so no two are equal.
// Depths are odd numbers of quarters: exact as floats, and never a zero, whose sign would be open.
precision highp float;
precision highp int;

layout(local_size_x = 128) in;

struct Entry {
  uint key;
  uint sprite;
};

struct Sprite {
  ivec2 corner;
  ivec2 size;
  float depth;
  uint material;
};

layout(std140, set = 0, binding = 0) uniform Scene {
  ivec4 layers[5];  // seed, mode, how far depths go, largest size
  uvec2 factors;    // 747796405, 2891336453
  uint materials;   // 7
  float quarter;    // 0.25
  int zero;         // 0
};
layout(std430, set = 0, binding = 1) writeonly buffer Order { uint order[5 * 256]; };
layout(std430, set = 0, binding = 2) writeonly buffer Keys { uint keys[5 * 256]; };
layout(std430, set = 0, binding = 3) writeonly buffer Cover { uint cover[5 * 128]; };

shared Entry entries[256];

const int kByDepth = 0;
const int kByMaterial = 1;
const int kByRow = 2;

uint Scramble(uint word, uint turns) {
  for (uint i = 0u; i < turns; i++) {
    word = word * factors.x + factors.y;
    word ^= word >> ((word >> 28u) + 4u);
  }
  return word;
}

Sprite MakeSprite(uint number, ivec4 layer) {
  uint word = Scramble(number + uint(layer.x), 2u);
  Sprite sprite;
  sprite.corner = ivec2(word & 127u, (word >> 7u) & 63u);
  sprite.size = ivec2(1, 2) + ivec2((word >> 13u) % uint(layer.w), (word >> 17u) % uint(layer.w));
  int steps = int((word >> 21u) % uint(2 * layer.z)) - layer.z;
  sprite.depth = float(2 * steps + 1) * quarter;
  sprite.material = (word >> 9u) % materials;
  return sprite;
}

// An unsigned integer for every float, in the same order.
uint Ordered(float value) {
  uint bits = floatBitsToUint(value);
  return (bits & 0x80000000u) != 0u ? ~bits : bits ^ 0x80000000u;
}

uint KeyOf(Sprite sprite, int mode) {
  uint key = Ordered(sprite.depth);
  switch (mode) {
    case kByRow:
      return uint(sprite.corner.y + sprite.size.y) * 256u + uint(sprite.corner.x);
    case kByMaterial:
      key = (key >> 4u) | (sprite.material << 28u);
      // falls through: far sprites first within a material too
    case kByDepth:
      key = ~key;
      break;
    default:
      key = sprite.material;
      break;
  }
  return key;
}

bool Before(Entry a, Entry b) { return a.key < b.key || (a.key == b.key && a.sprite < b.sprite); }

// Puts one pair into the order that its run is to have.
void Exchange(uint low, uint high, bool rising) {
  Entry first = entries[low];
  Entry second = entries[high];
  if (Before(second, first) == rising) {
    entries[low] = second;
    entries[high] = first;
  }
}

void Sort(uint lane, uint count) {
  for (uint run = 2u; run <= count; run <<= 1u) {
    for (uint apart = run >> 1u; apart > 0u; apart >>= 1u) {
      barrier();
      uint low = 2u * lane - (lane & (apart - 1u));
      if (low < count) Exchange(low, low + apart, (low & run) == 0u);
    }
  }
  barrier();
}

bool Overlap(Sprite a, Sprite b) {
  ivec2 a_end = a.corner + a.size;
  ivec2 b_end = b.corner + b.size;
  if (a_end.x <= b.corner.x || b_end.x <= a.corner.x) return false;
  return a.corner.y < b_end.y && b.corner.y < a_end.y;
}

// The low half counts overlaps, the high half adds up how far back they are.
uint Covered(uint place, ivec4 layer, int reach) {
  Sprite mine = MakeSprite(entries[place].sprite, layer);
  uint found = 0u;
  for (int back = 1; back <= reach; back++) {
    int other = int(place) - back;
    if (other < zero) break;
    Sprite theirs = MakeSprite(entries[other].sprite, layer);
    if (theirs.material == mine.material) continue;  // no seam to be seen
    if (Overlap(mine, theirs)) found += 1u + (uint(back) << 16u);
  }
  return found;
}

void main() {
  uint lane = gl_LocalInvocationID.x;
  uint group = gl_WorkGroupID.x;
  ivec4 layer = layers[group];
  uint count = layer.y == kByRow ? 128u : 256u;

  for (uint half_of = 0u; half_of < 2u; half_of++) {
    uint number = lane + 128u * half_of;
    entries[number] = Entry(KeyOf(MakeSprite(number, layer), layer.y), number);
  }
  Sort(lane, count);

  for (uint half_of = 0u; half_of < 2u; half_of++) {
    uint place = 2u * lane + half_of;
    order[group * 256u + place] = entries[place].sprite;
    keys[group * 256u + place] = entries[place].key;
  }
  uint place = 2u * lane + (group & 1u);
  cover[group * 128u + lane] = Covered(place, layer, 8);
}
