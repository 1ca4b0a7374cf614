#version 450
// SPDX-License-Identifier: Apache-2.0
// Colours and vectors packed: 5, 6 and 5 bits, shared exponents, differences of luma and chroma,
// normals on an octahedron, blocks of two ends and indices, ordered dithering; and the packing
// functions that the language has. Which way is a matter of spec constants.
layout(location = 0) in vec4 given;
layout(location = 1) flat in uvec4 blocks;
layout(location = 0) out vec4 color;

layout(constant_id = 0) const int kWay = 2;
layout(constant_id = 1) const float kGain = 1.5;
layout(constant_id = 2) const bool kDither = true;
const int kSteps = kWay * 4 + 3;

uint pack_565(ivec3 rgb) {
  ivec3 c = clamp(rgb, ivec3(0), ivec3(255));
  uint packed_bits = uint(c.x >> 3) << 11;
  packed_bits |= uint(c.y >> 2) << 5;
  return packed_bits | uint(c.z >> 3);
}

ivec3 unpack_565(uint bits) {
  ivec3 c = ivec3(bits >> 11 & 31u, bits >> 5 & 63u, bits & 31u);
  return ivec3(c.x << 3 | c.x >> 2, c.y << 2 | c.y >> 4, c.z << 3 | c.z >> 2);
}

uint pack_shared_exponent(uvec3 levels) {
  uint most = max(levels.x, max(levels.y, levels.z));
  uint exponent = 0u;
  uvec3 parts = levels;
  while (most >= 512u && exponent < 31u) {
    most >>= 1;
    parts = (parts + 1u) >> uvec3(1u);
    ++exponent;
    if (max(parts.x, max(parts.y, parts.z)) < 512u) {
      break;
    }
  }
  parts = min(parts, uvec3(511u));
  return parts.x | parts.y << 9 | parts.z << 18 | exponent << 27;
}

ivec3 lift_colours(ivec3 v, bool forwards) {
  if (forwards) {
    int co = v.x - v.z;
    int t = v.z + (co >> 1);
    int cg = v.y - t;
    return ivec3(t + (cg >> 1), co, cg);
  }
  int t = v.x - (v.z >> 1);
  int green = v.z + t;
  int blue = t - (v.y >> 1);
  return ivec3(blue + v.y, green, blue);
}

// A block of sixteen texels: two ends in 5, 6 and 5 bits, two bits of index for each.
ivec3 block_texel(uvec2 block, int texel) {
  ivec3 ends[4];
  for (int i = 0; i < 2; ++i) {
    uint bits = i == 0 ? block.x & 0xffffu : block.x >> 16;
    ends[i] = ivec3(bits >> 11, bits >> 5 & 63u, bits & 31u) << ivec3(3, 2, 3);
  }
  if ((block.x & 0xffffu) > block.x >> 16) {
    ends[2] = (2 * ends[0] + ends[1]) / ivec3(3);
    ends[3] = (ends[0] + 2 * ends[1]) / ivec3(3);
  } else {
    ends[2] = (ends[0] + ends[1]) >> ivec3(1);
    ends[3] = ivec3(0);
  }
  uint indices = block.y;
  for (int i = texel & 15; i > 0; --i) {
    indices >>= 2;
  }
  return ends[indices & 3u];
}

int dithered(int level, ivec2 at) {
  const int matrix[16] = int[16](0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5);
  int threshold = matrix[(at.y & 3) * 4 + (at.x & 3)];
  const int step_size = 255 / 3;
  int low = level / step_size;
  if ((level - low * step_size) * 16 > threshold * step_size) {
    ++low;
  }
  return min(low, 3) * step_size;
}

vec2 fold_octahedron(vec3 n) {
  vec2 folded = n.xy;
  if (n.z < 0.0) {
    vec2 away = 1.0 - abs(n.yx);
    for (int i = 0; i < 2; ++i) {
      folded[i] = n[i] < 0.0 ? -away[i] : away[i];
    }
  }
  return folded * 0.5 + 0.5;
}

vec3 hue_to_rgb(float hue, float strength) {
  float six = fract(hue) * 6.0;
  vec3 rgb = vec3(0.0);
  for (int i = 0; i < 3; ++i) {
    float way = six - float(i) * 2.0;
    way = way < -1.0 ? way + 6.0 : way;
    way = abs(way - 2.0 * float(way > 5.0) * 3.0);
    if (way <= 1.0) {
      rgb[i] = 1.0;
    } else if (way < 2.0) {
      rgb[i] = 2.0 - way;
    }
  }
  return 1.0 + strength * (rgb - 1.0);
}

vec4 through_words(vec4 v) {
  switch (kWay) {
    case 0:
      return unpackUnorm4x8(packUnorm4x8(v));
    case 1:
      return unpackSnorm4x8(packSnorm4x8(v));
    case 2:
      return vec4(unpackHalf2x16(packHalf2x16(v.xy)), unpackUnorm2x16(packUnorm2x16(v.zw)));
    case 3: {
      int power;
      vec4 whole;
      float parts = frexp(v.x, power);
      vec4 rest = modf(v, whole);
      return vec4(ldexp(parts, power), rest.yz, whole.w);
    }
  }
  return vec4(unpackSnorm2x16(packSnorm2x16(v.xy)), v.zw);
}

void main() {
  vec4 v = through_words(given * kGain);
  ivec3 level = ivec3(v.xyz * 255.0);
  ivec3 lifted = lift_colours(lift_colours(level, true) + kSteps, false);
  ivec3 texel = block_texel(blocks.xy, lifted.x);
  uint bits = pack_565(texel) ^ pack_shared_exponent(blocks.yzw);
  ivec3 back = unpack_565(bits);
  if (kDither) {
    for (int i = 0; i < 3; ++i) {
      back[i] = dithered(back[i], ivec2(gl_FragCoord.xy));
    }
  }
  vec3 hue = hue_to_rgb(v.w, 0.75);
  color = vec4(vec3(back) * (1.0 / 255.0) * hue, fold_octahedron(normalize(v.xyz)).x);
}
