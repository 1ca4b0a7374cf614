#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// SPDX-License-Identifier: Apache-2.0
// Draws a floor that was cut into tiles again and again: a tree whose inner nodes are cuts across or along
// the floor, and whose leaves are tiles. The nodes lie in buffers and lead to each other by addresses. Each pixel
// walks down from the root, keeps the edges of its part of the floor, and ends at a tile with its pattern, which
// is a list of strokes. Two leaves lead back to inner nodes, so that parts of the floor appear again, smaller;
// the depth of the walk is limited.
//
// Exact: integers, and levels of colours that are multiples of 1/255.
layout(location = 0) out vec4 colour;

// Where low and high lead to is in kinds: bit 0 for low, bit 1 for high; set: to a tile.
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Cut {
  uint at;     // in 64ths of the part that is cut
  uint along;  // 0: the cut is vertical
  uint kinds;
  uint turned; // what changes in the colours below this cut
  uvec2 low;
  uvec2 high;
};
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Tile {
  uvec4 ground;
  uvec2 first;  // a stroke
};
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Stroke {
  uvec2 next;
  uint slope;
  uint period;
  uint width;
  uint ink;
};

layout(push_constant) uniform Floor {
  Cut root;
  uint deepest;
  uint joint;  // pixels on either side of a cut
};

struct Part {
  uvec2 from;
  uvec2 size;
  uint turned;
};

// Lays the strokes of a tile over its ground.
uvec3 Painted(Tile tile, Part part, uvec2 pixel) {
  uvec3 paint = tile.ground.rgb;
  uvec2 inside = pixel - part.from;
  uvec2 at = tile.first;
  for (uint i = 0u; i < 6u && at != uvec2(0u); i++) {
    Stroke stroke = Stroke(at);
    uint place = inside.x * (stroke.slope & 7u) + inside.y * (stroke.slope >> 3 & 7u);
    if ((place + i) % stroke.period < stroke.width) {
      paint = (paint + uvec3(stroke.ink & 255u, stroke.ink >> 8 & 255u, stroke.ink >> 16 & 255u)) >> 1;
    }
    at = stroke.next;
  }
  return paint;
}

void main() {
  uvec2 pixel = uvec2(gl_FragCoord.xy);
  Part part = Part(uvec2(0u), uvec2(64u), 0u);
  uvec2 cut_at = uvec2(root);
  bool on_joint = false;
  uint depth = 0u;
  uvec3 paint = uvec3(20u, 24u, 28u);
  for (; depth < deepest; depth++) {
    Cut cut = Cut(cut_at);
    uint axis = cut.along & 1u;
    uint low_size = part.size[axis] * cut.at >> 6;
    uint edge = part.from[axis] + low_size;
    bool is_low = pixel[axis] < edge;
    on_joint = on_joint || (pixel[axis] + joint >= edge && pixel[axis] < edge + joint);
    uvec2 next = is_low ? cut.low : cut.high;
    if (is_low) {
      part.size[axis] = low_size;
    } else {
      part.size[axis] -= low_size;
      part.from[axis] = edge;
    }
    part.turned += cut.turned;
    if ((cut.kinds >> (is_low ? 0 : 1) & 1u) != 0u) {
      paint = Painted(Tile(next), part, pixel);
      break;
    }
    if (part.size.x < 3u || part.size.y < 3u) break;
    cut_at = next;
  }
  // The part decides the order of the channels; the joints are dark, and darker further down.
  uint turn = part.turned % 3u;
  paint = turn == 0u ? paint : turn == 1u ? paint.gbr : paint.brg;
  if (on_joint) paint = paint >> 2 + min(depth, 2u);
  colour = vec4(vec3(paint) / 255.0, 1.0);
}
