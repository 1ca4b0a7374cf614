#version 460
#extension GL_EXT_ray_tracing : require
// SPDX-License-Identifier: Apache-2.0
// What a step answers to the calls of echo_survey.rgen: its label, the distance, and notes on the
// place where it was met, by sheets with their three corners and by boxes with their side.
struct Echo {
  uint label;
  float distance;
  uvec2 notes;
};
layout(location = 0) rayPayloadInEXT Echo echo;
hitAttributeEXT vec2 across;

uint noteOf(vec2 part) {
  uint note = 0u;
  for (uint i = 0u; i < 2u; ++i) {
    // Quarters of the side.
    uint quarter = uint(part[i] * 4.0);
    note = note * 4u + min(quarter, 3u);
  }
  return note;
}

void main() {
  bool sheet = (gl_InstanceID & 1) == 0;
  echo.label = uint(gl_InstanceCustomIndexEXT);
  echo.distance = gl_HitTEXT;
  echo.notes.x = echo.notes.x * 16u + noteOf(across);
  echo.notes.y = uint(gl_GeometryIndexEXT) * 4u + uint(gl_PrimitiveID);
  if (sheet) echo.notes.y += gl_HitKindEXT == gl_HitKindFrontFacingTriangleEXT ? 16u : 32u;
  vec3 outward = gl_ObjectToWorldEXT * vec4(0, 0, 1, 0);
  if (outward.z > 1.0) echo.notes.y += 64u;
}
