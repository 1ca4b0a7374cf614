#version 450
// SPDX-License-Identifier: Apache-2.0
// Prints a negative: exposes the paper for some seconds through each of its three layers, dodges a
// disc, burns a corner, develops in steps until the paper is dark enough, and fixes what is left.
// The negative and the paper are input attachments of one array; the print shows how many steps the
// developer took as a strip at the lower edge.
//
// Exact: integers throughout. Colours are k * (1/255) for integers k from 0 to 255.
layout(input_attachment_index = 0, set = 0, binding = 0) uniform usubpassInput films[2];
layout(location = 0) out vec4 color;

layout(std140, set = 0, binding = 1) uniform Darkroom {
  ivec4 seconds;    // for each layer; of the burn
  ivec4 dodge;      // middle of the disc, square of its radius, seconds less
  ivec4 developer;  // strength, most steps, the darkness that is enough, weakening
  ivec4 curve[2];   // darkness of the paper after so many eighths of light
} darkroom;

int Curve(int light) {
  int part = clamp(light / 32, 0, 7);
  int here = darkroom.curve[part >> 2][part & 3];
  int next = part == 7 ? 255 : darkroom.curve[(part + 1) >> 2][(part + 1) & 3];
  return here + (next - here) * (light % 32) / 32;
}

// The light that falls on a layer of the paper.
int Light(int density, int layer, ivec2 at) {
  int seconds = darkroom.seconds[layer];
  ivec2 to = at - darkroom.dodge.xy;
  if (to.x * to.x + to.y * to.y < darkroom.dodge.z) seconds -= darkroom.dodge.w;
  if (at.x + at.y > 84) seconds += darkroom.seconds.w * (at.x + at.y - 84) / 32;
  int light = 0;
  for (int i = 0; i < seconds; ++i) light += (255 - density) * (8 - light / 64) / 96;
  return min(light, 255);
}

// Returns the darkness and the number of steps.
ivec2 Develop(int latent, int grain) {
  int dark = grain / 16, strength = darkroom.developer.x, steps = 0;
  while (steps < darkroom.developer.y) {
    if (dark * 4 >= latent * 3 && dark >= darkroom.developer.z) break;
    dark += (latent - dark) * strength / 64;
    strength = max(strength - darkroom.developer.w, 1);
    ++steps;
  }
  return ivec2(clamp(dark, 0, 255), steps);
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  ivec4 negative = ivec4(subpassLoad(films[0]));
  ivec4 paper = ivec4(subpassLoad(films[1]));
  ivec3 rgb;
  int longest = 0;
  for (int layer = 0; layer < 3; ++layer) {
    int latent = Curve(Light(negative[layer], layer, at));
    ivec2 developed = Develop(latent, paper[layer]);
    rgb[layer] = 255 - developed.x;
    longest = max(longest, developed.y);
  }
  if (at.y >= 60) rgb = at.x / 4 < longest ? ivec3(30, 30, 200) : rgb / 2;
  color = vec4(vec3(rgb) * (1.0 / 255.0), 1.0);
}
