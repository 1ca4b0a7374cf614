#version 460
// SPDX-License-Identifier: Apache-2.0
// Rays that ask how much of the sky a place sees: directions that are spread well, rays that pass
// thin things, boxes and balls inside of their bounds, and shares that are kept from frame to frame.
#extension GL_EXT_ray_query : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(std430, set = 0, binding = 1) readonly buffer Places { vec4 places[]; };
layout(std430, set = 0, binding = 2) buffer Shares { uvec2 shares[]; };
layout(set = 0, binding = 3) uniform Sky {
  vec4 bodies[4];
  float longest;
  uint frame;
  uint mask;
};

// The digits of a number in some base, behind the point and in reverse.
float reversed_digits(uint number, uint base) {
  float value = 0.0, part = 1.0;
  for (uint i = 0u; i < 20u && number > 0u; ++i) {
    part /= float(base);
    value += float(number % base) * part;
    number /= base;
  }
  return value;
}

// A place in a circle for a place in a square, ring by ring.
vec2 square_to_circle(vec2 at) {
  vec2 own = at * 2.0 - 1.0;
  if (own.x == 0.0 && own.y == 0.0) {
    return vec2(0.0);
  }
  float radius = own.x, angle = 0.0;
  if (abs(own.x) > abs(own.y)) {
    angle = 0.78539816 * (own.y / own.x);
  } else {
    radius = own.y;
    angle = 1.57079633 - 0.78539816 * (own.x / own.y);
  }
  return radius * vec2(cos(angle), sin(angle));
}

// Where a ray meets a ball first: 0 if it begins inside, -1 if it misses.
float meets_ball(vec3 from, vec3 way, vec4 ball) {
  vec3 to = ball.xyz - from;
  float along = dot(to, way), size = max(dot(way, way), 0.001);
  float rest = along * along - size * (dot(to, to) - ball.w * ball.w);
  if (rest < 0.0) {
    return -1.0;
  }
  float root = sqrt(rest), first = (along - root) / size;
  if (first >= 0.0) {
    return first;
  }
  return along + root >= 0.0 ? 0.0 : -1.0;
}

// The part of a ray that is in a box. It is empty if the first number is larger.
vec2 span_in_box(vec3 from, vec3 way, vec3 low, vec3 high) {
  vec2 span = vec2(0.0, 1000.0);
  for (int axis = 0; axis < 3; ++axis) {
    if (abs(way[axis]) < 0.0001) {
      if (from[axis] < low[axis] || from[axis] > high[axis]) {
        return vec2(1.0, 0.0);
      }
      continue;
    }
    float first = (low[axis] - from[axis]) / way[axis];
    float second = (high[axis] - from[axis]) / way[axis];
    span = vec2(max(span.x, min(first, second)), min(span.y, max(first, second)));
    if (span.x > span.y) {
      break;
    }
  }
  return span;
}

// Mixes a share with what was known, which counts for at most some frames.
uvec2 kept_share(uvec2 before, uint lit, uint asked, uint most) {
  uint count = min(before.y & 0xffffu, most);
  uint sum = before.x * count + (asked > 0u ? lit * 4096u / asked : 0u);
  uint changed = before.y >> 16;
  if (asked > 0u && (before.x > 2048u) != (lit * 2u > asked)) {
    ++changed;
  }
  return uvec2(sum / (count + 1u), changed << 16 | count + 1u);
}

// Which side of a box a place on it belongs to.
int side_of(vec3 at, vec3 middle, vec3 half_size) {
  int side = 0;
  float most = -1.0;
  for (int axis = 0; axis < 3; ++axis) {
    float out_of = abs(at[axis] - middle[axis]) / max(half_size[axis], 0.001);
    if (out_of > most) {
      most = out_of;
      side = 2 * axis + (at[axis] < middle[axis] ? 1 : 0);
    }
  }
  return side;
}

// Whether the ray reaches the sky. Thin things have holes, and boxes hold balls.
bool reaches_sky(vec3 from, vec3 way, out float apart) {
  rayQueryEXT ray;
  rayQueryInitializeEXT(ray, scene, gl_RayFlagsNoneEXT, mask, from, 0.01, way, longest);
  uint tries = 0u;
  while (rayQueryProceedEXT(ray) && tries < 32u) {
    ++tries;
    if (rayQueryGetIntersectionTypeEXT(ray, false) == gl_RayQueryCandidateIntersectionTriangleEXT) {
      vec2 across = rayQueryGetIntersectionBarycentricsEXT(ray, false);
      uint hole = uint(rayQueryGetIntersectionPrimitiveIndexEXT(ray, false)) & 3u;
      if (across.x + across.y < 0.25 * float(hole)) {
        continue;
      }
      rayQueryConfirmIntersectionEXT(ray);
    } else {
      uint body = uint(rayQueryGetIntersectionInstanceCustomIndexEXT(ray, false)) & 3u;
      vec3 origin = rayQueryGetIntersectionObjectRayOriginEXT(ray, false);
      vec3 direction = rayQueryGetIntersectionObjectRayDirectionEXT(ray, false);
      float at = meets_ball(origin, direction, bodies[body]);
      if (at >= 0.0 && at < longest) {
        rayQueryGenerateIntersectionEXT(ray, at);
      }
    }
  }
  apart = longest;
  if (rayQueryGetIntersectionTypeEXT(ray, true) == gl_RayQueryCommittedIntersectionNoneEXT) {
    return true;
  }
  apart = rayQueryGetIntersectionTEXT(ray, true);
  return false;
}

void main() {
  uint me = gl_GlobalInvocationID.x;
  vec3 from = places[me].xyz;
  uint lit = 0u, asked = 0u;
  float nearest = longest;
  for (uint i = 0u; i < 16u; ++i) {
    uint number = me * 16u + i + frame;
    vec2 at = square_to_circle(vec2(reversed_digits(number, 2u), reversed_digits(number, 3u)));
    vec3 way = vec3(at, sqrt(max(0.0, 1.0 - dot(at, at))));
    vec2 span = span_in_box(from, way, vec3(0.0), bodies[0].xyz + 1.0);
    if (span.x > span.y) {
      continue;
    }
    float apart;
    lit += reaches_sky(from + way * span.x, way, apart) ? 1u : 0u;
    nearest = min(nearest, apart);
    ++asked;
  }
  uvec2 share = kept_share(shares[me], lit, asked, 64u);
  share.y ^= uint(side_of(from, bodies[1].xyz, bodies[2].xyz + nearest));
  shares[me] = share;
}
