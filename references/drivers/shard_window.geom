#version 450
// SPDX-License-Identifier: Apache-2.0
// A broken window: each triangle is cut into shards, again and again at the middle of its longest
// side, by a stack of its own. The shards shrink towards their middles, so that they do not touch.
// Each of two invocations takes the shards of one colour.
layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 48) out;

layout(location = 0) out vec4 colour;
layout(location = 1) flat out ivec2 shard;

layout(binding = 0) uniform Window {
  int depth;
  float gap;
  vec4 glass[2];
};

struct Piece {
  vec2 a, b, c;
  int left;
};

float span(vec2 p, vec2 q) {
  vec2 d = abs(p - q);
  return d.x + d.y;
}

void corner(vec2 at, vec2 middle, vec4 tint) {
  gl_Position = vec4(mix(at, middle, gap), 0.0, 1.0);
  colour = tint;
  EmitVertex();
}

void draw(Piece piece, int number) {
  vec2 middle = (piece.a + piece.b + piece.c) / 3.0;
  vec4 tint = glass[gl_InvocationID] * (1.0 - float(number % 5) * 0.125);
  shard = ivec2(number, gl_PrimitiveIDIn);
  corner(piece.a, middle, tint);
  shard = ivec2(number, gl_PrimitiveIDIn);
  corner(piece.b, middle, tint);
  shard = ivec2(number, gl_PrimitiveIDIn);
  corner(piece.c, middle, tint);
  EndPrimitive();
}

// Turns the piece so that its longest side is from a to b.
Piece turned(Piece piece) {
  float ab = span(piece.a, piece.b), bc = span(piece.b, piece.c), ca = span(piece.c, piece.a);
  if (bc > ab && bc >= ca) return Piece(piece.b, piece.c, piece.a, piece.left);
  if (ca > ab) return Piece(piece.c, piece.a, piece.b, piece.left);
  return piece;
}

void main() {
  Piece stack[8];
  int used = 1, number = 0;
  stack[0] = Piece(gl_in[0].gl_Position.xy, gl_in[1].gl_Position.xy, gl_in[2].gl_Position.xy,
                   clamp(depth, 0, 4));
  while (used > 0) {
    Piece piece = turned(stack[--used]);
    if (piece.left == 0) {
      if ((number & 1) == gl_InvocationID) draw(piece, number);
      ++number;
      continue;
    }
    vec2 middle = (piece.a + piece.b) * 0.5;
    stack[used++] = Piece(piece.a, middle, piece.c, piece.left - 1);
    stack[used++] = Piece(middle, piece.b, piece.c, piece.left - 1);
  }
}
