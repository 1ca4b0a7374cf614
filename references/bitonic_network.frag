#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Draws Batcher's bitonic sorting network for 16 wires: time goes from left to right, one column for
// each of the ten steps and one more for the sorted end. A wire has the colour of the key that it
// carries there; the vertical bars are the comparators of the column's step, bright if the keys
// change places in it, and with an arrowhead at the end that gets the larger key. Every pixel runs
// the network as far as its column.
//
// Stable: integers only. Wire numbers come from pixel coordinates inside a frame of exactly 11 by 16
// cells, partners from flipping one of four bits, so indices stay below 16; keys are taken modulo
// 16; colours are k * (1/255) for integers k from 0 to 255.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

layout(std140, set = 0, binding = 0) uniform Network {
  ivec4 deck[4];   // the keys, four a row
  int wires;       // 16
  int first;       // 2: the smallest block to sort
  int cell_width;  // 16
  int cell_height; // 8
  int twist;       // 5: rotates the keys of every row of the deck
  float alpha;     // 1.0
} net;

struct Step {
  int block;     // sorted by the steps of this phase
  int distance;  // between the wires of a comparator; 0: nothing left to do
};

int keys[16];
int moved;   // bit set of the wires whose keys changed places in the last step
int before;  // the key of the pixel's wire before that step

void Deal() {
  for (int i = 0; i < net.wires; i++) {
    ivec4 row = net.deck[i >> 2];
    keys[i] = (row[i & 3] + net.twist * (i >> 2)) & 15;
  }
}

void Exchange(inout int low, inout int high, bool rising, int both) {
  if (rising ? low <= high : low >= high) return;
  int kept = low;
  low = high;
  high = kept;
  moved ^= both;
}

void Run(Step now) {
  for (int i = 0; i < net.wires; i++) {
    int partner = i ^ now.distance;
    if (partner < i) continue;
    Exchange(keys[i], keys[partner], (i & now.block) == 0, (1 << i) | (1 << partner));
  }
}

// Runs `columns` steps and the one after them, which is the result.
Step RunThrough(int columns, int wire) {
  Step now = Step(net.first, net.first >> 1);
  int left = columns;
  for (;;) {
    moved = 0;
    before = keys[wire];
    if (now.distance == 0) break;
    Run(now);
    if (--left < 0) break;
    now.distance >>= 1;
    if (now.distance > 0 || now.block == net.wires) continue;
    now.distance = now.block;
    now.block <<= 1;
  }
  return now;
}

ivec3 KeyColour(int key) {
  ivec3 rgb = ivec3(24 + 15 * key, 60 + 9 * key, 250 - 13 * key);
  if ((key & 1) == 1) rgb.y -= 36;
  return rgb;
}

// -1: no comparator covers the point, else the upper wire of the one that does. Comparators stand
// side by side, each in the lane of its wire's number within the half block.
int ComparatorAt(Step next, int lane, int y) {
  if (lane < 0 || lane >= next.distance) return -1;
  int half_cell = net.cell_height / 2;
  int group = 2 * next.distance;
  for (int upper = lane; upper < net.wires; upper += group) {
    int from = upper * net.cell_height + half_cell;
    int to = from + next.distance * net.cell_height;
    if (y < from) break;
    if (y <= to) return upper;
  }
  return -1;
}

// How far the point is from the end of the comparator that gets the larger key.
int ArrowDistance(Step next, int upper, int y) {
  bool rising = (upper & next.block) == 0;
  int target = rising ? upper + next.distance : upper;
  int delta = y - (target * net.cell_height + net.cell_height / 2);
  return rising ? -delta : delta;
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  ivec2 cell = ivec2(at.x / net.cell_width, at.y / net.cell_height);
  ivec2 inner = at - cell * ivec2(net.cell_width, net.cell_height);

  Deal();
  Step next = RunThrough(cell.x, cell.y);
  ivec3 wire = KeyColour(before);
  ivec3 rgb = wire / 4 + ivec3(next.distance, next.block, 6);
  int upper = ComparatorAt(next, inner.x - 5, at.y);
  if (inner.y == net.cell_height / 2) {
    rgb = wire;
    if (inner.x >= 13) rgb = KeyColour(keys[cell.y]);
  } else if (upper >= 0) {
    int away = ArrowDistance(next, upper, at.y);
    bool swaps = ((moved >> upper) & 1) != 0;
    rgb = swaps ? ivec3(236, 226, 120) : ivec3(112, 120, 132);
    if (away < 3) rgb = swaps ? ivec3(250, 96, 40) : ivec3(48, 150, 140);
  } else if (inner.x < 4 && inner.y > 1) {
    // the key's four bits, the highest on the left
    rgb = ((before >> (3 - inner.x)) & 1) == 1 ? wire : ivec3(8, 10, 14);
  }
  color = vec4(vec3(rgb) * (1.0 / 255.0), net.alpha);
}
