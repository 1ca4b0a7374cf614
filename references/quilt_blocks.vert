#version 450
// SPDX-License-Identifier: Apache-2.0
// Sews quilt blocks. An instance is a block: a fan of eight patches round its middle, turned,
// mirrored or halved by a matrix. Which fabric a patch has follows from its block's recipe: a
// ring of eight bits goes through some steps of an elementary automaton, and the patch looks at
// what its own bit has done, how many neighbours are as it is, and which necklace the ring is.
//
// Exact: places are whole pixels, so that all seams are horizontal, vertical or diagonal.
layout(location = 0) in ivec2 corner;  // in halves of a side, from the middle
layout(location = 1) in ivec2 cell;    // where the middle lies, in eighths of half a side
layout(location = 2) in mat2 turn;
layout(location = 4) in uvec4 recipe;  // ring, steps, fabrics, rule
layout(location = 5) in float shade[2];
layout(location = 0) flat out ivec4 history;  // bits, age, neighbours alike, necklace
layout(location = 1) flat out uvec4 dyes;     // ground, print, kind of print, block
layout(location = 2) out vec2 thread;         // from the middle; never whole at the centre of a pixel
layout(location = 3) flat out float worn;

layout(std140, set = 0, binding = 0) uniform Workshop {
  ivec4 rules[2];
  uvec4 fabrics[2];  // RGB
  ivec4 cut;         // half a side in pixels, an eighth of it, steps at most, age at most
  float pixel;       // 2 / side of the frame
} shop;

int RingBit(int ring, int at) { return ring >> (at & 7) & 1; }

int Stepped(int ring, int rule) {
  int next = 0;
  for (int at = 0; at < 8; ++at) {
    int around = RingBit(ring, at + 7) << 2 | RingBit(ring, at) << 1 | RingBit(ring, at + 1);
    next |= (rule >> around & 1) << at;
  }
  return next;
}

// The bits of a patch, the latest lowest, and for how many steps it has been as it is.
ivec2 Followed(inout int ring, int rule, int steps, int at) {
  int bits = RingBit(ring, at), age = 0;
  for (int i = 0; i < steps; ++i) {
    ring = Stepped(ring, rule);
    int now = RingBit(ring, at);
    age = now == (bits & 1) ? age + 1 : 0;
    bits = bits << 1 | now;
  }
  return ivec2(bits, min(age, shop.cut.w));
}

int AlikeAround(int ring, int at) {
  int alike = 1;
  while (alike < 8 && RingBit(ring, at + alike) == RingBit(ring, at)) ++alike;
  for (int back = 1; alike < 8 && RingBit(ring, at - back) == RingBit(ring, at); ++back) ++alike;
  return alike;
}

// The least of all rotations; the same for blocks that differ by a turn.
int Necklace(int ring) {
  int least = ring;
  for (int i = 1; i < 8; ++i) {
    ring = (ring << 1 | ring >> 7) & 255;
    least = min(least, ring);
  }
  return least;
}

uint DyeOf(uint fabric) { return shop.fabrics[fabric >> 2 & 1u][fabric & 3u]; }

void main() {
  float side = float(shop.cut.x);
  vec2 place = turn * (vec2(corner) * side) + vec2(cell * shop.cut.y);
  gl_Position = vec4(place * shop.pixel - 1.0, 0.0, 1.0);
  thread = vec2(corner) * side + 0.25;

  int ring = int(recipe.x);
  int rule = shop.rules[recipe.w >> 2 & 1u][recipe.w & 3u];
  int at = gl_VertexIndex + 7;  // the middle is vertex 0, and gives its fabric to no patch
  int steps = min(int(recipe.y) + gl_InstanceIndex % 3, shop.cut.z);
  ivec2 followed = Followed(ring, rule, steps, at);
  int alike = AlikeAround(ring, at);
  history = ivec4(followed, alike, Necklace(ring));

  uint ground = recipe.z & 7u, print = recipe.z >> 3 & 7u;
  if ((followed.x & 1) == 0) {
    uint other = ground;
    ground = print;
    print = (other + uint(alike)) & 7u;
  }
  dyes = uvec4(DyeOf(ground), DyeOf(print), (recipe.z >> 6) ^ uint(alike & 3),
               uint(gl_InstanceIndex));
  worn = shade[at & 1] + float(followed.y) * 4.0;
}
