#version 450
// SPDX-License-Identifier: Apache-2.0
// Solids that are cut: triangles against planes, tetrahedra of a field by the signs of their corners,
// corners that are put in order round a middle, and a fan that becomes a strip. Small pieces are
// counted and left out.
layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 12) out;
layout(location = 0) in float field[];
layout(location = 0) out vec3 shade;
layout(location = 1) flat out int piece;
layout(set = 0, binding = 0) uniform Cut {
  mat4 view;
  vec4 planes[3];
  float level;
  float least;  // the area of a piece that is kept
};
layout(std430, set = 0, binding = 1) buffer Pieces { uint left_out; uint kept; };

struct Polygon {
  vec3 corners[8];
  int count;
};

// What is left of a polygon in front of a plane.
Polygon clipped(Polygon all, vec4 plane) {
  Polygon left;
  left.count = 0;
  for (int i = 0; i < 8; ++i) {
    left.corners[i] = vec3(0.0);
  }
  for (int i = 0; i < min(all.count, 8); ++i) {
    vec3 here = all.corners[i], next = all.corners[i + 1 < all.count ? i + 1 : 0];
    float from = dot(plane.xyz, here) + plane.w, to = dot(plane.xyz, next) + plane.w;
    if (from >= 0.0 && left.count < 8) {
      left.corners[left.count++] = here;
    }
    if ((from < 0.0) != (to < 0.0) && left.count < 8) {
      left.corners[left.count++] = mix(here, next, from / (from - to));
    }
  }
  return left;
}

float area(Polygon all) {
  vec3 sum = vec3(0.0);
  for (int i = 2; i < all.count && i < 8; ++i) {
    sum += cross(all.corners[i - 1] - all.corners[0], all.corners[i] - all.corners[0]);
  }
  return 0.5 * length(sum);
}

// The edges of a tetrahedron that a surface crosses, by the signs of its corners: up to four edges
// with three bits each, from the lowest bits, and their number in the upper half.
uint crossed_edges(vec4 values, float at) {
  const uvec2 ends[6] = uvec2[6](uvec2(0, 1), uvec2(0, 2), uvec2(0, 3), uvec2(1, 2), uvec2(1, 3),
                                 uvec2(2, 3));
  uint found = 0u, count = 0u;
  for (uint edge = 0u; edge < 6u; ++edge) {
    bool below = values[ends[edge].x] < at, other = values[ends[edge].y] < at;
    if (below == other) {
      continue;
    }
    found |= edge << 3u * count;
    ++count;
  }
  return count << 16 | found;
}

// A number that grows with the angle of the direction, without any angle.
float turn_of(vec2 way) {
  float size = abs(way.x) + abs(way.y);
  if (size == 0.0) {
    return 0.0;
  }
  float part = way.y / size;
  if (way.x < 0.0) {
    return 2.0 - part;
  }
  return part < 0.0 ? 4.0 + part : part;
}

void put_in_order(inout Polygon all, vec2 middle) {
  for (int i = 1; i < min(all.count, 8); ++i) {
    vec3 moved = all.corners[i];
    float turn = turn_of(moved.xy - middle);
    int at = i;
    while (at > 0 && turn_of(all.corners[at - 1].xy - middle) > turn) {
      all.corners[at] = all.corners[at - 1];
      --at;
    }
    all.corners[at] = moved;
  }
}

// The corner of a strip that covers the same as the fan: 0, 1, n - 1, 2, n - 2, ...
int strip_corner(int number, int count) {
  if (number == 0 || count < 3) {
    return 0;
  }
  int pair = (number + 1) / 2;
  return (number & 1) == 1 ? pair : count - pair;
}

void main() {
  Polygon all;
  all.count = 3;
  for (int i = 0; i < 8; ++i) {
    all.corners[i] = gl_in[i % 3].gl_Position.xyz;
  }
  for (int i = 0; i < 3; ++i) {
    all = clipped(all, planes[i]);
  }
  uint edges = crossed_edges(vec4(field[0], field[1], field[2], field[0] + field[1]), level);
  if (all.count < 3 || area(all) < least || edges >> 16 == 0u) {
    atomicAdd(left_out, 1u);
    return;
  }
  put_in_order(all, planes[0].xy);
  for (int i = 0; i < all.count; ++i) {
    int corner = strip_corner(i, all.count);
    shade = abs(all.corners[corner]) * float(edges & 7u);
    piece = gl_PrimitiveIDIn * 2 + gl_InvocationID;
    gl_Position = view * vec4(all.corners[corner], 1.0);
    EmitVertex();
  }
  EndPrimitive();
  atomicAdd(kept, 1u);
}
