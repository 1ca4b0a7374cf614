#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// SPDX-License-Identifier: Apache-2.0
// Memory in pages: tables of two levels whose entries are addresses with flags in their low bits, a
// ring of recent pages, records of unequal lengths in a page, and arrays that a pointer walks along.
layout(location = 0) out vec4 colour;

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Page { uint words[64]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Table { uint64_t entries[16]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Numbers { int number; };

layout(std430, set = 0, binding = 0) buffer Memory {
  Table root;
  Numbers row;
  uint64_t zero_page;
  uint faults[16];
};
layout(set = 0, binding = 1) uniform View {
  ivec4 window;
  uvec4 keys;
  int steps;
} view;

const uint64_t kFlags = 15ul;

struct Recent {
  uint pages[4];
  uint64_t places[4];
  uint clock;
};

// The place of a page in the ring; 4 if it is not there. The clock's hand moves at a miss.
uint look_up(inout Recent recent, uint page) {
  for (uint i = 0u; i < 4u; ++i) {
    uint at = (recent.clock + i) & 3u;
    if (recent.pages[at] == page) {
      return at;
    }
  }
  recent.clock = (recent.clock + 1u) & 3u;
  return 4u;
}

uint64_t entry_of(Table table, uint index, out uint flags) {
  uint64_t entry = table.entries[index & 15u];
  flags = uint(entry & kFlags);
  return entry - (entry & kFlags);
}

// What the flags allow: 0 nothing, 1 to read, 2 to write, 3 both; nested tables narrow it.
uint narrowed(uint outer, uint inner) {
  uint allowed = 0u;
  for (uint bit = 0u; bit < 2u; ++bit) {
    bool both = (outer >> bit & inner >> bit & 1u) != 0u;
    if (!both) {
      continue;
    }
    allowed |= 1u << bit;
  }
  return (outer & 8u) != 0u ? allowed & 1u : allowed;
}

uint64_t walk(uint page, out uint allowed) {
  uint outer, inner;
  uint64_t second = entry_of(root, page >> 4, outer);
  if (second == 0ul) {
    allowed = 0u;
    return zero_page;
  }
  uint64_t place = entry_of(Table(second), page, inner);
  allowed = narrowed(outer, inner);
  return place == 0ul ? zero_page : place;
}

uint word_at(inout Recent recent, uint address) {
  uint page = address >> 6;
  uint at = look_up(recent, page);
  if (at == 4u) {
    uint allowed;
    uint64_t place = walk(page, allowed);
    if ((allowed & 1u) == 0u) {
      return 0xdeadu;
    }
    at = recent.clock;
    recent.pages[at] = page;
    recent.places[at] = place;
  }
  return Page(recent.places[at]).words[address & 63u];
}

// Records in a page: the lowest byte of a word is how many words follow it.
uint record_sum(Page page, uint wanted) {
  uint at = 0u, seen = 0u;
  do {
    uint head = page.words[at];
    uint length = min(head & 7u, 63u - at);
    if (seen == wanted) {
      uint sum = head >> 8;
      for (uint i = 1u; i <= length; ++i) {
        sum = sum * 5u + page.words[at + i];
      }
      return sum;
    }
    ++seen;
    at += length + 1u;
  } while (at < 63u && seen < 16u);
  return seen;
}

// A pointer that moves by what it points to, as in a game of snakes.
int snake(Numbers at, int steps, int room) {
  int place = 0, sum = 0;
  for (int i = 0; i < min(steps, 20); ++i) {
    int number = at[place].number;
    sum += number ^ i;
    place += number;
    if (place < 0 || place >= room) {
      return sum;
    }
  }
  return -sum;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy) - view.window.xy;
  Recent recent;
  recent.pages = uint[4](1u << 20, 1u << 20, 1u << 20, 1u << 20);
  recent.places = uint64_t[4](zero_page, zero_page, zero_page, zero_page);
  recent.clock = 0u;
  uint word = 0u;
  for (int i = 0; i < view.steps; ++i) {
    word = word * 3u + word_at(recent, uint(pixel.x * 16 + i) & 1023u);
  }
  word += record_sum(Page(zero_page), view.keys.x & 7u);
  word ^= uint(snake(row, view.steps, 16));
  colour = vec4(float(word & 255u), float(word >> 8 & 255u), float(pixel.y & 255), 255.0) / 255.0;
}
