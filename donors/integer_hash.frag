#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Integer hashing: a byte-wise hash in a loop, a word mixer without one, a checksum over a table,
// and a table with open places. Shifts are by constants; everything wraps.
precision highp float;
precision highp int;
layout(location = 0) flat in uint start;
layout(location = 0) out vec4 color;

uint hash_bytes(uint word, uint seed) {
  uint hash = seed ^ 0x811c9dc5u;
  for (int i = 0; i < 4; ++i) {
    hash ^= word & 255u;
    hash *= 16777619u;
    word >>= 8;
  }
  return hash;
}

uint mix_words(uvec2 words) {
  uint h = words.x * 0xcc9e2d51u;
  h = (h << 15) | (h >> 17);
  h ^= words.y * 0x1b873593u;
  h = (h << 13) | (h >> 19);
  return h * 5u + 0xe6546b64u;
}

uint checksum(uint start) {
  uint table[6] = uint[6](start, 3u, start ^ 7u, 31u, start + 1u, 127u);
  uint low = 1u, high = 0u;
  for (int i = 0; i < 6; ++i) {
    low = (low + table[i]) % 65521u;
    high = (high + low) % 65521u;
  }
  return high << 16 | low;
}

// Into a small table, to the next free place; how many keys had to move on.
int collisions(uint first, uint step_size) {
  uint slots[8];
  for (int i = 0; i < 8; ++i) {
    slots[i] = 0u;
  }
  int moved = 0;
  for (uint key = first; key != first + 6u * step_size; key += step_size) {
    uint at = (key * 0x9e3779b1u) >> 29;
    for (int tries = 0; tries < 8; ++tries) {
      if (slots[at] == 0u || slots[at] == key) {
        break;
      }
      at = (at + 1u) & 7u;
      ++moved;
    }
    slots[at] = key;
  }
  return moved;
}

void main() {
  uint at = start;
  uint mixed = hash_bytes(at, 5u) ^ mix_words(uvec2(at, 9u)) ^ checksum(at) ^
               uint(collisions(at, 3u));
  color = vec4(float(mixed & 255u) * (1.0 / 255.0));
}
