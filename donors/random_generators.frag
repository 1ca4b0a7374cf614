#version 460
// SPDX-License-Identifier: Apache-2.0
// Random numbers: multiply with carry, a permuted congruence, shifts and exclusive ors, feedback
// registers both ways, a lagged sum in a ring; and what is made of them: shuffles, samples, dice.
layout(location = 0) flat in uvec2 seed;
layout(location = 0) out vec4 color;

layout(constant_id = 3) const int kRounds = 6;
layout(constant_id = 4) const uint kSalt = 0x1234567u;

uint multiply_with_carry(inout uvec2 state) {
  state.x = 36969u * (state.x & 0xffffu) + (state.x >> 16);
  state.y = 18030u * (state.y & 0xffffu) + (state.y >> 16);
  return (state.x << 16) + (state.y & 0xffffu);
}

uint permuted(inout uint state) {
  uint old = state;
  state = old * 0x3a0f7d35u + 0x6f1b29c7u;
  uint turns = old >> 28;
  uint word = (old >> 9) ^ old;
  while (turns > 0u) {
    word = word >> 1 | word << 31;
    --turns;
  }
  word *= 0x1b573f2bu;
  return word >> 22 ^ word;
}

uint four_words(inout uvec4 state) {
  uint t = state.w;
  t ^= t << 11;
  t ^= t >> 8;
  state = uvec4(t ^ state.x ^ (state.x >> 19), state.xyz);
  return state.x + 0x5a17bu;
}

int feedback_period(uint start, uint taps) {
  uint state = start & 255u;
  if (state == 0u) {
    return 0;
  }
  uint first = state;
  int steps = 0;
  for (;;) {
    bool low = (state & 1u) != 0u;
    state >>= 1;
    if (low) {
      state ^= taps & 255u;
    }
    ++steps;
    if (state == first) {
      break;
    }
    if (state == 0u || steps == 255) {
      return -steps;
    }
  }
  return steps;
}

uint lagged_sum(uint start, int count) {
  uint ring[17];
  uint fill = start | 1u;
  for (int i = 0; i < 17; ++i) {
    fill = fill * 69069u + 5u;
    ring[i] = fill;
  }
  int old = 0;
  int newer = 12;
  uint last = 0u;
  for (int i = 0; i < count; ++i) {
    last = ring[old] + ring[newer];
    ring[old] = last;
    if (++old == 17) {
      old = 0;
    }
    newer = newer == 0 ? 16 : newer - 1;
  }
  return last;
}

uint shuffled_hand(uint start) {
  uint cards[8];
  for (uint i = 0u; i < 8u; ++i) {
    cards[i] = i;
  }
  uint state = start;
  for (int i = 7; i > 0; --i) {
    state = state * 1664525u + 1013904223u;
    int j = int((state >> 16) * uint(i + 1) >> 16);
    if (i == j) {
      continue;
    }
    uint kept = cards[i];
    cards[i] = cards[j];
    cards[j] = kept;
  }
  uint hand = 0u;
  for (int i = 0; i < 8; ++i) {
    hand = hand << 4 | cards[i];
  }
  return hand;
}

// Dice without bias: numbers in the last part of the range are thrown again.
int fair_dice(uint start, int rolls) {
  uint state = start;
  int sum = 0;
  int thrown = 0;
  while (thrown < rolls) {
    state ^= state << 7;
    state ^= state >> 9;
    uint three_bits = state >> 13 & 7u;
    if (three_bits > 5u) {
      state += 77u;
      continue;
    }
    sum += int(three_bits) + 1;
    if (++thrown == 20) {
      break;
    }
  }
  return sum;
}

ivec3 reservoir(uint start, int offered) {
  ivec3 kept = ivec3(0, 1, 2);
  uint state = start;
  for (int i = 3; i < offered; ++i) {
    state = state * 134775813u + 1u;
    uint place = (state >> 20) % 29u;
    switch (place) {
      case 0u:
        kept.x = i;
        break;
      case 1u:
        kept.y = i;
        break;
      case 2u:
        kept.z = i;
        break;
    }
  }
  return kept;
}

vec2 point_in_disc(uint start, out int tries) {
  uint state = start;
  vec2 p = vec2(0.0);
  tries = 0;
  do {
    state = state * 22695477u + 1u;
    uvec2 words = uvec2(state >> 16, state * 3u >> 16);
    p = vec2(words & 0xffffu) * (1.0 / 32768.0) - 1.0;
    if (dot(p, p) <= 1.0) {
      return p;
    }
  } while (++tries < 10);
  return p * 0.5;
}

float low_discrepancy(uint n, uint base_three) {
  float sum = 0.0;
  float digit = 0.33333334;
  while (base_three > 0u) {
    sum += digit * float(base_three % 3u);
    base_three /= 3u;
    digit *= 0.33333334;
  }
  return sum * 0.5 + float(bitfieldReverse(n) >> 8) * (0.5 / 16777216.0);
}

void main() {
  uvec2 pair = seed ^ kSalt;
  uint state = seed.x + 1u;
  uvec4 words = uvec4(seed, 3u, kSalt);
  uint mixed = 0u;
  for (int i = 0; i < kRounds; ++i) {
    mixed ^= multiply_with_carry(pair) + permuted(state) * four_words(words);
  }
  int tries;
  vec2 p = point_in_disc(mixed, tries);
  ivec3 kept = reservoir(mixed, 12);
  mixed += lagged_sum(mixed, 30) ^ shuffled_hand(state);
  mixed += uint(fair_dice(mixed, 9) + feedback_period(seed.y, 0xb8u) + kept.x + kept.y + kept.z);
  color = vec4(float(mixed & 255u) * (1.0 / 255.0), p * 0.5 + 0.5, low_discrepancy(state, mixed));
}
