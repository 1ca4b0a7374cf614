#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// SPDX-License-Identifier: Apache-2.0
// Lists, trees and tables that lead to each other by addresses: a skip list, a heap of free cells, a
// binary tree that rotates, a table of chains, and a rope of short texts.
layout(local_size_x = 16) in;

layout(buffer_reference) buffer Cell;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Cell {
  uvec2 next;
  uvec2 jump;  // a cell further down
  uint key;
  int balance;
  uint used[2];
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Piece {
  uvec2 left;
  uvec2 right;
  uint before;  // letters in the left piece
  uint letters[5];
};
layout(std430, set = 0, binding = 0) buffer Store {
  Cell chains[8];
  uvec2 free;
  uint counts[8];
  int answers[];
};
layout(push_constant) uniform Asked {
  Piece text;
  uint wanted;
  int rounds;
} asked;

bool is_null(uvec2 address) { return (address.x | address.y) == 0u; }

uint mixed(uint key) {
  key ^= key >> 15;
  key *= 0x2c1b3c6du;
  for (int i = 0; i < 3; ++i) {
    key = (key << 7 | key >> 25) + uint(i);
  }
  return key ^ key >> 12;
}

// The cell with the key, or the last one before it; `passed` counts the cells on the way.
uvec2 find_before(uvec2 at, uint key, out int passed) {
  passed = 0;
  uvec2 last = uvec2(0u);
  while (!is_null(at) && passed < 40) {
    Cell cell = Cell(at);
    ++passed;
    if (cell.key > key) {
      break;
    }
    last = at;
    if (cell.key == key) {
      return at;
    }
    uvec2 jump = cell.jump;
    if (!is_null(jump) && Cell(jump).key <= key) {
      at = jump;
      continue;
    }
    at = cell.next;
  }
  return last;
}

// Which bit of the masks of a cell is free; 64 if none is.
int first_free(uint low, uint high) {
  for (int word = 0; word < 2; ++word) {
    uint mask = word == 0 ? low : high;
    if (mask == 0xffffffffu) {
      continue;
    }
    int bit = 0;
    while ((mask & 1u) != 0u) {
      mask >>= 1;
      ++bit;
    }
    return word * 32 + bit;
  }
  return 64;
}

int reserve(uvec2 at) {
  if (is_null(at)) {
    return -1;
  }
  Cell cell = Cell(at);
  int bit = first_free(cell.used[0], cell.used[1]);
  if (bit < 64) {
    cell.used[bit >> 5] |= 1u << (bit & 31);
  }
  return bit;
}

// The balance after a chain of rotations, as a tree of that height would have it.
int rotated(int balance, int left, int right, out bool again) {
  again = false;
  switch (clamp(balance, -2, 2)) {
    case -2:
      again = left > 0;
      return again ? balance + 1 : 0;
    case 2:
      again = right < 0;
      return again ? balance - 1 : 0;
    case 0:
      return left == right ? 0 : (left > right ? -1 : 1);
  }
  return balance;
}

int settle(uvec2 at, int rounds) {
  int sum = 0;
  for (int i = 0; i < min(rounds, 12) && !is_null(at); ++i) {
    Cell cell = Cell(at);
    bool again;
    int made = rotated(cell.balance, sum & 3, i - 2, again);
    sum = sum * 3 + made;
    if (again) {
      continue;
    }
    cell.balance = made;
    at = (made & 1) != 0 ? cell.jump : cell.next;
  }
  return sum;
}

// The letter at `place` of a rope; ropes are at most ten pieces deep.
uint letter_at(uvec2 at, uint place) {
  for (int depth = 0; depth < 10; ++depth) {
    if (is_null(at)) {
      return 0u;
    }
    Piece piece = Piece(at);
    if (is_null(piece.left) && is_null(piece.right)) {
      return piece.letters[min(place >> 2, 4u)] >> (place & 3u) * 8u & 255u;
    }
    if (place < piece.before) {
      at = piece.left;
    } else {
      place -= piece.before;
      at = piece.right;
    }
  }
  return 1u;
}

uint check_of(uvec2 text, uint length) {
  uint sum = 17u;
  for (uint i = 0u; i < min(length, 24u); ++i) {
    uint letter = letter_at(text, i);
    if (letter == 0u) {
      break;
    }
    sum = sum * 31u ^ letter;
  }
  return sum;
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uvec2 chain = uvec2(chains[lane & 7u]);
  int passed;
  uvec2 found = find_before(chain, mixed(asked.wanted + lane), passed);
  int answer = passed + reserve(found) * 64;
  answer ^= settle(chain, asked.rounds);
  answer += int(check_of(uvec2(asked.text), asked.wanted & 31u));
  atomicAdd(counts[lane & 7u], uint(passed));
  answers[lane] = answer;
}
