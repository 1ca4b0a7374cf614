#version 450
// SPDX-License-Identifier: Apache-2.0
// Lays out the photos of a survey from the air: each square of eight pixels is a photo of its own, and
// the height of the flight decides how much land it shows and which mip level the sampler takes.
// Cameras are turned and mirrored. Each pixel adds up what the flights over its square saw, with the
// surroundings by a bias; then it follows the slope from chart to chart until the ground is flat,
// and is drawn by how it got there.
//
// Exact: places are the centres of texels, all steps between pixels are powers of two along one axis, and the
// sampler's bias of -0.25 keeps the levels of detail away from where a level begins.
layout(location = 0) out vec4 colour;

layout(binding = 0) uniform usampler2D land;         // 6 levels
layout(binding = 1) uniform usampler2DArray charts;  // 4 levels, 3 layers
layout(binding = 2) uniform Flights {
  ivec4 cameras[2];  // bits 0 and 1: the height; 2: turned; 3 and 4: mirrored
  ivec4 inks[2];     // RGB
  int flights;
  int flat_ground;
};

struct Photo {
  ivec2 corner;  // in texels of the level
  int height;
  int camera;
};

Photo PhotoOf(ivec2 square, int flight) {
  int number = (square.x + square.y * 3 + flight * 5) & 7;
  int camera = cameras[number >> 2][number & 3];
  return Photo(square.yx * 3 + flight, camera & 3, camera);
}

// The place of a pixel of the photo, from 0 to 1 over the whole land.
vec2 PlaceIn(Photo photo, ivec2 pixel) {
  ivec2 at = pixel & 7;
  if ((photo.camera & 4) != 0) at = at.yx;
  if ((photo.camera & 8) != 0) at.x = 7 - at.x;
  if ((photo.camera & 16) != 0) at.y = 7 - at.y;
  return (vec2(photo.corner + at) + 0.5) * (float(1 << photo.height) * 0.015625);
}

// Goes to the lowest of three neighbours, and to the next chart. Returns the number of steps, or -1 at a pit.
int FollowSlope(inout ivec2 cell, int level, int first, inout uint trail) {
  ivec3 size = textureSize(charts, level);
  uint here = texelFetch(charts, ivec3(cell & (size.xy - 1), first % size.z), level).x;
  for (int step = 0; step < 6; ++step) {
    int layer = (first + step) % size.z;
    uint best = 1000u;
    int way = 0;
    for (int k = 0; k < 3; ++k) {
      ivec2 next = (cell + ivec2(k & 1, k >> 1)) & (size.xy - 1);
      uint ground = texelFetch(charts, ivec3(next, layer), level).x + uint(k * 9);
      if (ground < best) {
        best = ground;
        way = k;
      }
    }
    trail = trail << 2 | uint(way);
    if (abs(int(best) - int(here)) <= flat_ground) return step;
    if (best > here + 90u) return -1;
    cell += ivec2(way & 1, way >> 1);
    here = best;
  }
  return 6;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 square = pixel >> 3;
  uvec4 seen = uvec4(0u);
  uint around = 0u;
  int top = 0;
  for (int flight = 0; flight < flights; ++flight) {
    Photo photo = PhotoOf(square, flight);
    vec2 place = PlaceIn(photo, pixel);
    seen += texture(land, place) >> uint(flight);
    around = around * 5u + texture(land, place, 1.0).y;
    vec3 on_chart = vec3(place * 2.0, float(flight % 3));  // charts have half of the side
    seen.w ^= texture(charts, on_chart).z << uint(flight);
    top = max(top, photo.height);
  }

  uint trail = 1u;
  ivec2 cell = ivec2(seen.xy >> 3u);
  int steps = FollowSlope(cell, min(top, textureQueryLevels(charts) - 1), int(seen.z & 3u), trail);
  int ink;
  switch (steps) {
    case -1: ink = inks[1][int(trail & 3u)]; break;
    case 0: ink = inks[0].x ^ int(around & 31u); break;
    case 1:
    case 2: ink = inks[0][steps]; break;
    default: ink = inks[0].w + (cell.x & 7) * 0x080400; break;
  }
  uvec3 level = uvec3(ink >> 16, ink >> 8, ink) & 255u;
  level = (level + (seen.xyz >> 2u) + (seen.w & 63u) + (trail & 15u)) >> 1u;
  colour = vec4(vec3(min(level, 255u)) * (1.0 / 255.0), 1.0);
}
