#version 450
// SPDX-License-Identifier: Apache-2.0
// Probes of a pane per sample: which sample it is, where, and which of its pixel are covered; what
// helpers see and do not count; and textures read far outside, as their samplers decide. Tests for depth
// come before the shader, so what it drops has hidden others already.
layout(early_fragment_tests) in;
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform sampler2D pane;
layout(set = 0, binding = 1) uniform sampler2D rim;
layout(std430, set = 0, binding = 2) buffer Probes { uint seen[64]; } probes;

// The number of a sample in the order of a snake through the mask.
int snake_number(int mask, int number) {
  int place = 0;
  for (int i = 0; i < 8; ++i) {
    if ((mask >> i & 1) == 0) {
      continue;
    }
    if (i >= number) {
      break;
    }
    ++place;
  }
  return (place & 1) == 0 ? place : 7 - place;
}

vec2 sample_place(vec2 inside) {
  vec2 centred = inside - vec2(0.5);
  return gl_SamplePosition + centred * float(gl_SampleID + 1);
}

bool is_counted() {
  return !gl_HelperInvocation && bitCount(uint(gl_SampleMaskIn[0])) != 0;
}

vec4 far_texel(vec2 place, float away) {
  vec4 left = textureLod(pane, place - vec2(away, 0.0), 0.0);
  vec4 right = textureLod(pane, place + vec2(away, 0.0), 0.0);
  return left.x > right.x ? left : right;
}

// Walks outward until the rim is dark.
int walk_out(vec2 place, vec2 direction) {
  int steps = 0;
  while (steps < 6) {
    vec2 next = place + direction * float(steps);
    if (textureLod(rim, next, 0.0).y < 0.25) {
      break;
    }
    steps += textureLod(rim, next.yx, 0.0).x > 0.5 ? 2 : 1;
  }
  return steps;
}

void count_probe(int number, uint by) {
  if (is_counted()) {
    atomicAdd(probes.seen[number & 63], by);
  }
}

void main() {
  vec2 place = sample_place(gl_FragCoord.xy / 64.0);
  int out_steps = walk_out(place, vec2(0.375, -0.25));
  count_probe(snake_number(gl_SampleMaskIn[0], out_steps), uint(out_steps));
  vec4 texel = far_texel(place, 1.5);
  if (texel.w < 0.125 && out_steps == 6) {
    discard;
  }
  color = mix(texel, vec4(place, 0.0, 1.0), float(out_steps) / 6.0);
}
