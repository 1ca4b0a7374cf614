#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Filters on storage images: a median by exchanges, edges, dilation by a structuring mask, a
// separable blur with a tile in shared memory, error diffusion along a row and a palette.
precision highp float;
precision highp int;
precision highp image2D;
precision highp iimage2D;
layout(local_size_x = 8, local_size_y = 8) in;

layout(rgba8, binding = 0) readonly uniform image2D source;
layout(rgba8, binding = 1) writeonly uniform image2D filtered;
layout(r32i, binding = 2) uniform iimage2D labels;
layout(binding = 3) uniform Settings { ivec4 settings; };

shared vec4 tile[12][12];

void order(inout ivec3 a, inout ivec3 b) {
  ivec3 low = min(a, b);
  b = max(a, b);
  a = low;
}

int median_of_nine(int window[9]) {
  for (int i = 0; i < 5; ++i) {
    int least = i;
    for (int j = i + 1; j < 9; ++j) {
      if (window[j] < window[least]) {
        least = j;
      }
    }
    if (least == i) {
      continue;
    }
    int kept = window[i];
    window[i] = window[least];
    window[least] = kept;
  }
  return window[4];
}

int edge_strength(int window[9], out int heading) {
  const int across[9] = int[9](-1, 0, 1, -2, 0, 2, -1, 0, 1);
  ivec2 sum = ivec2(0);
  for (int i = 0; i < 9; ++i) {
    sum.x += across[i] * window[i];
    sum.y += across[(i % 3) * 3 + i / 3] * window[i];
  }
  ivec2 size = abs(sum);
  heading = sum.x < 0 ? 4 : 0;
  if (size.y > size.x) {
    heading += sum.y < 0 ? 3 : 1;
  } else if (sum.y != 0) {
    heading += 2;
  }
  return size.x + size.y;
}

uint dilate(uint row_above, uint row, uint row_below, int shape) {
  uint grown = row;
  switch (shape) {
    case 3:
      grown |= (row_above | row_below) << 1;
      grown |= (row_above | row_below) >> 1;
    case 2:
      grown |= row << 1 | row >> 1;
    case 1:
      grown |= row_above | row_below;
      break;
    case -1:
      grown &= row_above & row_below & (row << 1) & (row >> 1);
      break;
    default:
      grown = ~grown;
  }
  return grown;
}

uint diffuse_row(ivec4 levels[4], int threshold) {
  int error = 0;
  uint bits = 0u;
  for (int i = 0; i < 16; ++i) {
    int level = levels[i >> 2][i & 3] + error;
    bits <<= 1;
    if (level > threshold) {
      bits |= 1u;
      error = (level - 255) / 2;
    } else {
      error = level / 2;
    }
  }
  return bits;
}

int nearest_colour(ivec3 colour) {
  const ivec3 palette[8] =
      ivec3[8](ivec3(0), ivec3(255), ivec3(136, 0, 0), ivec3(170, 255, 238), ivec3(204, 68, 204),
               ivec3(0, 204, 85), ivec3(0, 0, 170), ivec3(238, 238, 119));
  int best = 0;
  int least = 0x7fffffff;
  for (int i = 0; i < 8; ++i) {
    ivec3 way = colour - palette[i];
    int distance = 2 * way.x * way.x + 4 * way.y * way.y + 3 * way.z * way.z;
    if (distance < least) {
      least = distance;
      best = i;
      if (distance == 0) {
        break;
      }
    }
  }
  return best;
}

void fill_tile(ivec2 origin) {
  ivec2 size = imageSize(source);
  for (int y = int(gl_LocalInvocationID.y); y < 12; y += 8) {
    for (int x = int(gl_LocalInvocationID.x); x < 12; x += 8) {
      ivec2 at = clamp(origin + ivec2(x, y) - 2, ivec2(0), size - 1);
      tile[y][x] = imageLoad(source, at);
    }
  }
  memoryBarrierShared();
  barrier();
}

vec4 blur(ivec2 at) {
  const float shares[5] = float[5](0.0625, 0.25, 0.375, 0.25, 0.0625);
  vec4 sum = vec4(0.0);
  for (int y = 0; y < 5; ++y) {
    vec4 row = vec4(0.0);
    for (int x = 0; x < 5; ++x) {
      row += shares[x] * tile[at.y + y][at.x + x];
    }
    sum += shares[y] * row;
  }
  return sum;
}

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  ivec2 here = ivec2(gl_LocalInvocationID.xy);
  fill_tile(ivec2(gl_WorkGroupID.xy) * 8);
  int window[9];
  for (int i = 0; i < 9; ++i) {
    window[i] = int(tile[here.y + 1 + i / 3][here.x + 1 + i % 3].x * 255.0);
  }
  int heading;
  int edge = edge_strength(window, heading);
  ivec3 low = ivec3(blur(here).xyz * 255.0);
  ivec3 high = ivec3(median_of_nine(window), edge, heading);
  order(low, high);
  ivec4 rows[4] = ivec4[4](ivec4(low, edge), ivec4(high, 3), ivec4(window[0]), ivec4(window[8]));
  uint bits = diffuse_row(rows, settings.x) ^ dilate(uint(edge), uint(low.x), 7u, settings.y);
  int label = nearest_colour(high) + int(bits << 8);
  int before = imageLoad(labels, at).x;
  imageStore(labels, at, ivec4(before ^ label));
  imageStore(filtered, at, vec4(vec3(low + high) * (1.0 / 510.0), 1.0));
}
