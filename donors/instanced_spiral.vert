#version 450
// SPDX-License-Identifier: Apache-2.0
// Instances on grids: an Ulam spiral, hexagons in rings, a Hilbert curve and cells in Z order, each
// found from the instance's number alone. The corner comes from the vertex's number.
layout(location = 0) out vec3 tint;
layout(location = 1) flat out ivec3 where;

layout(push_constant) uniform Layout {
  vec2 cell;
  vec2 origin;
  int arrangement;
};

ivec2 ulam_place(int n) {
  ivec2 at = ivec2(0);
  ivec2 heading = ivec2(1, 0);
  int run = 1;
  int left = 1;
  bool second = false;
  for (int i = 0; i < n; ++i) {
    at += heading;
    if (--left > 0) {
      continue;
    }
    heading = ivec2(-heading.y, heading.x);
    if (second) {
      ++run;
    }
    second = !second;
    left = run;
  }
  return at;
}

ivec3 hex_ring(int n) {
  if (n <= 0) {
    return ivec3(0);
  }
  const ivec3 ways[6] = ivec3[6](ivec3(-1, 0, 1), ivec3(-1, 1, 0), ivec3(0, 1, -1), ivec3(1, 0, -1),
                                 ivec3(1, -1, 0), ivec3(0, -1, 1));
  int ring = 1;
  int first = 1;
  while (n >= first + 6 * ring) {
    first += 6 * ring;
    ++ring;
  }
  ivec3 at = ivec3(ring, -ring, 0);
  int rest = n - first;
  for (int side = 0; side < 6; ++side) {
    for (int i = 0; i < ring; ++i) {
      if (rest == 0) {
        return at;
      }
      at += ways[side];
      --rest;
    }
  }
  return at;
}

ivec2 hilbert_place(int n, int order) {
  ivec2 at = ivec2(0);
  int side = 1;
  int t = n;
  for (int level = 0; level < order; ++level) {
    int right = (t >> 1) & 1;
    int up = (t ^ right) & 1;
    if (up == 0) {
      if (right == 1) {
        at = ivec2(side - 1) - at;
      }
      at = at.yx;
    }
    at += ivec2(right, up) * side;
    t >>= 2;
    side += side;
  }
  return at;
}

uvec2 z_order_place(uint n) {
  uvec2 v = uvec2(n, n >> 1) & 0x55555555u;
  v = (v ^ (v >> uvec2(1u))) & 0x33333333u;
  v = (v ^ (v >> uvec2(2u))) & 0x0f0f0f0fu;
  v = (v ^ (v >> uvec2(4u))) & 0x00ff00ffu;
  return (v ^ (v >> uvec2(8u))) & 0x0000ffffu;
}

vec2 corner_of(int vertex) {
  switch (vertex % 6) {
    case 0:
      return vec2(-0.5, -0.5);
    case 1:
    case 4:
      return vec2(0.5, -0.5);
    case 5:
      return vec2(0.5, 0.5);
    default:
      break;
  }
  return vec2(-0.5, 0.5);
}

void main() {
  int n = gl_InstanceIndex;
  ivec3 at;
  if (arrangement == 0) {
    at = ivec3(ulam_place(n), 0);
  } else if (arrangement == 1) {
    at = hex_ring(n);
  } else if (arrangement == 2) {
    at = ivec3(hilbert_place(n, 5), 0);
  } else {
    at = ivec3(ivec2(z_order_place(uint(n))), 0);
  }
  where = at;
  vec2 flat_place = vec2(at.xy) + (arrangement == 1 ? vec2(0.5 * float(at.z), 0.0) : vec2(0.0));
  tint = vec3(fract(flat_place * 0.125), float(n & 7) * 0.125);
  gl_Position = vec4(origin + cell * (flat_place + corner_of(gl_VertexIndex)), 0.0, 1.0);
}
