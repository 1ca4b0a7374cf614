#version 460
#extension GL_EXT_ray_tracing : require
// SPDX-License-Identifier: Apache-2.0
// The wind over the field of kite_field.rgen: a string that meets nothing goes through layers of air
// up to its end. Clouds decide which of them push, and where the air turns; what was gathered is the
// drift of the kite.
layout(binding = 3) uniform Weather { ivec4 wind[2]; };

const uint kSky = 254u;
const uint kLayers = 6u;

struct Kite {
  uint label;
  float height;
  ivec2 drift;
  uint gusts;
};
layout(location = 0) rayPayloadInEXT Kite kite;

uint clouds(uvec2 place, uint times) {
  uint number = place.x * 0x9e3779b9u ^ place.y * 0x85ebca6bu ^ times;
  number = (number ^ number >> 15) * 0x2c1b3c6du;
  return number ^ number >> 13;
}

// The sky over a place turns slowly to the right.
ivec2 turned(ivec2 push, uint quarters) {
  for (uint i = 0u; i < (quarters & 3u); ++i) push = ivec2(-push.y, push.x);
  return push;
}

void main() {
  uint sky = clouds(gl_LaunchIDEXT.xy, kite.gusts);
  bool past_sheets = (gl_IncomingRayFlagsEXT & gl_RayFlagsCullBackFacingTrianglesEXT) != 0u;
  ivec2 drift = ivec2(0);
  uint felt = 0u;
  for (uint layer = 0u; layer < kLayers; ++layer) {
    float level = gl_WorldRayOriginEXT.z + gl_RayTminEXT + 8.0 * float(layer);
    if (level > gl_RayTmaxEXT * gl_WorldRayDirectionEXT.z) break;
    uint cloud = sky >> 3u * layer & 7u;
    if (cloud == 0u) continue;
    ivec4 both = wind[layer & 1u];
    drift += turned(cloud > 4u ? both.xy : both.zw, cloud);
    felt |= 1u << layer;
  }
  if (past_sheets) drift = -drift.yx;
  if (drift == ivec2(0)) drift.x = 1 + int(sky >> 30);
  kite = Kite(kSky, gl_RayTmaxEXT, drift, felt + (past_sheets ? 64u : 0u));
}
