#version 450
// SPDX-License-Identifier: Apache-2.0
// Text: characters four to a word, classes by ranges, numbers and names read, brackets matched with
// a stack, expressions computed by rank of operators, words compared and searched, runs packed.
layout(local_size_x = 16) in;

struct Token {
  int kind;
  int start;
  int letters;
  int value;
};

layout(std430, set = 0, binding = 0) readonly buffer Text { uint text[]; };
layout(std430, set = 0, binding = 1) buffer Tokens {
  int used;
  Token tokens[];
};

int class_of(uint letter) {
  if (letter >= 0x30u && letter <= 0x39u) {
    return 1;
  }
  if ((letter | 0x20u) >= 0x61u && (letter | 0x20u) <= 0x7au) {
    return 2;
  }
  switch (letter) {
    case 0x09u:
    case 0x0au:
    case 0x20u:
      return 0;
    case 0x5fu:
      return 2;
    case 0x28u:
    case 0x5bu:
    case 0x7bu:
      return 4;
    case 0x29u:
    case 0x5du:
    case 0x7du:
      return 5;
    case 0x22u:
      return 6;
    case 0x00u:
      return -1;
  }
  return letter < 0x20u || letter > 0x7eu ? -2 : 3;
}

uint letter_of(uvec4 words, int at) {
  uint word = words[(at >> 2) & 3];
  switch (at & 3) {
    case 3:
      word >>= 8;
    case 2:
      word >>= 8;
    case 1:
      word >>= 8;
  }
  return word & 255u;
}

int read_number(uvec4 words, inout int at) {
  int value = 0;
  int base = 10;
  bool negative = false;
  for (int i = 0; i < 16 && at < 16; ++i, ++at) {
    uint word = words[(at >> 2) & 3];
    for (int skip = at & 3; skip > 0; --skip) {
      word >>= 8;
    }
    int letter = int(word & 255u);
    if (letter == 0x2d && i == 0) {
      negative = true;
      continue;
    }
    if (letter == 0x78 && value == 0 && base == 10) {
      base = 16;
      continue;
    }
    if (letter == 0x5f) {
      continue;
    }
    int digit = letter - 0x30;
    if (digit > 9) {
      digit = (letter | 0x20) - 0x61 + 10;
      if (digit < 10) {
        break;
      }
    }
    if (digit < 0 || digit >= base) {
      break;
    }
    value = value * base + digit;
  }
  return negative ? -value : value;
}

// Depth at the end; -1 - place where a bracket does not fit.
int match_brackets(uvec4 words) {
  uint stack[8];
  int depth = 0;
  for (int at = 0; at < 16; ++at) {
    uint word = words[at >> 2];
    uint letter = (at & 2) == 0 ? ((at & 1) == 0 ? word : word >> 8)
                                : ((at & 1) == 0 ? word >> 16 : word >> 24);
    letter &= 255u;
    if (letter == 0u) {
      break;
    }
    switch (letter) {
      case 0x28u:
      case 0x5bu:
      case 0x7bu:
        if (depth == 8) {
          return -1 - at;
        }
        stack[depth++] = letter;
        break;
      case 0x29u:
        --letter;
      case 0x5du:
      case 0x7du:
        letter -= letter == 0x28u ? 0u : 2u;
        if (depth == 0 || stack[--depth] != letter) {
          return -1 - at;
        }
        break;
    }
  }
  return depth;
}

// A postfix script of codes of four bits: 0 to 9 push, 10 add, 11 subtract, 12 multiply, 13 double,
// 14 swap.
int postfix(uint script) {
  int stack[4] = int[4](0, 0, 0, 0);
  int top = 0;
  for (; script != 0u; script >>= 4) {
    int code = int(script & 15u);
    if (code < 10) {
      if (top > 3) {
        return -1;
      }
      stack[top++] = code;
      continue;
    }
    if (top < (code == 13 ? 1 : 2)) {
      return -2;
    }
    int right = stack[--top];
    if (code == 13) {
      stack[top++] = right * 2;
      continue;
    }
    int left = stack[--top];
    if (code == 14) {
      stack[top++] = right;
      stack[top++] = left;
    } else if (code == 10) {
      stack[top++] = left + right;
    } else if (code == 11) {
      stack[top++] = left - right;
    } else if (code == 12) {
      stack[top++] = left * right;
    } else {
      break;
    }
  }
  return top == 1 ? stack[0] : -3;
}

int edit_distance(uint a, uint b) {
  int row[5] = int[5](0, 1, 2, 3, 4);
  for (int i = 1; i <= 4; ++i) {
    int corner = row[0];
    row[0] = i;
    uint rest = b;
    for (int j = 1; j <= 4; ++j) {
      int change = corner + int((a & 255u) != (rest & 255u));
      corner = row[j];
      row[j] = min(change, min(row[j], row[j - 1]) + 1);
      rest >>= 8;
    }
    a >>= 8;
  }
  return row[4];
}

uint pack_runs(uint bits, out int runs) {
  uint lengths = 0u;
  uint length = 0u;
  uint now = bits & 1u;
  runs = 0;
  for (int i = 0; i < 32; ++i) {
    if ((bits & 1u) == now && length < 15u) {
      ++length;
    } else {
      lengths = lengths << 4 | length;
      length = 1u;
      if (++runs == 7) {
        break;
      }
      now = bits & 1u;
    }
    bits >>= 1;
  }
  return lengths << 4 | length;
}

Token next_token(uvec4 words, inout int at) {
  Token token = Token(-1, at, 0, 0);
  while (at < 16 && class_of(letter_of(words, at)) == 0) {
    ++at;
  }
  token.start = at;
  token.kind = at < 16 ? class_of(letter_of(words, at)) : -1;
  if (token.kind == 1) {
    token.value = read_number(words, at);
  } else if (token.kind == 2) {
    do {
      token.value = token.value * 31 + int(letter_of(words, at));
      ++at;
    } while (at < 16 && (class_of(letter_of(words, at)) + 1) / 2 == 1);
  } else {
    ++at;
  }
  token.letters = at - token.start;
  return token;
}

void main() {
  uint n = gl_GlobalInvocationID.x;
  uint first = n * 4u % max(uint(text.length()) - 3u, 1u);
  uvec4 words = uvec4(text[first], text[first + 1u], text[first + 2u], text[first + 3u]);
  int at = 0;
  while (at < 16) {
    Token token = next_token(words, at);
    if (token.kind < 0) {
      break;
    }
    int place = atomicAdd(used, 1);
    if (place >= tokens.length()) {
      return;
    }
    int runs;
    token.value ^= int(pack_runs(uint(token.value), runs));
    token.kind += runs * 16 + match_brackets(words) * 256;
    token.value += postfix(words.x) + edit_distance(words.y, words.z);
    tokens[place] = token;
  }
}
