#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Looks for eight words, one for each workgroup, in a text of 512 bytes that lies packed in a
// buffer. Each invocation has eight places: a rolling hash tells where the word may stand, a
// comparison whether it does (the modulus is small, so there are false alarms to be counted), and
// a column of edit distances says for every place how little the text before it differs from the
// word. Matches and pairs of letters are counted by class with atomics.
//
// Stable: bytes, 16-bit pairs and counts are unsigned integers; atomics only add or take the least
// or the largest. A column of distances starts so far before the first place it is wanted at that
// no alignment is cut off, and the word's length bounds all indices.
precision highp float;
precision highp int;

layout(local_size_x = 64) in;

const uint kBytes = 512u;
const uint kPlaces = 8u;      // of an invocation
const uint kLongest = 12u;

struct Tally {
  uint exact;
  uint alarms;
  uint first;
  uint last;
  uint near[4];
};

layout(std430, set = 0, binding = 0) readonly buffer Text { uint text[128]; };
layout(std140, set = 0, binding = 1) uniform Words {
  uvec4 words[8];   // twelve bytes, the lowest first, and the length
  uvec4 costs;      // of a gap, of a consonant for another, of a vowel, of case
  uint base;        // 37
  uint modulus;     // 101
};
layout(std430, set = 0, binding = 2) writeonly buffer Distances { uint distances[8 * 128]; };
layout(std430, set = 0, binding = 3) writeonly buffer Tallies { Tally tallies[8]; };
layout(std430, set = 0, binding = 4) buffer Pairs { uint pairs[32]; };

shared uint letters[128];
shared uint word_hash;
shared Tally tally;

uint TextByte(uint at) { return bitfieldExtract(letters[at >> 2u], int(8u * (at & 3u)), 8); }

// Two bytes, wherever they lie.
uint TextPair(uint at) {
  if ((at & 3u) != 3u) return bitfieldExtract(letters[at >> 2u], int(8u * (at & 3u)), 16);
  return (letters[at >> 2u] >> 24u) | ((letters[(at >> 2u) + 1u] & 255u) << 8u);
}

uint WordByte(uint word, uint at) { return (words[word][at >> 2u] >> (8u * (at & 3u))) & 255u; }

bool IsVowel(uint letter) {
  switch (letter | 32u) {
    case 97u:
    case 101u:
    case 105u:
    case 111u:
    case 117u:
      return true;
  }
  return false;
}

uint Replace(uint from, uint to) {
  if (from == to) return 0u;
  if ((from ^ to) == 32u) return costs.w;
  uint cost = costs.y;
  if (IsVowel(from) && IsVowel(to)) cost = costs.z;
  return cost;
}

uint HashWord(uint word, uint length) {
  uint hash = 0u;
  for (uint i = 0u; i < length; i++) hash = (hash * base + WordByte(word, i)) % modulus;
  return hash;
}

bool StandsAt(uint word, uint length, uint at) {
  for (uint i = 0u; i < length; i++) {
    if (TextByte(at + i) != WordByte(word, i)) return false;
  }
  return true;
}

void SearchExact(uint word, uint length, uint from) {
  uint power = 1u;
  uint hash = 0u;
  for (uint i = 0u; i < length && from + i < kBytes; i++) {
    hash = (hash * base + TextByte(from + i)) % modulus;
    if (i > 0u) power = power * base % modulus;
  }
  for (uint at = from; at < from + kPlaces; at++) {
    if (at + length > kBytes) break;
    if (hash == word_hash) {
      if (StandsAt(word, length, at)) {
        atomicAdd(tally.exact, 1u);
        atomicMin(tally.first, at);
        atomicMax(tally.last, at);
      } else {
        atomicAdd(tally.alarms, at + 1u);
      }
    }
    if (at + length == kBytes) break;
    uint gone = TextByte(at) * power % modulus;
    hash = ((hash + modulus - gone) * base + TextByte(at + length)) % modulus;
  }
}

// One more letter of the text: the column of distances moves on; returns the lowest entry.
uint Advance(inout uint column[kLongest + 1u], uint word, uint length, uint letter) {
  uint diagonal = column[0];
  for (uint i = 1u; i <= length; i++) {
    uint above = column[i];
    uint best = diagonal + Replace(WordByte(word, i - 1u), letter);
    best = min(best, above + costs.x);
    best = min(best, column[i - 1u] + costs.x);
    column[i] = best;
    diagonal = above;
  }
  return column[length];
}

void SearchNear(uint word, uint length, uint from) {
  uint column[kLongest + 1u];
  for (uint i = 0u; i <= length; i++) column[i] = i * costs.x;
  uint packed = 0u;
  uint at = from > 2u * length ? from - 2u * length : 0u;
  for (; at < from + kPlaces; at++) {
    uint distance = Advance(column, word, length, TextByte(at));
    if (at < from) continue;
    packed |= distance << (8u * (at & 3u));
    uint grade = distance * 2u / length;
    if (grade < 4u) atomicAdd(tally.near[grade], 1u + (at << 12u));
    if ((at & 3u) == 3u) {
      distances[word * 128u + (at >> 2u)] = packed;
      packed = 0u;
    }
  }
}

// Pairs that begin in this word's eighth of the text, by class.
void CountPairs(uint at) {
  if (at + 1u >= kBytes) return;
  uint pair = TextPair(at);
  uint slot = (pair ^ (pair >> 5u) ^ (pair >> 11u)) & 31u;
  atomicAdd(pairs[slot], pair);
}

void main() {
  uint lane = gl_LocalInvocationID.x;
  uint word = gl_WorkGroupID.x;
  uint length = words[word].w;

  letters[2u * lane] = text[2u * lane];
  letters[2u * lane + 1u] = text[2u * lane + 1u];
  if (lane == 0u) {
    tally = Tally(0u, 0u, kBytes, 0u, uint[4](0u, 0u, 0u, 0u));
    word_hash = HashWord(word, length);
  }
  barrier();

  SearchExact(word, length, lane * kPlaces);
  SearchNear(word, length, lane * kPlaces);
  CountPairs(word * 64u + lane);
  barrier();
  if (lane == word) tallies[word] = tally;
}
