#version 450

layout(location = 0) flat in uvec3 tile;
layout(location = 1) flat in float weight;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 seen;

void main() {
  uvec2 at = uvec2(gl_FragCoord.xy);
  uint mixed = (tile.x + at.x * 3u) ^ (tile.y + at.y);
  colour = vec4(float(mixed & 255u) / 255.0, float(tile.z) / 255.0, weight > 0.3 ? 1.0 : 0.0,
                gl_FrontFacing ? 1.0 : 0.0);
  seen = uvec4(tile, mixed);
}
