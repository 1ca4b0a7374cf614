#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Sets paragraphs of up to 256 glyphs, one for each workgroup, by a work-efficient prefix sum in
// shared memory: a tree is built up and run down again, with one operator that counts lines, adds
// up advances since the last line break and counts the glyphs with ink. Each glyph's line and
// place go to one buffer; those with ink, moved together, to another; what a paragraph measures to
// a third.
//
// Stable: unsigned integers only. The operator is associative, the tree's shape is fixed, between
// two levels of it stands a barrier, and every word is written by one invocation.
precision highp float;
precision highp int;

layout(local_size_x = 128) in;

struct Span {
  uint breaks;
  uint advance;  // behind the last of them
  uint inked;
};

struct Placed {
  uint line_and_kind;
  uint place;
};

layout(std140, set = 0, binding = 0) uniform Paragraphs {
  uvec4 paragraph[6];  // glyphs (a power of two), seed, how rare breaks are, tab stop
};
layout(std140, set = 0, binding = 1) uniform Font {
  uvec4 widths[2];
  uint bearing;  // 2
  uint one;      // 1
  uint odd;      // 0x2c1b3c6d
};
layout(std430, set = 0, binding = 2) writeonly buffer Places { Placed placed[]; };
layout(std430, set = 0, binding = 3) writeonly buffer Ink { uint ink[]; };
layout(std430, set = 0, binding = 4) writeonly buffer Sizes { uvec4 sizes[]; };

const uint kRoom = 256u;  // for each paragraph
const uint kBreak = 0u;
const uint kBlank = 1u;
const uint kTab = 2u;
const uint kAccent = 7u;

shared Span spans[256];
shared uint widest;

// Kinds 3 to 7 have ink; what is not a break is blank more often than a tab.
uint KindOf(uint index, uvec4 text) {
  uint bits = (index + one) * text.y;
  bits ^= bits >> 13u;
  bits *= odd;
  bits ^= bits >> 11u;
  if ((bits >> 4u) % text.z == 0u) return kBreak;
  uint kind = (bits >> 20u) % 9u;
  return kind < 2u ? kBlank : kind - 1u;
}

uint WidthOf(uint kind, uint index, uvec4 text) {
  uint width = widths[kind >> 2u][kind & 3u];
  switch (kind) {
    case kTab:
      width = text.w;
      break;
    case kAccent:
      width += index % 3u;
      // falls through: an accent stands on a letter
    case 3u:
    case 5u:
      width += bearing;
      break;
    default:
      break;
  }
  return width;
}

Span Measure(uint index, uvec4 text) {
  uint kind = KindOf(index, text);
  Span span = Span(0u, 0u, 0u);
  if (kind == kBreak) {
    span.breaks = one;
    return span;
  }
  span.advance = WidthOf(kind, index, text);
  if (kind > kTab) span.inked = one;
  return span;
}

void MeasureAll(uint lane, uvec4 text) {
  for (uint index = lane; index < text.x; index += gl_WorkGroupSize.x) {
    spans[index] = Measure(index, text);
  }
}

Span Join(Span left, Span right) {
  Span joined;
  joined.breaks = left.breaks + right.breaks;
  joined.advance = right.advance + (right.breaks == 0u ? left.advance : 0u);
  joined.inked = left.inked + right.inked;
  return joined;
}

// Each node becomes the sum of the leaves under it; returns the distance of the root's children.
uint SweepUp(uint lane, uint count) {
  uint reach = 1u;
  for (uint nodes = count >> 1u; nodes > 0u; nodes >>= 1u) {
    barrier();
    if (lane < nodes) {
      uint left = reach * (2u * lane + 1u) - 1u;
      spans[left + reach] = Join(spans[left], spans[left + reach]);
    }
    reach <<= 1u;
  }
  return reach >> 1u;
}

// Each node becomes the sum of the leaves left of it.
void SweepDown(uint lane, uint reach) {
  uint nodes = 1u;
  while (reach > 0u) {
    barrier();
    if (lane < nodes) {
      uint left = reach * (2u * lane + 1u) - 1u;
      Span kept = spans[left];
      spans[left] = spans[left + reach];
      spans[left + reach] = Join(spans[left + reach], kept);
    }
    nodes += nodes;
    reach >>= 1u;
  }
}

void Place(uint index, uint base, uvec4 text) {
  Span before = spans[index];
  uint kind = KindOf(index, text);
  Placed entry;
  entry.line_and_kind = (before.breaks << 8u) | kind;
  entry.place = before.advance * 65536u + before.inked;
  if (kind == kBreak) {
    atomicMax(widest, before.advance);
    // A line that ends odd is justified: the gap is left behind the last glyph.
    if ((before.breaks & 1u) != 0u) entry.place |= 0x8000u;
  } else if (kind > kTab) {
    ink[base + before.inked] = (kind << 24u) + (before.advance << 8u) + before.breaks;
  }
  placed[base + index] = entry;
}

void PlaceAll(uint lane, uint base, uvec4 text) {
  for (uint index = lane; index < text.x; index += gl_WorkGroupSize.x) Place(index, base, text);
}

void main() {
  uint lane = gl_LocalInvocationID.x;
  uint group = gl_WorkGroupID.x;
  uvec4 text = paragraph[group];
  uint count = text.x;

  MeasureAll(lane, text);
  uint reach = SweepUp(lane, count);
  barrier();
  Span whole = spans[count - 1u];
  barrier();
  if (lane == 0u) {
    spans[count - 1u] = Span(0u, 0u, 0u);
    widest = whole.advance;
  }
  SweepDown(lane, reach);
  barrier();

  PlaceAll(lane, group * kRoom, text);
  barrier();
  if (lane == count % 5u) sizes[group] = uvec4(whole.breaks, whole.advance, whole.inked, widest);
}
