#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
// SPDX-License-Identifier: Apache-2.0
// Numbers of 8 and 16 bits: samples that saturate, a sound filter, colours as bytes, halves in
// sums; and beside them the same in lanes of a word of 32 bits.
layout(local_size_x = 32) in;

struct Sample {
  int16_t left, right;
};

struct Voice {
  Sample memory[4];
  uint8_t phase, speed;
  uint16_t volume;
};

layout(std430, set = 0, binding = 0) buffer Sound {
  Sample samples[256];
  Voice voices[];
};
layout(std430, set = 0, binding = 1) buffer Picture {
  u8vec4 texels[64];
  f16vec4 sums[64];
  uint words[];
};

// Four bytes in a word: each sum stops at 255.
uint add_bytes(uint a, uint b) {
  uint sum = (a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu);
  uint over = (a & b) | ((a | b) & sum);
  over &= 0x80808080u;
  sum ^= (a ^ b) & 0x80808080u;
  uint full = (over << 1) - (over >> 7);
  return sum | full | over;
}

uint average_bytes(uint a, uint b) {
  return (a & b) + (((a ^ b) & 0xfefefefeu) >> 1);
}

// IEEE halves by hand, rounded towards zero; no NaN comes of it.
uint half_bits(float x) {
  uint bits = floatBitsToUint(x);
  uint sign = (bits >> 16) & 0x8000u;
  int exponent = int((bits >> 23) & 255u) - 112;
  uint fraction = bits & 0x7fffffu;
  if (exponent >= 31) {
    return sign | 0x7c00u;
  }
  if (exponent <= 0) {
    fraction |= 0x800000u;
    while (exponent < 0 && fraction != 0u) {
      fraction >>= 1;
      ++exponent;
    }
    return sign | fraction >> 14;
  }
  return sign | uint(exponent) << 10 | fraction >> 13;
}

int adpcm(inout ivec2 state, uint code) {
  const int changes[8] = int[8](-1, -1, -1, -1, 2, 4, 6, 8);
  int size = 7;
  for (int i = 0; i < state.y; ++i) {
    size += size / 10 + 1;
  }
  int move = size >> 3;
  for (int bit = 2; bit >= 0; --bit) {
    if ((code & (bit == 2 ? 4u : (bit == 1 ? 2u : 1u))) != 0u) {
      move += size;
    }
    size >>= 1;
  }
  state.x += (code & 8u) != 0u ? -move : move;
  state.x = clamp(state.x, -32768, 32767);
  state.y = clamp(state.y + changes[code & 7u], 0, 60);
  return state.x;
}

int16_t saturate(int x) {
  if (x > 32767) {
    return int16_t(32767);
  } else if (x < -32768) {
    return int16_t(-32768);
  }
  return int16_t(x);
}

Sample mix_samples(Sample a, Sample b, uint16_t volume) {
  Sample mixed;
  mixed.left = saturate(int(a.left) + (int(b.left) * int(volume) >> 8));
  mixed.right = saturate(int(a.right) + (int(b.right) * int(volume) >> 8));
  return mixed;
}

Sample play(inout Voice voice, Sample next) {
  int left = 0;
  int right = 0;
  for (int i = 3; i > 0; --i) {
    voice.memory[i] = voice.memory[i - 1];
    left += int(voice.memory[i].left) * i;
    right += int(voice.memory[i].right) * i;
  }
  voice.memory[0] = next;
  voice.phase += voice.speed;
  if (voice.phase < voice.speed) {
    voice.volume = uint16_t(voice.volume - (voice.volume >> 4));
  }
  return Sample(saturate(left / 6), saturate(right / 6));
}

f16vec4 blend(u8vec4 a, u8vec4 b, float16_t share) {
  f16vec4 x = f16vec4(a);
  f16vec4 y = f16vec4(b);
  f16vec4 mixed = x + (y - x) * share;
  for (int i = 0; i < 4; ++i) {
    if (mixed[i] > 128.0hf) {
      mixed[i] = 2.0hf * (mixed[i] - 64.0hf);
    }
  }
  return min(mixed, f16vec4(255.0hf));
}

void main() {
  uint n = gl_GlobalInvocationID.x;
  uint v = n % uint(voices.length());
  Voice voice = voices[v];
  Sample heard = play(voice, samples[n & 255u]);
  heard = mix_samples(heard, voice.memory[n & 3u], voice.volume);
  ivec2 state = ivec2(heard.left, int(voice.phase) & 31);
  int decoded = adpcm(state, uint(heard.right) & 15u);
  samples[n & 255u] = Sample(saturate(decoded), heard.right);
  voices[v] = voice;
  u8vec4 texel = texels[n & 63u];
  u8vec4 other = texels[(n + 1u) & 63u];
  f16vec4 sum = blend(texel, other, float16_t(float(state.y) * 0.015625));
  sums[n & 63u] = sum;
  texels[n & 63u] = u8vec4(i8vec4(texel) ^ i8vec4(other));
  uint word = pack32(texel);
  words[n] = add_bytes(word, average_bytes(word, n)) ^ half_bits(float(sum.x));
}
