#version 460
#extension GL_EXT_ray_query : require
// SPDX-License-Identifier: Apache-2.0
// Soundings: each invocation lets a line down on one of the sixteen steps and notes what it meets
// first: a sheet, a box or nothing. A line may be told to pass thin sheets of one number, and has a
// mask of the steps that it can meet. Workgroups then add up the depths of their soundings.
layout(local_size_x = 32) in;

layout(binding = 0) uniform accelerationStructureEXT steps;
layout(binding = 1) uniform Lines {
  vec4 place[4];  // in the cell of a step: x, y, the height where the line begins, its length
  uvec4 passed;   // the number of the thin sheets that a line passes
  uvec4 mask;
};

struct Sounding {
  uint kind;
  float depth;
  uint label;
  uint step;
  uint part;    // geometry and primitive
  uint record;  // and whether it is the front
  float across;
  float inside;
};
layout(std430, binding = 2) buffer Log { Sounding soundings[64]; };
layout(std430, binding = 3) buffer Sums { float sums[2]; };

shared float depths[32];

// The side of a box that the line meets first, as a distance.
float boxDistance(rayQueryEXT line) {
  float floorOf = rayQueryGetIntersectionGeometryIndexEXT(line, false) == 0 ? 0.0 : 8.0;
  vec3 origin = rayQueryGetIntersectionObjectRayOriginEXT(line, false);
  vec3 direction = rayQueryGetIntersectionObjectRayDirectionEXT(line, false);
  vec2 at = origin.xy;
  if (any(lessThan(at, vec2(0))) || any(greaterThan(at, vec2(4)))) return -1.0;
  return (floorOf - origin.z) / direction.z;
}

void main() {
  uint number = gl_GlobalInvocationID.x & 15u;
  uint kind = gl_GlobalInvocationID.x >> 4u;
  vec4 here = place[kind];
  vec3 origin = vec3(here.xy + 8.0 * vec2(number & 3u, number >> 2u), here.z);
  rayQueryEXT line;
  rayQueryInitializeEXT(line, steps, gl_RayFlagsNoneEXT, mask[kind], origin, 0.0, vec3(0, 0, 1), here.w);
  while (rayQueryProceedEXT(line)) {
    if (rayQueryGetIntersectionTypeEXT(line, false) == gl_RayQueryCandidateIntersectionTriangleEXT) {
      if (rayQueryGetIntersectionPrimitiveIndexEXT(line, false) == passed[kind]) continue;
      rayQueryConfirmIntersectionEXT(line);
    } else {
      float distance = boxDistance(line);
      bool any = rayQueryGetIntersectionTypeEXT(line, true) != gl_RayQueryCommittedIntersectionNoneEXT;
      float most = any ? rayQueryGetIntersectionTEXT(line, true) : here.w;
      if (distance >= 0.0 && distance < most) rayQueryGenerateIntersectionEXT(line, distance);
    }
  }

  Sounding found = Sounding(rayQueryGetIntersectionTypeEXT(line, true), here.w, 0, 0, 0, 0, 0.0, 0.0);
  if (found.kind != gl_RayQueryCommittedIntersectionNoneEXT) {
    found.depth = rayQueryGetIntersectionTEXT(line, true);
    found.label = rayQueryGetIntersectionInstanceCustomIndexEXT(line, true);
    found.step = rayQueryGetIntersectionInstanceIdEXT(line, true);
    found.part = rayQueryGetIntersectionGeometryIndexEXT(line, true) * 16 +
                 rayQueryGetIntersectionPrimitiveIndexEXT(line, true);
    found.record = rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(line, true) * 2;
    mat4x3 outward = rayQueryGetIntersectionObjectToWorldEXT(line, true);
    mat4x3 inward = rayQueryGetIntersectionWorldToObjectEXT(line, true);
    found.inside = (inward * vec4(outward * vec4(1, 2, 3, 1), 1)).z + outward[2].z;
    if (found.kind == gl_RayQueryCommittedIntersectionTriangleEXT) {
      vec2 across = rayQueryGetIntersectionBarycentricsEXT(line, true);
      found.across = across.x + 16.0 * across.y;
      if (rayQueryGetIntersectionFrontFaceEXT(line, true)) found.record |= 1;
    }
  }
  soundings[gl_GlobalInvocationID.x] = found;

  depths[gl_LocalInvocationIndex] = found.depth;
  for (uint half_way = 16; half_way > 0; half_way >>= 1) {
    barrier();
    if (gl_LocalInvocationIndex < half_way) {
      depths[gl_LocalInvocationIndex] += depths[gl_LocalInvocationIndex + half_way];
    }
  }
  if (gl_LocalInvocationIndex == 0) sums[gl_WorkGroupID.x] = depths[0];
}
