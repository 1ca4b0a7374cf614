#version 450
// SPDX-License-Identifier: Apache-2.0
// Cubes and what is done with directions: reflections between planes, mirrors of a box, the faces
// that a cone touches, and blends of cubes of an array.
layout(location = 0) in vec3 way;
layout(location = 1) in vec3 normal;
layout(location = 2) flat in uint kinds;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec2 touched;

layout(set = 0, binding = 0) uniform samplerCube sky;
layout(set = 0, binding = 1) uniform samplerCubeArray rooms;
layout(set = 0, binding = 2) uniform usamplerCube labels;

struct Box {
  vec3 low;
  vec3 high;
};

// The direction from the middle of a box to where a ray leaves it.
vec3 box_corrected(vec3 from, vec3 to, Box box) {
  vec3 safe = vec3(abs(to.x) < 0.001 ? 0.001 : to.x, abs(to.y) < 0.001 ? 0.001 : to.y,
                   abs(to.z) < 0.001 ? 0.001 : to.z);
  vec3 first = (box.high - from) / safe, second = (box.low - from) / safe;
  vec3 furthest = max(first, second);
  float t = min(min(furthest.x, furthest.y), furthest.z);
  return from + to * t - 0.5 * (box.low + box.high);
}

// A bit for each face that a cone around a direction touches.
uint faces_of_cone(vec3 axis, float widest) {
  uint faces = 0u;
  for (int i = 0; i < 3; ++i) {
    float along = axis[i];
    if (along > -widest) {
      faces |= 1u << (2 * i);
    }
    if (along < widest) {
      faces |= 2u << (2 * i);
    }
  }
  if (faces == 63u && widest < 0.25) {
    faces &= 21u;
  }
  return faces;
}

vec3 bounced(vec3 to, uint planes) {
  while (planes != 0u) {
    uint lowest = planes & (~planes + 1u);
    planes ^= lowest;
    switch (lowest) {
      case 1u:
        to.x = -to.x;
        break;
      case 2u:
        to.y = -to.y;
        break;
      case 4u:
        to = to.zyx;
        break;
      default:
        to = vec3(to.y, -to.x, to.z);
        break;
    }
  }
  return to;
}

vec4 blended_rooms(vec3 to, vec4 shares) {
  vec4 sum = vec4(0.0);
  for (int i = 0; i < 4; ++i) {
    if (shares[i] > 0.001) {
      sum += shares[i] * textureLod(rooms, vec4(to, float(i)), 0.0);
    }
  }
  return sum;
}

void main() {
  vec3 to = bounced(reflect(way, normal), kinds & 15u);
  Box box = Box(vec3(-2.0, -1.0, -3.0), vec3(2.0, 1.5, 3.0));
  vec3 inside = box_corrected(normal * 0.5, to, box);
  uint faces = faces_of_cone(to, 0.5);
  vec4 shares = vec4(kinds & 3u, kinds >> 2 & 3u, kinds >> 4 & 3u, kinds >> 6 & 3u) * 0.25;
  color = textureLod(sky, inside, 0.0) + texture(sky, to, 1.0) + blended_rooms(to, shares);
  color += textureGather(sky, inside, 1);
  touched = uvec2(faces, textureLod(labels, to, 0.0).x);
}
