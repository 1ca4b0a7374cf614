#version 450
// SPDX-License-Identifier: Apache-2.0
// Levels of patches: by the size of an edge on the screen, by how bent it is, and so that two patches
// that share an edge agree. Patches outside of the view get no parts. The work is shared between the
// invocations of a patch.
layout(vertices = 4) out;
layout(location = 0) in vec2 place[];
layout(location = 1) in uint key[];
layout(location = 0) out vec2 kept_place[];
layout(location = 1) patch out uvec4 edges;
layout(set = 0, binding = 0) uniform Camera {
  mat4 view;
  vec4 planes[6];
  vec2 screen;
  float pixels;  // how long a part of an edge may be
  uint most;
};
layout(std430, set = 0, binding = 1) readonly buffer Levels { uint known[]; };

// Two patches give an edge the same name, whichever end comes first.
uint edge_name(uint from, uint to) {
  uint low = min(from, to), high = max(from, to);
  uint name = low * 0x9e3779b1u ^ high;
  name ^= name >> 15;
  return name * 0x85ebca6bu ^ low;
}

// Looks a name up in a table with open addresses; 0 is an empty place.
uint found_level(uint name, uint size, uint otherwise) {
  uint mask = max(size, 1u) - 1u;
  uint at = name & mask;
  for (uint tries = 0u; tries < 8u; ++tries) {
    uint entry = known[at & 7u];
    if (entry == 0u) {
      break;
    }
    if (entry >> 8 == name >> 8) {
      return entry & 255u;
    }
    at = (at + tries + 1u) & mask;
  }
  return otherwise;
}

float pixels_between(vec4 a, vec4 b, vec2 size) {
  if (a.w <= 0.0 || b.w <= 0.0) {
    return max(size.x, size.y);
  }
  vec2 apart = (a.xy / a.w - b.xy / b.w) * size * 0.5;
  return length(apart);
}

// Whether all four points are behind one of the planes.
bool is_outside(vec4 corners[4], vec4 bounds[6], float slack) {
  for (int plane = 0; plane < 6; ++plane) {
    int behind = 0;
    for (int i = 0; i < 4; ++i) {
      if (dot(bounds[plane], corners[i]) < -slack) {
        ++behind;
      }
    }
    if (behind == 4) {
      return true;
    }
  }
  return false;
}

// The next level of the series 1, 2, 3, 4, 6, 8, 12, 16, ...
uint rounded_level(uint wanted, uint limit) {
  uint level = 1u, step_size = 1u;
  while (level < wanted && level < limit) {
    if (level >= 4u * step_size) {
      step_size *= 2u;
    }
    level += step_size;
  }
  return min(level, limit);
}

float bent(vec2 a, vec2 b, vec2 c) {
  vec2 there = b - a, back = c - b;
  float turn = abs(there.x * back.y - there.y * back.x);
  float along = dot(there, back);
  return turn + max(0.0, -along);
}

// Sorts four levels, the largest first, with the sides that they belong to.
uvec4 by_size(uvec4 levels, out uvec4 sides) {
  sides = uvec4(0u, 1u, 2u, 3u);
  for (int last = 3; last > 0; --last) {
    bool moved = false;
    for (int i = 0; i < last; ++i) {
      if (levels[i] >= levels[i + 1]) {
        continue;
      }
      uint level = levels[i], side = sides[i];
      levels[i] = levels[i + 1];
      levels[i + 1] = level;
      sides[i] = sides[i + 1];
      sides[i + 1] = side;
      moved = true;
    }
    if (!moved) {
      break;
    }
  }
  return levels;
}

void main() {
  int me = gl_InvocationID, next = (me + 1) & 3;
  gl_out[gl_InvocationID].gl_Position = view * gl_in[me].gl_Position;
  kept_place[gl_InvocationID] = place[me];
  barrier();
  vec4 from = gl_out[me].gl_Position, to = gl_out[next].gl_Position;
  float size = pixels_between(from, to, screen);
  size *= 1.0 + bent(kept_place[me], kept_place[next], kept_place[(me + 2) & 3]);
  uint wanted = rounded_level(uint(clamp(size / max(pixels, 0.5), 1.0, 64.0)), most);
  uint level = found_level(edge_name(key[me], key[next]), 8u, wanted);
  if (me == 0) {
    vec4 corners[4];
    for (int i = 0; i < 4; ++i) {
      corners[i] = gl_in[i].gl_Position;
    }
    uvec4 sides;
    edges = by_size(uvec4(level, wanted, key[0] & 63u, key[1] & 63u), sides) + sides;
    float scale = is_outside(corners, planes, 0.125) ? 0.0 : 1.0;
    for (int i = 0; i < 4; ++i) {
      gl_TessLevelOuter[i] = float(edges[i]) * scale;
    }
    gl_TessLevelInner[0] = max(gl_TessLevelOuter[1], gl_TessLevelOuter[3]);
    gl_TessLevelInner[1] = max(gl_TessLevelOuter[0], gl_TessLevelOuter[2]);
  }
}
