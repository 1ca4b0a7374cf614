#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Contour lines made by vertices: the sixteen cases of a square, ends found on its edges, saddles
// told by their middle, lines clipped to a window by outcodes and walked by Bresenham's steps.
precision highp float;
precision highp int;
layout(location = 0) flat out ivec4 segment;
layout(location = 1) out float level_shade;

layout(set = 0, binding = 0) uniform Field {
  ivec4 heights[16];
  ivec4 window;
  int level;
  int width;
};

// Up to two lines as edges: four bits each for from and to; 15 is none.
int lines_of(int square_case, bool high_middle) {
  switch (square_case & 15) {
    case 0:
    case 15:
      return 0xffff;
    case 1:
    case 14:
      return 0xff30;
    case 2:
    case 13:
      return 0xff01;
    case 3:
    case 12:
      return 0xff31;
    case 4:
    case 11:
      return 0xff12;
    case 5:
      if (high_middle) {
        return 0x1032;
      }
    case 10:
      return high_middle ? 0x3012 : 0x0132;
    case 6:
    case 9:
      return 0xff02;
    case 7:
    case 8:
      return 0xff32;
  }
  return -1;
}

int case_of(ivec4 corners, int at) {
  int bits = 0;
  for (int i = 3; i >= 0; --i) {
    bits += bits;
    if (corners[i] > at) {
      bits += 1;
    } else if (corners[i] == at) {
      bits += i & 1;
    }
  }
  return bits;
}

// Sixteenths of the way from a to b, by bisection.
int crossing(int a, int b, int at) {
  int low = 0;
  int high = 16;
  bool up = b > a;
  while (high - low > 1) {
    int middle = (low + high) >> 1;
    int value = a * (16 - middle) + b * middle;
    if ((value < at * 16) == up) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

int outcode(ivec2 p, ivec4 box) {
  int code = 0;
  if (p.x < box.x) {
    code |= 1;
  } else if (p.x > box.z) {
    code |= 2;
  }
  if (p.y < box.y) {
    code |= 4;
  } else if (p.y > box.w) {
    code |= 8;
  }
  return code;
}

bool clip_line(inout ivec4 line, ivec4 box) {
  for (int tries = 0; tries < 12; ++tries) {
    int from = outcode(line.xy, box);
    int to = outcode(line.zw, box);
    if ((from | to) == 0) {
      return true;
    }
    if ((from & to) != 0) {
      return false;
    }
    ivec2 middle = (line.xy + line.zw) / 2;
    if (middle == line.xy || middle == line.zw) {
      return false;
    }
    if (from != 0) {
      line.xy = middle;
    } else {
      line.zw = middle;
    }
  }
  return false;
}

ivec2 walk_line(ivec4 line, int steps) {
  ivec2 at = line.xy;
  ivec2 way = abs(line.zw - line.xy);
  ivec2 step = sign(line.zw - line.xy);
  int error = way.x - way.y;
  for (int i = 0; i < steps; ++i) {
    if (at == line.zw) {
      break;
    }
    int twice = 2 * error;
    if (twice > -way.y) {
      error -= way.y;
      at.x += step.x;
      if (at.x == line.z && way.y == 0) {
        break;
      }
    }
    if (twice < way.x) {
      error += way.x;
      at.y += step.y;
    }
  }
  return at;
}

void main() {
  int cell = gl_VertexIndex >> 1;
  ivec4 corners = heights[cell & 15];
  int middle = (corners.x + corners.y + corners.z + corners.w) >> 2;
  int lines = lines_of(case_of(corners, level), middle > level);
  int edge = (lines >> ((gl_VertexIndex & 1) * 4)) & 15;
  int part = edge > 3 ? 0 : crossing(corners[edge], corners[(edge + 1) & 3], level);
  ivec2 base = ivec2(cell % max(width, 1), cell / max(width, 1)) * 16;
  ivec4 line = ivec4(base, base + ivec2(part, 16 - part));
  bool seen = clip_line(line, window);
  segment = seen ? line : ivec4(0);
  level_shade = float(level & 15) * 0.0625;
  gl_PointSize = 1.0;
  gl_Position = vec4(vec2(walk_line(line, gl_VertexIndex & 7)) * 0.0078125 - 1.0, 0.0, 1.0);
}
