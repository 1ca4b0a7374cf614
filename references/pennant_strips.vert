#version 450
// SPDX-License-Identifier: Apache-2.0
// Hoists pennants: an instance is a string of pennants, one triangle strip whose indices repeat vertices where a
// pennant ends. Each vertex has a piece of a message in a code of unequal lengths; it walks down the tree
// of the code bit by bit and gets the letters, and a checksum that depends on the string it hangs on.
//
// Exact: places are multiples of four pixels, edges are level, upright or diagonal, and outputs are flat.
layout(location = 0) in ivec2 knot;   // in steps of four pixels
layout(location = 1) in uint piece;   // the bits of a message, the first one lowest
layout(location = 2) in ivec4 hoist;  // of a string: where it hangs, +-1 mirrors it left and right, and up and down
layout(location = 3) in uint length;  // how many bits a string reads
layout(location = 0) flat out uvec4 letters;
layout(location = 1) flat out ivec3 hung;
layout(location = 2) flat out uvec2 order;

layout(std140, set = 0, binding = 0) uniform CodeBook {
  ivec4 branches[4];  // 7 inner nodes, in halves: what follows on bit 0 and on bit 1; negative: a letter
  float step;         // 4 pixels, of a frame from -1 to 1
} book;

int FollowerOf(int node, uint bit) {
  int at = node * 2 + int(bit);
  return book.branches[at >> 2][at & 3];
}

// Reads `bits` bits; the letters lie in x, four bits each, their number in y, and what is left of a letter in z.
uvec3 Decoded(uint word, uint bits) {
  uvec3 text = uvec3(0u);
  int node = 0;
  for (uint i = 0u; i < bits; ++i) {
    node = FollowerOf(node, word >> i & 1u);
    text.z = text.z * 2u + 1u;
    if (node >= 0) continue;
    uint letter = uint(-node - 1);
    if (letter == 7u) break;  // the end of the message
    text.x = text.x << 4 | letter;
    ++text.y;
    text.z = 0u;
    node = 0;
  }
  return text;
}

// Sorts the letters; equal ones are counted in y and stay once.
uvec2 SortedOut(uvec3 text) {
  uint letters[8];
  uint count = 0u, twice = 0u;
  for (uint i = 0u; i < min(text.y, 8u); ++i) {
    uint letter = text.x >> i * 4u & 15u;
    uint place = count;
    bool known = false;
    while (place > 0u && letters[place - 1u] >= letter) {
      --place;
      known = known || letters[place] == letter;
    }
    if (known) {
      ++twice;
      continue;
    }
    for (uint k = count; k > place; --k) letters[k] = letters[k - 1u];
    letters[place] = letter;
    ++count;
  }
  uint sorted = 0u;
  for (uint i = 0u; i < count; ++i) sorted = sorted << 4 | letters[i];
  return uvec2(sorted, twice);
}

uint Checked(uvec3 text, uint string) {
  uint sum = 0x5u + string;
  for (uint i = 0u; i < text.y; ++i) {
    sum = (sum << 3 ^ sum >> 5 ^ (text.x >> i * 4u & 15u)) & 255u;
  }
  return sum ^ text.z;
}

void main() {
  ivec2 at = hoist.xy + knot * hoist.zw;
  gl_Position = vec4(vec2(at) * book.step - 1.0, 0.0, 1.0);
  uint string = uint(gl_InstanceIndex);
  uvec3 text = Decoded(piece >> (string & 1u), length);
  letters = uvec4(text, Checked(text, string));
  order = SortedOut(text);
  hung = ivec3(hoist.z * hoist.w, gl_VertexIndex, at.y);
}
