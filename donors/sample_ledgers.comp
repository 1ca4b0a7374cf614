#version 450
// SPDX-License-Identifier: Apache-2.0
// Keeps books of the samples of integer images: sums and ranges of a texel, votes among samples, how
// samples are grouped, a checksum over a row, and a search for a value.
layout(local_size_x = 8) in;

layout(set = 0, binding = 0) uniform usampler2DMS entries;
layout(set = 0, binding = 1) uniform isampler2DMSArray books;
layout(std430, set = 0, binding = 2) buffer Ledger {
  int wanted;
  uint key;
  uvec4 lines[];
} ledger;

uint sum_of(ivec2 at) {
  uint sum = 0u;
  for (int i = 0; i < textureSamples(entries); ++i) {
    uvec4 entry = texelFetch(entries, at, i);
    sum += entry.x + (entry.y << 4) + (entry.z << 8);
  }
  return sum;
}

ivec2 range_of(ivec3 at) {
  int first = texelFetch(books, at, 0).x;
  ivec2 range = ivec2(first);
  for (int i = 1; i < textureSamples(books); ++i) {
    int next = texelFetch(books, at, i).x;
    range = ivec2(min(range.x, next), max(range.y, next));
  }
  return range;
}

// The value that most samples have in their lowest three bits; the smaller one of two.
uint elected(ivec2 at) {
  uint counts = 0u;
  for (int i = 0; i < textureSamples(entries); ++i) {
    counts += 1u << ((texelFetch(entries, at, i).x & 7u) * 4u);
  }
  uint best = 0u;
  for (uint k = 1u; k < 8u; ++k) {
    if ((counts >> (k * 4u) & 15u) > (counts >> (best * 4u) & 15u)) {
      best = k;
    }
  }
  return best;
}

// For each sample, the first sample with the same sign: two bits each.
uint groups_of(ivec3 at) {
  uint groups = 0u;
  int samples = min(textureSamples(books), 16);
  for (int i = 0; i < samples; ++i) {
    int sign_here = sign(texelFetch(books, at, i).y);
    int k = 0;
    while (k < i && sign(texelFetch(books, at, k).y) != sign_here) {
      ++k;
    }
    groups |= uint(k & 3) << (2 * i);
  }
  return groups;
}

uint row_checksum(int row, uint start) {
  uint sum = start;
  ivec2 size = textureSize(entries);
  for (int x = 0; x < min(size.x, 16); ++x) {
    for (int i = 0; i < textureSamples(entries); ++i) {
      sum = (sum << 5 | sum >> 27) ^ texelFetch(entries, ivec2(x, clamp(row, 0, size.y - 1)), i).w;
    }
  }
  return sum;
}

// Where a value is in a layer: column, row and sample; -1 if it is nowhere.
ivec3 find_value(int value, int layer) {
  ivec3 size = textureSize(books);
  for (int y = 0; y < min(size.y, 4); ++y) {
    for (int x = 0; x < min(size.x, 4); ++x) {
      for (int i = 0; i < textureSamples(books); ++i) {
        if (texelFetch(books, ivec3(x, y, clamp(layer, 0, size.z - 1)), i).x == value) {
          return ivec3(x, y, i);
        }
      }
    }
  }
  return ivec3(-1);
}

void main() {
  uint me = gl_GlobalInvocationID.x;
  ivec2 at = ivec2(int(me) % textureSize(entries).x, 0);
  ivec3 page = ivec3(int(me) % textureSize(books).x, 0, 0);
  ivec2 range = range_of(page);
  ivec3 found = find_value(ledger.wanted, int(me & 3u));
  uint groups = groups_of(page) ^ elected(at);
  ledger.lines[me] =
      uvec4(sum_of(at), uint(range.y - range.x), groups, row_checksum(found.y, ledger.key) + uint(found.z));
}
