#version 450
// SPDX-License-Identifier: Apache-2.0
// Strings of bytes: run lengths, a cipher that steps over an alphabet, distances of words, and sums
// that catch two letters that changed places. Signed bytes carry differences.
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) readonly buffer Strings { uint8_t letter[256]; };
layout(std430, set = 0, binding = 1) writeonly buffer Answers { uvec4 answers[8]; };

struct Word {
  uint8_t letters[8];
  uint8_t count;
};

Word read_word(uint from) {
  Word word;
  word.count = letter[from & 255u] & uint8_t(7);
  for (uint i = 0u; i < 8u; ++i) {
    word.letters[i] = i < uint(word.count) ? letter[(from + 1u + i) & 255u] : uint8_t(0);
  }
  return word;
}

// Letters of the alphabet are moved on by a key that changes with each letter.
Word shifted(Word word, uint8_t key) {
  for (int i = 0; i < 8; ++i) {
    uint8_t c = word.letters[i];
    if (c < uint8_t(97) || c > uint8_t(122)) {
      continue;
    }
    uint16_t moved = uint16_t(c - uint8_t(97)) + uint16_t(key);
    word.letters[i] = uint8_t(moved % uint16_t(26)) + uint8_t(97);
    key = key * uint8_t(5) + c;
  }
  return word;
}

// The number of runs of equal bytes, and the longest one.
u8vec2 runs_of(Word word) {
  uint8_t runs = uint8_t(0), longest = uint8_t(0), now = uint8_t(0);
  for (int i = 0; i < 8; ++i) {
    bool goes_on = i > 0 && word.letters[i] == word.letters[max(i - 1, 0)];
    now = goes_on ? now + uint8_t(1) : uint8_t(1);
    runs += goes_on ? uint8_t(0) : uint8_t(1);
    longest = max(longest, now);
  }
  return u8vec2(runs, longest);
}

uint distance_of(Word a, Word b) {
  uint row[9];
  for (int i = 0; i < 9; ++i) {
    row[i] = uint(i);
  }
  for (int k = 0; k < 8; ++k) {
    uint corner = row[0];
    row[0] = uint(k + 1);
    for (int i = 0; i < 8; ++i) {
      uint change = corner + (a.letters[k] == b.letters[i] ? 0u : 1u);
      corner = row[i + 1];
      row[i + 1] = min(change, min(row[i], corner) + 1u);
    }
  }
  return row[8];
}

uint16_t fletcher(Word word) {
  uint16_t low = uint16_t(1), high = uint16_t(0);
  for (int i = 0; i < 8; ++i) {
    low = (low + uint16_t(word.letters[i])) % uint16_t(251);
    high = (high + low) % uint16_t(251);
  }
  return high << uint16_t(8) | low;
}

int8_t leaning(Word word) {
  int8_t sum = int8_t(0);
  for (int i = 1; i < 8; ++i) {
    int8_t change = int8_t(word.letters[i]) - int8_t(word.letters[i - 1]);
    sum = change < int8_t(0) ? sum - (change >> int8_t(1)) : sum + (change & int8_t(15));
  }
  return sum;
}

// How many of the four bytes of a word are in a range, without types of 8 bits.
uint bytes_between(uint word, uint low, uint high) {
  uint count = 0u;
  for (int i = 0; i < 4; ++i) {
    uint letter = word & 255u;
    word >>= 8;
    if (letter < low) {
      continue;
    }
    count += letter <= high ? 1u : 0u;
  }
  return count;
}

void main() {
  uint at = gl_LocalInvocationID.x;
  Word first = read_word(at * 9u), second = shifted(read_word(at * 13u + 5u), uint8_t(at));
  u8vec2 runs = runs_of(first);
  uint far = distance_of(first, second);
  uint between = bytes_between(far * 0x01010101u, at, at + 64u);
  answers[at] = uvec4(far, between << 16 | uint(runs.x) << 8 | uint(runs.y),
                      uint(fletcher(second)), uint(int(leaning(first))));
}
