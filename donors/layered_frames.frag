#version 450
// SPDX-License-Identifier: Apache-2.0
// What later passes of a frame do with a pixel: layers are mixed as painters do, light of a first
// pass is decoded and tinted, marks of materials are read, and tones are mapped. Earlier passes give
// their results as input attachments.
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput albedo;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform subpassInput facing;
layout(input_attachment_index = 2, set = 0, binding = 2) uniform usubpassInput marks;
layout(set = 0, binding = 3) uniform Frame {
  vec4 lamps[4];
  vec4 tones;
  int mode;
};
layout(location = 0) out vec4 color;

vec3 from_octahedron(vec2 code) {
  vec2 at = code * 2.0 - 1.0;
  float up = 1.0 - abs(at.x) - abs(at.y);
  if (up < 0.0) {
    vec2 turned = 1.0 - abs(at.yx);
    at = vec2(at.x < 0.0 ? -turned.x : turned.x, at.y < 0.0 ? -turned.y : turned.y);
  }
  vec3 way = vec3(at, up);
  return way / max(length(way), 0.001);
}

float mixed_channel(float below, float above, int how) {
  switch (how & 7) {
    case 0:
      return above;
    case 1:
      return below * above;
    case 2:
      return below + above - below * above;
    case 3:
      if (below < 0.5) {
        return 2.0 * below * above;
      }
      return 1.0 - 2.0 * (1.0 - below) * (1.0 - above);
    case 4:
      return abs(below - above);
    case 5:
      return min(below, above);
    case 6:
      return above >= 1.0 ? 1.0 : min(1.0, below / (1.0 - above));
    default:
      break;
  }
  return max(below, above);
}

vec4 painted(vec4 below, vec4 above, int how) {
  float covered = above.a + below.a * (1.0 - above.a);
  vec4 result = vec4(0.0, 0.0, 0.0, covered);
  if (covered <= 0.0) {
    return result;
  }
  for (int i = 0; i < 3; ++i) {
    float both = mixed_channel(below[i], above[i], how);
    float sum = above.a * mix(above[i], both, below.a) + below.a * below[i] * (1.0 - above.a);
    result[i] = clamp(sum / covered, 0.0, 1.0);
  }
  return result;
}

vec3 tone_mapped(vec3 light, vec4 curve, int kind) {
  if (kind == 0) {
    return light / (1.0 + light);
  }
  vec3 mapped = light;
  for (int i = 0; i < 3; ++i) {
    float x = max(light[i], 0.0) * curve.x;
    if (kind == 1) {
      mapped[i] = x * (x + curve.y) / (x * (x + curve.z) + 0.25);
    } else {
      mapped[i] = x < curve.w ? x : curve.w + (1.0 - exp(curve.w - x)) * (1.0 - curve.w);
    }
  }
  return mapped;
}

// Light of up to four lamps on a side; a lamp of which the mark has no bit does not count.
vec3 lit(vec3 normal, vec4 all[4], uint mask, out int count) {
  vec3 sum = vec3(0.0);
  count = 0;
  for (int i = 0; i < 4; ++i) {
    if ((mask >> i & 1u) == 0u) {
      continue;
    }
    float share = dot(normal, all[i].xyz);
    if (share <= 0.0) {
      continue;
    }
    sum += share * all[i].w * vec3(1.0, 0.875, 0.75);
    if (++count == 3) {
      break;
    }
  }
  return sum;
}

int edge_mark(uint own, uvec4 neighbours) {
  int edges = 0;
  for (int i = 0; i < 4; ++i) {
    uint other = neighbours[i];
    if (other >> 8 != own >> 8) {
      edges += 2;
    } else if ((other ^ own) != 0u) {
      edges += 1;
    }
  }
  return edges;
}

void main() {
  vec4 base = subpassLoad(albedo);
  vec4 code = subpassLoad(facing);
  uvec4 mark = subpassLoad(marks);
  int count;
  vec3 light = lit(from_octahedron(code.xy), lamps, mark.x, count);
  vec4 veil = vec4(code.zzz, float(edge_mark(mark.x, mark.yzwx)) / 8.0);
  vec4 mixed = painted(vec4(base.rgb * light, base.a), veil, int(mark.y));
  color = vec4(tone_mapped(mixed.rgb, tones, mode), mixed.a + float(count));
}
