#version 450
// SPDX-License-Identifier: Apache-2.0
// A pond: triangles between stones, each with waves round one of its corners. The rings are bands
// of integer distances, so that they have sharp edges in every implementation.
layout(triangles, equal_spacing, cw) in;

layout(location = 1) in vec3 stone[];
layout(location = 2) in int depth[];
layout(location = 0) out vec4 colour;
layout(location = 1) flat out ivec4 rings;

layout(binding = 0) uniform Pond {
  int bands;
  int corner;
  float lift;
};

int band(vec3 at, int from) {
  int reach = int(floor((1.0 - at[from]) * float(bands) + 0.5));
  return (reach & 1) == 0 ? reach : -reach;
}

void main() {
  int from = (corner + gl_PrimitiveID) % 3;
  ivec4 all = ivec4(0);
  vec4 where = vec4(0.0);
  vec3 light = vec3(0.0);
  for (int i = 0; i < 3; ++i) {
    all[i] = band(gl_TessCoord, i);
    where += gl_in[i].gl_Position * gl_TessCoord[i];
    light += stone[i] * gl_TessCoord[i];
  }
  switch (depth[from] & 3) {
    case 0:
      light = light.zxy;
      break;
    case 1:
      light *= 0.5;
      // The water of shallow places is also brighter.
    case 2:
      light += 0.25;
      break;
    default:
      all.w = depth[0] + depth[1] * 16 + depth[2] * 256;
  }
  float wave = float(all[from]) / float(bands);
  gl_Position = vec4(where.xy * (1.0 + lift * wave), 0.0, 1.0);
  colour = vec4(light, 0.5 + 0.5 * wave);
  rings = all;
}
