#version 450
// SPDX-License-Identifier: Apache-2.0
// Sails: each patch has a net of four by four vertices. Four threads share the work on a row of the
// net: they pull the inner vertices towards the wind, measure the edges, and set the levels by the
// lengths, so that a long edge has many parts. Neighbours see each other's work after a barrier.
layout(vertices = 16) out;

layout(location = 1) in vec3 cloth[];
layout(location = 0) out vec3 dye[];
layout(location = 1) patch out vec4 lengths;
layout(location = 2) patch out int knots;

layout(binding = 0) uniform Weather {
  vec2 wind;
  float pull;
  int most;
};

vec2 place(int row, int column) { return gl_out[row * 4 + column].gl_Position.xy; }

float edge(ivec2 from, ivec2 step) {
  float sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    ivec2 a = from + step * i, b = a + step;
    vec2 d = place(b.x, b.y) - place(a.x, a.y);
    sum += abs(d.x) + abs(d.y);
  }
  return sum;
}

float level(float size) { return float(clamp(int(size * 4.0), 1, most)); }

void main() {
  int me = gl_InvocationID, row = me / 4, column = me % 4;
  vec4 at = gl_in[me].gl_Position;
  bool inner = row > 0 && row < 3 && column > 0 && column < 3;
  if (inner) at.xy += wind * pull;
  gl_out[gl_InvocationID].gl_Position = at;
  dye[gl_InvocationID] = cloth[me];
  barrier();
  vec3 mixed = dye[me];
  if (inner) mixed = (dye[me - 1] + dye[me + 1] + dye[me - 4] + dye[me + 4]) * 0.25;
  barrier();
  dye[gl_InvocationID] = mixed;
  if (me == 0) {
    lengths = vec4(edge(ivec2(0, 0), ivec2(1, 0)), edge(ivec2(0, 0), ivec2(0, 1)),
                   edge(ivec2(0, 3), ivec2(1, 0)), edge(ivec2(3, 0), ivec2(0, 1)));
    int count = 0;
    for (int i = 0; i < 4; ++i) {
      gl_TessLevelOuter[i] = level(lengths[i]);
      count += int(gl_TessLevelOuter[i]);
    }
    gl_TessLevelInner[0] = level(max(lengths[1], lengths[3]));
    gl_TessLevelInner[1] = level(max(lengths[0], lengths[2]));
    knots = count;
  }
}
