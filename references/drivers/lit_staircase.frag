#version 460
#extension GL_EXT_ray_query : require
// SPDX-License-Identifier: Apache-2.0
// A staircase seen from below: the colour of a pixel is that of the step which a ray meets first,
// darker the higher it is. A second ray asks whether a lamp beside the staircase reaches the place;
// a third ray, which leans, shows as a glint where it meets another step than the first one.
layout(binding = 0) uniform accelerationStructureEXT steps;
layout(binding = 1) uniform Lamp {
  vec3 lean;
  float level;  // of the lamp above the place that it lights
  uint mask;
};
layout(location = 0) out vec4 colour;

const uint kNobody = 255u;

// The label of the step that a ray meets first. Boxes count as if their lowest side were hit.
uint firstStep(vec3 origin, vec3 direction, uint flags, out float distance) {
  rayQueryEXT ray;
  rayQueryInitializeEXT(ray, steps, flags, mask, origin, 0.0, direction, 64.0);
  while (rayQueryProceedEXT(ray)) {
    if (rayQueryGetIntersectionTypeEXT(ray, false) == gl_RayQueryCandidateIntersectionTriangleEXT) {
      // The upper thin sheet has a hole.
      vec2 across = rayQueryGetIntersectionBarycentricsEXT(ray, false);
      bool hole = rayQueryGetIntersectionPrimitiveIndexEXT(ray, false) == 1 && across.x < 0.375;
      if (!hole) rayQueryConfirmIntersectionEXT(ray);
      continue;
    }
    vec3 from = rayQueryGetIntersectionObjectRayOriginEXT(ray, false);
    vec3 along = rayQueryGetIntersectionObjectRayDirectionEXT(ray, false);
    float low = rayQueryGetIntersectionGeometryIndexEXT(ray, false) == 0 ? 0.0 : 8.0;
    float far_ = rayQueryGetIntersectionTypeEXT(ray, true) == 0 ? 64.0 : rayQueryGetIntersectionTEXT(ray, true);
    float meets = along.z > 0.0 ? (low - from.z) / along.z : -1.0;
    vec2 at = from.xy + meets * along.xy;
    bool within = all(greaterThan(at, vec2(0))) && all(lessThan(at, vec2(4)));
    if (within && meets > 0.0 && meets < far_) rayQueryGenerateIntersectionEXT(ray, meets);
  }
  distance = 64.0;
  if (rayQueryGetIntersectionTypeEXT(ray, true) == gl_RayQueryCommittedIntersectionNoneEXT) return kNobody;
  distance = rayQueryGetIntersectionTEXT(ray, true);
  return rayQueryGetIntersectionInstanceCustomIndexEXT(ray, true);
}

// Whether any box is between the place and the lamp. The ray is parallel to the sheets.
bool shaded(vec3 place) {
  rayQueryEXT ray;
  rayQueryInitializeEXT(ray, steps, gl_RayFlagsTerminateOnFirstHitEXT | gl_RayFlagsCullOpaqueEXT,
                        mask, place, 0.0, vec3(1, 0, 0), 32.0);
  while (rayQueryProceedEXT(ray)) {
    if (rayQueryGetIntersectionTypeEXT(ray, false) != gl_RayQueryCandidateIntersectionAABBEXT) continue;
    vec3 from = rayQueryGetIntersectionObjectRayOriginEXT(ray, false);
    bool beside = all(greaterThan(from.yz, vec2(0))) && all(lessThan(from.yz, vec2(4)));
    if (beside && from.x < 0.0) rayQueryGenerateIntersectionEXT(ray, -from.x);
  }
  return rayQueryGetIntersectionTypeEXT(ray, true) != gl_RayQueryCommittedIntersectionNoneEXT;
}

void main() {
  // Four pixels for each unit. No ray meets the edge of a sheet.
  vec2 at = floor(gl_FragCoord.xy);
  vec3 origin = vec3(at * 0.25 + vec2(0.125, 0.0625), 0.0);
  float depth, other;
  uint label = firstStep(origin, vec3(0, 0, 1), gl_RayFlagsNoneEXT, depth);
  uint leaning = firstStep(origin, lean, gl_RayFlagsCullBackFacingTrianglesEXT, other);
  uint light = 64u - uint(depth);
  if (label == kNobody) {
    light = 16u;
  } else if (shaded(origin + vec3(0, 0, depth + level))) {
    light /= 2u;
  }
  uint glint = leaning != label && leaning != kNobody ? leaning : 0u;
  colour = vec4(uvec4((label * 5u) & 255u, light * 3u, glint, 255u)) / 255.0;
}
