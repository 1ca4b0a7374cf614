#version 450
// SPDX-License-Identifier: Apache-2.0
// Draws cloth from the crossings that a loom made: which thread lies on top, round as a thread
// is, with the twist of its fibres as slanted lines, darker where it dives under its neighbour;
// longer floats shine more. Ends that a draft doubles by mistake get a stitch across. Half a
// cell belongs to the crossing at its upper end, the other half to the one beside it.
//
// Exact: what is interpolated lies half an eighth of a cell away from where it is rounded; all
// else is integers. Colours are k * (1/255) for integers k from 0 to 255.
layout(location = 0) flat in int crossing;
layout(location = 1) flat in ivec2 yarn;
layout(location = 2) in vec2 weave;
layout(location = 0) out vec4 color;

layout(std140, set = 0, binding = 1) uniform Light {
  ivec4 profile[2];  // brightness across a thread, in sixteenths
  ivec4 twist;       // slant of warp and of weft, how much a line takes, shine
  ivec3 ground;
  float opaque;  // 1.0
} light;

struct Thread {
  ivec3 rgb;
  ivec2 at;  // across and along it, 0 to 7
  int slant;
  int shine;
};

ivec3 Levels(int rgb) { return ivec3(rgb >> 16, rgb >> 8, rgb) & 255; }

int Across(int at) {
  ivec4 half_profile = light.profile[at >> 2];
  int index = at & 3;
  if (index == 0) return half_profile.x;
  if (index == 1) return half_profile.y;
  return index == 2 ? half_profile.z : half_profile.w;
}

// Lines of fibres: every fourth, moved on by the slant from step to step.
bool OnFibre(Thread thread) {
  int line = thread.at.x;
  for (int step = 0; step < thread.at.y; ++step) {
    line += thread.slant;
    if (line >= 8) line -= 8;
  }
  return (line & 3) == 0;
}

// Near the ends of a short float the thread bends down.
int Bend(int along, int length) {
  int reach = length > 4 ? 1 : length > 2 ? 2 : 3;
  int edge = min(along, 7 - along);
  return edge >= reach ? 0 : (reach - edge) * 2;
}

ivec3 Shaded(Thread thread, int length) {
  int bright = Across(thread.at.x) - Bend(thread.at.y, length);
  if (bright < 2) bright = 2;
  ivec3 rgb = thread.rgb * bright / 16;
  if (OnFibre(thread)) rgb -= rgb * light.twist.z / 128;
  if (thread.at.x == 3 && bright > 11) rgb += (255 - rgb) * thread.shine / 128;
  return clamp(rgb, ivec3(0), ivec3(255));
}

bool InGap(ivec2 local, bool up) {
  bool corner = (local.x == 0 || local.x == 7) && (local.y == 0 || local.y == 7);
  return corner || (up ? local.x : local.y) == 7;
}

void main() {
  ivec2 at = ivec2(floor(weave));
  ivec2 local = at & 7;
  bool up = (crossing & 1) != 0;
  int length = (crossing >> 1) & 7;
  Thread thread;
  thread.rgb = Levels(up ? yarn.x : yarn.y);
  thread.at = up ? local : local.yx;
  thread.slant = up ? light.twist.x : light.twist.y;
  thread.shine = light.twist.w * length / 4;
  ivec3 rgb = Shaded(thread, length);
  if (InGap(local, up)) {
    ivec3 under = Levels(up ? yarn.y : yarn.x);
    rgb = (under + 3 * light.ground) / 4;
  } else if ((crossing & 16) != 0 && local.x == 7 - local.y) {
    rgb = 255 - rgb;
  }
  if ((crossing & 32) != 0 && ((at.x >> 3) + (at.y >> 3)) % 3 == 0) rgb = rgb.yzx;
  color = vec4(vec3(rgb) * (1.0 / 255.0), light.opaque);
}
