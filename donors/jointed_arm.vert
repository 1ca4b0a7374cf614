#version 450
// SPDX-License-Identifier: Apache-2.0
// An arm with joints: quaternions through small functions with pointer parameters, angles kept
// within their limits, and a reach for a target by turning one joint after the other.
layout(location = 0) in vec4 position_and_joint;
layout(location = 0) out vec3 colour;

struct Joint {
  vec4 turn;
  vec3 offset;
  float limit;
};

layout(set = 0, binding = 0, std140) uniform Arm {
  Joint joints[6];
  vec3 target;
  int rounds;
};

void multiply(inout vec4 a, in vec4 b) {
  a = vec4(a.w * b.xyz + b.w * a.xyz + a.yzx * b.zxy - a.zxy * b.yzx,
           a.w * b.w - (a.x * b.x + a.y * b.y + a.z * b.z));
}

void conjugate(inout vec4 q) {
  q.xyz = -q.xyz;
}

void rotate(in vec4 q, inout vec3 v) {
  vec3 t = 2.0 * (q.yzx * v.zxy - q.zxy * v.yzx);
  v += q.w * t + q.yzx * t.zxy - q.zxy * t.yzx;
}

void keep_within(inout vec4 q, float limit, out bool was_outside) {
  was_outside = false;
  if (q.w < 0.0) {
    q = -q;
  }
  for (int tries = 0; tries < 6; ++tries) {
    if (q.w >= limit) {
      return;
    }
    was_outside = true;
    q.xyz *= 0.75;
    q.w = 0.75 * q.w + 0.25;
  }
  q = vec4(0.0, 0.0, 0.0, 1.0);
}

// Three whole turns of a clock with 4096 ticks, wrapped, as near to `wanted` as `most` allows.
void turn_towards(inout ivec3 ticks, in ivec3 wanted, int most, inout int moves) {
  for (int axis = 0; axis < 3; ++axis) {
    int way = (wanted[axis] - ticks[axis]) & 4095;
    if (way == 0) {
      continue;
    }
    if (way > 2048) {
      way -= 4096;
    }
    ticks[axis] = (ticks[axis] + min(max(way, -most), most)) & 4095;
    if (++moves == 7) {
      break;
    }
  }
}

void swap_if_farther(inout vec3 a, inout vec3 b, in vec3 from, inout int order) {
  vec3 to_a = a - from;
  vec3 to_b = b - from;
  order <<= 1;
  if (dot(to_b, to_b) < dot(to_a, to_a)) {
    vec3 kept = a;
    a = b;
    b = kept;
    order |= 1;
  }
}

void shortest_arc(vec3 a, vec3 b, out vec4 q) {
  vec3 u = normalize(a);
  vec3 v = normalize(b);
  float w = 1.0 + dot(u, v);
  q = w < 0.001 ? vec4(0.0, 0.0, 1.0, 0.0) : normalize(vec4(cross(u, v), w));
}

void tips(in Joint chain[6], out vec3 places[7]) {
  vec4 turn = vec4(0.0, 0.0, 0.0, 1.0);
  places[0] = vec3(0.0);
  for (int i = 0; i < 6; ++i) {
    multiply(turn, chain[i].turn);
    vec3 bone = chain[i].offset;
    rotate(turn, bone);
    places[i + 1] = places[i] + bone;
  }
}

int reach(inout Joint chain[6], out vec3 places[7]) {
  int limited = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 5; i >= 0; --i) {
      tips(chain, places);
      vec3 to_tip = places[6] - places[i];
      vec3 to_target = target - places[i];
      if (dot(to_tip - to_target, to_tip - to_target) < 1.0e-4) {
        return limited;
      }
      vec4 arc;
      shortest_arc(to_tip, to_target, arc);
      multiply(chain[i].turn, arc);
      bool was_outside;
      keep_within(chain[i].turn, chain[i].limit, was_outside);
      limited += int(was_outside);
    }
  }
  tips(chain, places);
  return limited;
}

void main() {
  Joint chain[6] = joints;
  vec3 places[7];
  int limited = reach(chain, places);
  int which = int(position_and_joint.w) % 6;
  ivec3 ticks = ivec3(places[which] * 4096.0);
  int moves = limited;
  turn_towards(ticks, ivec3(gl_VertexIndex), 64, moves);
  swap_if_farther(places[1], places[2], target, moves);
  vec4 turn = chain[which].turn;
  conjugate(turn);
  vec3 place = position_and_joint.xyz;
  rotate(turn, place);
  colour = vec3(ticks & 255) * (1.0 / 255.0) + float(moves & 3) * 0.125;
  gl_Position = vec4(places[which] + place, 1.0);
}
