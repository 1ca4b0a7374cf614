#version 310 es
precision highp float;

// Uniforms that are no floats: booleans and integers of either sign, and vectors of them.
uniform bool inverted;
uniform bvec2 chosen;
uniform int offset;
uniform ivec3 steps;
uniform uint seed;
uniform highp uvec4 masks;

out highp vec4 picture;

highp uint Mix(highp uint value) {
  value ^= value << 7u;
  value ^= value >> 9u;
  return value * 2654435761u + masks.w;
}

void main() {
  highp uint number = uint(gl_FragCoord.x) * masks.x + uint(gl_FragCoord.y) * masks.y + seed;
  for (int i = offset; i < steps.x; i += steps.y) {
    number = Mix(number);
  }
  highp uvec3 level = uvec3(number, number >> 8u, number >> 16u) & uvec3(255u);
  if (chosen.x && !chosen.y) {
    level.xy = level.yx;
  }
  if (inverted) {
    level = uvec3(masks.z) - level;
  }
  picture = vec4(vec3(level) * (1.0 / 255.0), float(steps.z));
}
