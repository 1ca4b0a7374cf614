#version 450
// SPDX-License-Identifier: Apache-2.0
// Threads along the margins of a cloth: gathers and samples beyond the edge of a pattern, weights from
// the place of a sample, and a tally that helpers leave alone. Depth is tested early, so a thread that is
// cut off leaves its hole.
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);
layout(early_fragment_tests) in;
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform usampler2D pattern;
layout(set = 0, binding = 1) uniform sampler2D cloth;
layout(std430, set = 0, binding = 2) buffer Tally { uint cut[16]; uint whole[16]; } tally;

// How often the pattern changes around a corner.
uint changes_around(vec2 corner) {
  uvec4 knots = textureGather(pattern, corner);
  uint changes = 0u;
  changes += knots.x != knots.y ? 1u : 0u;
  changes += knots.y != knots.z ? 1u : 0u;
  changes += knots.z != knots.w ? 1u : 0u;
  changes += knots.w != knots.x ? 1u : 0u;
  return changes;
}

uint turned_knot(uint knot, uint turns) {
  uint low = knot & 255u;
  for (uint i = 0u; i < (turns & 7u); ++i) {
    low = (low << 1 | low >> 7) & 255u;
  }
  return low;
}

// Looks for the next thread of another colour, over the edge too.
int next_thread(vec2 from, float step_size) {
  uint first = textureLod(pattern, from, 0.0).x;
  for (int i = 1; i < 8; ++i) {
    uint here = textureLod(pattern, from + vec2(step_size * float(i), 0.0), 0.0).x;
    if (here != first) {
      return i;
    }
  }
  return 8;
}

float weight_of_sample(float strength) {
  vec2 away = abs(gl_SamplePosition - vec2(0.5));
  float near = 1.0 - max(away.x, away.y);
  return gl_SampleID == 0 ? near * strength : near;
}

void tally_thread(int length, bool is_cut) {
  if (gl_HelperInvocation) {
    return;
  }
  if (is_cut) {
    atomicAdd(tally.cut[length & 15], uint(gl_SampleMaskIn[0]));
  } else {
    atomicMax(tally.whole[length & 15], uint(length));
  }
}

void main() {
  vec2 place = gl_FragCoord.xy / 32.0 - vec2(0.5);
  int thread = next_thread(place, 0.125);
  bool is_cut = changes_around(place) > 2u;
  tally_thread(thread, is_cut);
  if (is_cut && thread == 1) {
    discard;
  }
  float weight = weight_of_sample(0.75);
  vec4 dye = textureLod(cloth, place * 2.0, 0.0) * weight;
  color = dye + vec4(float(turned_knot(uint(thread), 3u)) / 255.0);
}
