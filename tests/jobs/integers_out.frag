#version 440 core

// The one output is of integers and has no location.
uniform ivec2 centre;
out ivec4 distances;

void main() {
  ivec2 from = ivec2(gl_FragCoord.xy) - centre;
  ivec2 away = abs(from);
  distances = ivec4(away.x + away.y, max(away.x, away.y), from.x * from.y, sign(from.x - from.y));
}
