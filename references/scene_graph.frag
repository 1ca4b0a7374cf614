#version 450
// SPDX-License-Identifier: Apache-2.0
// Draws a windmill and a kite from a scene graph in a storage buffer: a node has a frame (a matrix
// of 2 by 2 and an offset, in fixed point), a parent, and a span of shapes. A pixel's place is
// taken down the chain from the root to a node, then tried on the node's shapes; the foremost hit
// wins. Sails turn with their hub, the kite's tail hangs from the kite.
//
// Stable: places are quarters of pixels, matrices have 8 bits after the point; shifts right of
// negative numbers are arithmetic. Chains are at most 6 long, and a parent comes before its
// children. A colour is k/51, which is 5 k / 255, for integers k.
layout(location = 0) out vec4 color;

struct Frame {
  ivec4 turn;
  ivec2 move;
};
struct Span {
  int first;
  int count;
};
struct Node {
  Frame frame;
  Span shapes;
  int parent;  // -1: none
  int paint;
};
struct Shape {
  int kind;
  ivec2 size;
  ivec2 middle;
};
struct Paint {
  ivec4 tone;     // 0 to 51; the fourth: which shift makes stripes
  ivec2 weave[2]; // added on odd stripes, across and along: red, blue
};

layout(std430, set = 0, binding = 0) readonly buffer Graph {
  int used;
  int limits[3];  // longest chain, where the ground begins, steps in the sky
  Node nodes[];
} graph;
layout(std140, set = 0, binding = 1) uniform Shapes { Shape shapes[15]; };
layout(std140, set = 0, binding = 2) uniform Paints {
  Paint paints[6];
  ivec4 sky;  // tone at the top, and what a step adds
  int point;  // 8
  int zero;
  int one;
};

const int kLongest = 6;

struct Hit {
  int node;
  int shape;
  int depth;    // links to the root
  ivec2 place;  // in the node's frame
};

ivec2 IntoFrame(Frame frame, ivec2 place) {
  ivec2 from = place - frame.move;
  ivec2 turned = ivec2(frame.turn.x * from.x + frame.turn.y * from.y,
                       frame.turn.z * from.x + frame.turn.w * from.y);
  return turned >> point;
}

// The place as the node sees it; `depth` links away from the root.
ivec2 Descend(int node, ivec2 place, out int depth) {
  int chain[kLongest];
  depth = zero;
  for (int at = node; at >= zero; at = graph.nodes[at].parent) {
    if (depth >= graph.limits[0]) break;
    chain[depth] = at;
    depth += one;
  }
  for (int i = depth - one; i >= zero; i--) {
    place = IntoFrame(graph.nodes[chain[i]].frame, place);
  }
  return place;
}

bool Covers(Shape shape, ivec2 place) {
  ivec2 from = place - shape.middle;
  ivec2 away = abs(from);
  int slope = zero;
  switch (shape.kind) {
    case 0:  // a disc, or a ring if it has an inner radius
      return from.x * from.x + from.y * from.y < shape.size.x * shape.size.x &&
             from.x * from.x + from.y * from.y >= shape.size.y * shape.size.y;
    case 3:  // a box with a slanted right side
      from.x += from.y >> 1;
      away.x = abs(from.x);
      // falls through
    case 2:  // a tower, narrower above
      slope = (from.y - shape.size.y) >> 2;
      // falls through
    case 1:
      return away.x < shape.size.x + slope && away.y < shape.size.y;
    default:  // a diamond
      return away.x * shape.size.y + away.y * shape.size.x < shape.size.x * shape.size.y;
  }
}

int FirstCover(Span span, ivec2 place) {
  for (int i = span.first; i < span.first + span.count; i++) {
    if (Covers(shapes[i], place)) return i;
  }
  return -one;
}

bool FindHit(ivec2 place, out Hit hit) {
  hit = Hit(graph.used, zero, zero, place);
  while (hit.node > zero) {
    hit.node -= one;
    Node node = graph.nodes[hit.node];
    if (node.shapes.count == zero) continue;
    hit.place = Descend(hit.node, place, hit.depth);
    hit.shape = FirstCover(node.shapes, hit.place);
    if (hit.shape < zero) continue;
    return true;
  }
  return false;
}

ivec3 Dye(Paint paint, Hit hit) {
  ivec3 tone = paint.tone.xyz;
  ivec2 stripe = (hit.place >> paint.tone.w) & 1;
  for (int i = zero; i < 2; i += one) {
    if (stripe[i] == one) tone.xz += paint.weave[i];
  }
  tone.y += hit.depth * 3 - (hit.shape & 3);
  return tone;
}

ivec3 Sky(ivec2 place) {
  int row = place.y + 256;
  ivec3 tone = sky.xyz;
  for (int height = zero; height < row; height += graph.limits[2]) {
    if (height >= graph.limits[1]) return tone.zxy - (place.x >> 5 & 1) * 2;
    tone += sky.w * ivec3(2, 1, zero) + (height >> 6 & 1);
  }
  return tone;
}

void main() {
  ivec2 place = ivec2(gl_FragCoord.xy) * 4 - 254;
  Hit hit;
  ivec3 tone;
  if (FindHit(place, hit)) {
    tone = Dye(paints[graph.nodes[hit.node].paint], hit);
  } else {
    tone = Sky(place);
  }
  color = vec4(tone, 51) / 51.0;
}
