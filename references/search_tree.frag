#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Draws a binary search tree as an icicle: 32 keys from left to right, eight levels from top to
// bottom. A pixel looks its column's key up and stops at its row's level; the colour tells which
// node the search is at, a white-rimmed cell that it found the key there. Where the search has
// fallen out of the tree, the stripes of the background say on which side.
//
// Stable: integers only (coordinates, uniforms, indices masked to the array), and colours are
// k * (1/255) for integers k from 0 to 255.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

layout(set = 0, binding = 0) uniform buf0 { int key_width; };     // 8
layout(set = 0, binding = 1) uniform buf1 { int level_height; };  // 32
layout(set = 0, binding = 2) uniform buf2 { int insertions; };    // 22
layout(set = 0, binding = 3) uniform buf3 { uint seed; };         // 5
layout(set = 0, binding = 4) uniform buf4 { int zero; };          // 0
layout(set = 0, binding = 5) uniform buf5 { int one; };           // 1

const int kNodes = 32;
const int kNone = -1;

struct Tree {
  int key[kNodes];
  int left[kNodes];
  int right[kNodes];
  int used;  // nodes
};

struct Visit {
  int node;     // kNone: fell out of the tree
  int depth;    // of the last node seen
  bool is_left; // the last turn taken
};

Tree tree;

int NewNode(int key) {
  int fresh = tree.used;
  tree.key[fresh] = key;
  tree.left[fresh] = kNone;
  tree.right[fresh] = kNone;
  tree.used = fresh + one;
  return fresh;
}

// Adds the key unless it is there or the tree is full.
void Insert(int key) {
  if (tree.used >= kNodes) return;
  if (tree.used == zero) {
    NewNode(key);
    return;
  }
  int at = zero;
  for (int hops = 0; hops < kNodes; hops++) {
    if (tree.key[at] == key) return;
    bool go_left = key < tree.key[at];
    int next = go_left ? tree.left[at] : tree.right[at];
    if (next != kNone) {
      at = next;
      continue;
    }
    int fresh = NewNode(key);
    if (go_left) {
      tree.left[at] = fresh;
    } else {
      tree.right[at] = fresh;
    }
    return;
  }
}

// Looks the key up for at most `levels` turns.
Visit Search(int key, int levels) {
  Visit visit = Visit(zero, zero, false);
  while (visit.depth < levels) {
    int node_key = tree.key[visit.node];
    if (node_key == key) break;
    visit.is_left = key < node_key;
    visit.node = visit.is_left ? tree.left[visit.node] : tree.right[visit.node];
    if (visit.node == kNone) break;
    visit.depth++;
  }
  return visit;
}

int NodeColour(int node) {
  int rgb = 0x203040;
  switch (node & 7) {
    case 0:
      rgb = 0xd05030;
      break;
    case 1:
      rgb += 0x304010;
      // falls through
    case 2:
      rgb += 0x205020;
      // falls through
    case 3:
      rgb += 0x100840;
      break;
    case 4:
    case 5:
      rgb = (node & 1) == 1 ? 0x3878c0 : 0xc8a030;
      break;
    case 6:
      rgb = 0x68a848;
      break;
    default:
      rgb = 0x9858b0;
      break;
  }
  return rgb + (node >> 3) * 0x0c0c0c;
}

vec4 Paint(int rgb) {
  ivec3 levels = ivec3(rgb >> 16, rgb >> 8, rgb) & 255;
  return vec4(vec3(levels) * (1.0 / 255.0), 1.0);
}

void main() {
  int x = int(gl_FragCoord.x);
  int y = int(gl_FragCoord.y);
  int key = x / key_width;
  int level = y / level_height;

  tree.used = zero;
  uint state = seed;
  int count = zero;
  do {
    state = (state * 77u + 41u) & 0xffffu;
    Insert(int(state >> 8u) & 31);
    count += one;
  } while (count < insertions);

  Visit visit = Search(key, level);
  bool rim = x % key_width == zero || y % level_height == zero;
  int rgb;
  if (visit.node == kNone) {
    int stripe = (x + (visit.is_left ? y : 511 - y)) / 4;
    rgb = (stripe & 1) == zero ? 0x1c2024 : 0x282c34;
    if (level == visit.depth + one && y % level_height < 2) rgb = 0x604848;
  } else if (tree.key[visit.node] == key) {
    rgb = rim ? 0xf0f0f0 : NodeColour(visit.node);
    if (visit.depth < level) rgb = (rgb >> 1) & 0x7f7f7f;
  } else {
    rgb = NodeColour(visit.node);
    if (y % level_height == zero) rgb = 0x000000;
  }
  color = Paint(rgb);
}
