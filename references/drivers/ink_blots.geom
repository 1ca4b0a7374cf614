#version 450
// SPDX-License-Identifier: Apache-2.0
// Ink blots: each point becomes a star of up to eight arms. A small generator of random numbers,
// which the point's number starts, shapes the arms; an arm that would be shorter than the limit
// ends the star early. What was drawn is noted in a buffer, one word for each point.
layout(points) in;
layout(triangle_strip, max_vertices = 24) out;

layout(location = 1) in vec2 size[];
layout(location = 2) in uint ink[];
layout(location = 0) out vec4 colour;
layout(location = 1) flat out uvec2 mark;

layout(binding = 0) uniform Pen {
  uint seed;
  uint arms;
  float shortest;
};
layout(std430, binding = 1) buffer Notes { uint notes[16]; };

const vec2 kWays[8] = vec2[](vec2(1, 0), vec2(0.75, 0.75), vec2(0, 1), vec2(-0.75, 0.75),
                             vec2(-1, 0), vec2(-0.75, -0.75), vec2(0, -1), vec2(0.75, -0.75));

uint state;

uint next(uint below) {
  state = state * 747796405u + 2891336453u;
  return ((state >> 16) ^ state) % below;
}

void corner(vec2 at, float shade) {
  gl_Position = vec4(at, 0.0, 1.0);
  colour = vec4(vec3((ink[0] >> 16) & 255u, (ink[0] >> 8) & 255u, ink[0] & 255u) / 255.0 * shade,
                1.0);
  mark = uvec2(uint(gl_PrimitiveIDIn), state >> 24);
  EmitVertex();
}

void main() {
  state = seed ^ uint(gl_PrimitiveIDIn) * 0x9e3779b9u;
  vec2 middle = gl_in[0].gl_Position.xy;
  uint drawn = 0u, sum = 0u;
  for (uint arm = 0u; arm < min(arms, 8u); ++arm) {
    uint length = 1u + next(8u);
    float reach = float(length) / 8.0;
    if (reach < shortest) break;
    if ((length & 1u) == 1u && arm > 4u) continue;
    vec2 way = kWays[arm];
    vec2 side = vec2(-way.y, way.x) * 0.25;
    corner(middle + way * size[0] * reach, 1.0);
    corner(middle + side * size[0], 0.5);
    corner(middle - side * size[0], 0.5);
    EndPrimitive();
    ++drawn;
    sum += length;
  }
  notes[gl_PrimitiveIDIn & 15] = drawn << 8 | sum;
}
