#version 450
// SPDX-License-Identifier: Apache-2.0
// The cloth of the sails: a cubic surface over the net of sixteen vertices, found by mixing again
// and again. The seams are dark, and the weave shows in the alpha channel.
layout(quads, equal_spacing, ccw) in;

layout(location = 0) in vec3 dye[];
layout(location = 1) patch in vec4 lengths;
layout(location = 2) patch in int knots;
layout(location = 0) out vec4 colour;

layout(binding = 0) uniform Weather {
  vec2 wind;
  float pull;
  int most;
};

vec4 shrink(vec4 line[4], float t) {
  for (int left = 3; left > 0; --left) {
    for (int i = 0; i < left; ++i) line[i] = mix(line[i], line[i + 1], t);
  }
  return line[0];
}

void main() {
  vec4 points[4], colours[4];
  for (int row = 0; row < 4; ++row) {
    vec4 point[4], tint[4];
    for (int column = 0; column < 4; ++column) {
      int i = row * 4 + column;
      point[column] = gl_in[i].gl_Position;
      tint[column] = vec4(dye[i], 1.0);
    }
    points[row] = shrink(point, gl_TessCoord.x);
    colours[row] = shrink(tint, gl_TessCoord.x);
  }
  gl_Position = vec4(shrink(points, gl_TessCoord.y).xy, 0.0, 1.0);
  vec2 border = min(gl_TessCoord.xy, 1.0 - gl_TessCoord.xy);
  float seam = min(border.x, border.y) < 0.01 ? 0.25 : 1.0;
  float weave = float(knots & 15) / 15.0;
  colour = vec4(shrink(colours, gl_TessCoord.y).rgb * seam, lengths.x > lengths.y ? weave : 1.0 - weave);
}
