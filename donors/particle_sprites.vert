#version 460
// SPDX-License-Identifier: Apache-2.0
// Particles as sprites: structs in a storage buffer, integrated from their birth to now, bounced
// off boxes, coloured by a ramp with stops and turned into corners of quads.
layout(location = 0) out vec4 tint;
layout(location = 1) out vec2 corner;

struct Particle {
  vec3 place;
  float birth;
  vec3 speed;
  uint kind;
};

struct Box {
  vec3 low, high;
};

layout(std430, set = 0, binding = 0) readonly buffer Particles {
  uint alive;
  Box walls[2];
  Particle particles[];
};

layout(push_constant) uniform Camera {
  mat4 view_projection;
  vec3 gravity;
  float now;
} camera;

uint scramble(uint n) {
  n = (n ^ 61u) ^ (n >> 16);
  n += n << 3;
  n ^= n >> 4;
  n *= 0x27d4eb2du;
  return n ^ (n >> 15);
}

vec4 ramp(float x) {
  const vec4 colours[6] = vec4[6](vec4(1.0, 1.0, 0.75, 1.0), vec4(1.0, 0.5, 0.0, 1.0),
                                  vec4(0.75, 0.125, 0.0, 0.75), vec4(0.25, 0.25, 0.25, 0.5),
                                  vec4(0.125, 0.125, 0.125, 0.25), vec4(0.0));
  const float stops[6] = float[6](0.0, 0.125, 0.375, 0.5, 0.75, 1.0);
  const float slopes[6] = float[6](8.0, 4.0, 8.0, 4.0, 4.0, 0.0);
  if (!(x > 0.0)) {
    return colours[0];
  }
  int i = 0;
  while (i < 5 && stops[i + 1] < x) {
    ++i;
  }
  return i == 5 ? colours[5] : mix(colours[i], colours[i + 1], (x - stops[i]) * slopes[i]);
}

vec3 fall(vec3 place, vec3 speed, vec3 pull, float time, int drag) {
  vec3 now = place;
  vec3 moving = speed;
  float left = time;
  for (int i = 0; i < 48; ++i) {
    float dt = left < 0.0625 ? left : 0.0625;
    moving += pull * dt;
    for (int axis = 0; axis < 3; ++axis) {
      if (abs(moving[axis]) > 4.0) {
        moving[axis] *= drag > 2 ? 0.875 : 0.9375;
      }
    }
    now += moving * dt;
    left -= dt;
    if (left <= 0.0) {
      break;
    }
  }
  return now;
}

int flipbook_cell(int age, int pattern) {
  int cell = 0;
  switch (pattern & 3) {
    case 3:
      age ^= age >> 3;
    case 2:
      cell = age % 14;
      if (cell > 7) {
        cell = 14 - cell;
      }
      break;
    case 1:
      cell = min(age / 3, 7);
      break;
    default:
      cell = age & 7;
  }
  return cell;
}

bool reflect_off(inout Particle p, Box box) {
  bvec3 inside = bvec3(ivec3(greaterThan(p.place, box.low)) & ivec3(lessThan(p.place, box.high)));
  if (!all(inside)) {
    return false;
  }
  vec3 depth = min(p.place - box.low, box.high - p.place);
  if (depth.x < depth.y && depth.x < depth.z) {
    p.speed.x = -p.speed.x;
  } else if (depth.y < depth.z) {
    p.speed.y = -p.speed.y;
  } else {
    p.speed.z = -p.speed.z;
  }
  p.place += p.speed * 0.03125;
  return true;
}

Particle moved(Particle start, float age, vec3 pull) {
  Particle p = start;
  p.place = fall(start.place, start.speed, pull, age, int(start.kind & 7u));
  for (int i = 0; i < 2; ++i) {
    int tries = 0;
    while (reflect_off(p, walls[i]) && tries++ < 3) {
      p.kind += 8u;
    }
  }
  return p;
}

void main() {
  uint n = uint(gl_VertexIndex) / 4u;
  if (n >= alive || n >= uint(particles.length())) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    tint = vec4(0.0);
    corner = vec2(0.0);
    return;
  }
  float age = camera.now - particles[n].birth;
  Particle p = moved(particles[n], age, camera.gravity);
  corner = vec2(ivec2(gl_VertexIndex & 1, (gl_VertexIndex >> 1) & 1));
  tint = ramp(age * 0.25) * (0.5 + float(scramble(n) & 255u) * (1.0 / 510.0));
  int cell = flipbook_cell(int(age * 16.0), int(p.kind));
  vec4 middle = camera.view_projection * vec4(p.place, 1.0);
  gl_Position = middle + vec4((corner - 0.5) * 0.125, 0.0, 0.0);
  corner = (corner + vec2(cell & 3, cell >> 2)) * vec2(0.25, 0.5);
}
