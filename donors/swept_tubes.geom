#version 450
// SPDX-License-Identifier: Apache-2.0
// Lines that become tubes: a frame that is carried along without twist, rings of corners, mitres
// where lines meet, dashes that go on from line to line, and caps. Corners are packed for a stream
// that is captured elsewhere.
layout(lines_adjacency) in;
layout(triangle_strip, max_vertices = 36) out;
layout(location = 0) in vec4 ink[];
layout(location = 1) in float along[];
layout(location = 0) out vec4 colour;
layout(location = 1) flat out uvec2 stamp;
layout(set = 0, binding = 0) uniform Pen {
  mat4 view;
  vec4 widths;
  vec2 dash;
  int sides;
};

vec3 any_across(vec3 way) {
  vec3 size = abs(way);
  vec3 axis = vec3(0.0, 0.0, 1.0);
  if (size.x <= size.y && size.x <= size.z) {
    axis = vec3(1.0, 0.0, 0.0);
  } else if (size.y <= size.z) {
    axis = vec3(0.0, 1.0, 0.0);
  }
  vec3 found = cross(way, axis);
  return found / max(length(found), 0.001);
}

// Carries the vector from one direction to the next with two mirrors, so that it does not twist.
vec3 carried(vec3 side, vec3 before, vec3 after, vec3 step_between) {
  float first = dot(step_between, step_between);
  if (first == 0.0) {
    return side;
  }
  vec3 turned = side - step_between * (2.0 / first * dot(step_between, side));
  vec3 way = before - step_between * (2.0 / first * dot(step_between, before));
  vec3 other = after - way;
  float second = dot(other, other);
  return second == 0.0 ? turned : turned - other * (2.0 / second * dot(other, turned));
}

// How much longer the corner of a bend is than its line is wide. Sharp bends are cut off.
float mitre(vec2 before, vec2 after, float limit) {
  vec2 sum = before + after;
  float size = dot(sum, sum);
  if (size <= 0.0) {
    return 1.0;
  }
  float longer = 2.0 / sqrt(size);
  return longer > limit ? 1.0 : longer;
}

// The parts of a line that are drawn, up to four; a dash that began before goes on.
int dashes(float from, float to, vec2 pattern, out vec2 parts[4]) {
  float period = max(pattern.x + pattern.y, 0.125);
  float at = floor(from / period) * period;
  int count = 0;
  for (int i = 0; i < 16; ++i) {
    float begin = max(at, from), end = min(at + pattern.x, to);
    if (begin < end) {
      parts[count++] = vec2(begin, end);
      if (count == 4) {
        break;
      }
    }
    at += period;
    if (at >= to) {
      break;
    }
  }
  for (int i = count; i < 4; ++i) {
    parts[i] = vec2(to);
  }
  return count;
}

// A corner in two words: ten bits for each coordinate, and the number of the ring and of the side.
uvec2 packed_corner(vec3 at, int ring, int side) {
  ivec3 cell = ivec3(clamp(at, -1.0, 1.0) * 511.0) + 511;
  uint word = 0u;
  for (int axis = 2; axis >= 0; --axis) {
    word = word << 10 | uint(cell[axis]) & 1023u;
  }
  return uvec2(word, uint(ring) << 16 | uint(side) & 0xffffu);
}

float cap_width(int shape, float at, float width) {
  switch (shape) {
    case 0:
      return 0.0;
    case 1:
      return width * (1.0 - at);
    case 2: {
      float rest = 1.0 - at * at;
      return rest <= 0.0 ? 0.0 : width * sqrt(rest);
    }
    default:
      break;
  }
  return at < 1.0 ? width : 0.0;
}

void ring(vec3 middle, vec3 side, vec3 way, float width, int number) {
  vec3 up = cross(way, side);
  int count = clamp(sides, 3, 8);
  for (int i = 0; i < count; ++i) {
    float angle = 6.2831853 * float(i) / float(count);
    vec3 at = middle + (side * cos(angle) + up * sin(angle)) * width;
    stamp = packed_corner(at, number, i);
    colour = ink[1] * (0.5 + 0.5 * cos(angle));
    gl_Position = view * vec4(at, 1.0);
    EmitVertex();
  }
  EndPrimitive();
}

void main() {
  vec3 points[4];
  for (int i = 0; i < 4; ++i) {
    points[i] = gl_in[i].gl_Position.xyz;
  }
  vec3 way = points[2] - points[1];
  vec3 side = any_across(way);
  vec3 next = carried(side, points[1] - points[0], way, way);
  vec2 parts[4];
  int count = dashes(along[1], along[2], dash, parts);
  float longer = mitre(way.xy, (points[3] - points[2]).xy, 4.0);
  for (int i = 0; i < count; ++i) {
    float wide = cap_width(gl_PrimitiveIDIn & 3, parts[i].x - along[1], widths[i]);
    ring(points[1] + way * parts[i].x, side, way, wide, 2 * i);
    ring(points[1] + way * parts[i].y, next, way, wide * longer, 2 * i + 1);
  }
}
