#version 450

// Corners of tiles are moved by whole sixteenths of a pixel, so that what is covered is exact; each
// tile has a number, which must not be mixed with that of its neighbour.
layout(location = 0) in vec2 place;
layout(location = 0) flat out uvec3 tile;
layout(location = 1) flat out float weight;
layout(binding = 0) uniform Moves { ivec2 moves[9]; };

void main() {
  ivec2 move = moves[gl_VertexIndex % 9];
  gl_Position = vec4(place + vec2(move) / 512.0, 0.0, 1.0);
  uint hash = uint(gl_VertexIndex) * 2654435761u;
  hash ^= hash >> 15;
  tile = uvec3(hash & 255u, hash >> 8 & 255u, uint(gl_InstanceIndex) + 7u);
  weight = float(gl_VertexIndex & 3) * 0.25;
}
