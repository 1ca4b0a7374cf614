#version 330
// SPDX-License-Identifier: Apache-2.0
// Drawn light: bands of brightness, a rim, hatching in up to four layers, outlines by angle, and a
// halftone of dots that grow.
#extension GL_ARB_separate_shader_objects : enable
layout(location = 0) in vec4 surface;  // normal, brightness
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 color;

const float levels[4] = float[4](0.125, 0.375, 0.625, 0.875);

float banded(float light, float softness) {
  float shade = 0.0625;
  for (int i = 0; i < 4; ++i) {
    float above = light - levels[i];
    if (above < -softness) break;
    if (above > softness) {
      shade = levels[i] + 0.125;
      continue;
    }
    shade += 0.125 * (above + softness);
    break;
  }
  return shade;
}

float rim(vec3 n, vec3 v, float width) {
  float edge = 1.0 - abs(dot(n, v));
  return edge < width ? 0.0 : (edge > width + 0.125 ? 1.0 : (edge - width) * 8.0);
}

// Lines in more and more directions, the darker it is.
float hatch(vec2 p, float light) {
  float ink = 0.0;
  int layers = light > 0.75 ? 0 : light > 0.5 ? 1 : light > 0.25 ? 2 : light > 0.125 ? 3 : 4;
  switch (layers) {
    case 4:
      ink += fract(p.x * 4.0) < 0.25 ? 0.25 : 0.0;
    case 3:
      ink += fract(p.y * 4.0) < 0.25 ? 0.25 : 0.0;
    case 2:
      ink += fract((p.x - p.y) * 3.0) < 0.25 ? 0.25 : 0.0;
    case 1:
      ink += fract((p.x + p.y) * 3.0) < 0.25 ? 0.25 : 0.0;
  }
  return 1.0 - ink;
}

bool is_dot(vec2 p, float light) {
  mat2 diagonal = mat2(0.70710678, 0.70710678, -0.70710678, 0.70710678);
  vec2 q = fract(diagonal * p * 8.0) - 0.5;
  float size = 0.5 * (1.0 - light);
  if (light < 0.5) {
    q = 0.5 - abs(q);
    size = 0.5 * light;
    return dot(q, q) >= size * size;
  }
  return dot(q, q) < size * size;
}

vec3 tinted(vec3 base, float light, bool warm) {
  vec3 shade = base * light;
  if (warm) {
    if (light > 0.5) {
      shade.r += (1.0 - shade.r) * (light - 0.5);
    } else {
      shade.b += (0.5 - light) * 0.5;
      if (shade.b > shade.r) shade.g *= 0.875;
    }
  }
  return shade;
}

void main() {
  vec3 n = surface.xyz;
  float light = surface.w;
  if (rim(n, vec3(0.0, 0.0, 1.0), 0.75) > 0.9) {
    color = vec4(0.0, 0.0, 0.0, 1.0);
    return;
  }
  float shade = banded(light, 0.03125) * hatch(place, light);
  vec3 paint = tinted(vec3(0.875, 0.5, 0.25), shade, place.x > 0.0);
  if (is_dot(place, light)) paint *= 0.75;
  color = vec4(paint, 1.0);
}
