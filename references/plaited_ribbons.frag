#version 450
// SPDX-License-Identifier: Apache-2.0
// Plaits the ribbons: which of two goes over the other is a bit of a draft, and the one below gets
// the greater depth. Between crossings, a ribbon sinks and rises step by step. Threads at both ends
// are loose, so that some of their pixels are discarded and show what lies below.
//
// Exact: integers throughout. Depths are k / 64 for integers k from 8 to 48.
layout(location = 0) flat in ivec4 ribbon;
layout(location = 1) flat in ivec3 ends;
layout(location = 0) out vec4 color;

layout(std140, set = 0, binding = 1) uniform Draft {
  ivec4 rows[2];   // a bit for each crossing, one number for each ribbon from left to right
  ivec4 dyes[2];   // colours of the ribbons each way
  ivec4 threads;   // pixels between threads, loose pixels, pixels of a slope, steps of a slope
} draft;

ivec3 Levels(int rgb) { return ivec3(rgb >> 16, rgb >> 8, rgb) & 255; }

// Whether the ribbon from top to bottom is above at this crossing.
bool DownIsOver(int row, int column) {
  return (draft.rows[row / 4 & 1][row & 3] >> (column & 15) & 1) != 0;
}

bool IsOver(int other) {
  bool down = ribbon.y == 0 ? DownIsOver(ribbon.x, other) : DownIsOver(other, ribbon.x);
  return down == (ribbon.y == 1);
}

// How far the ribbon has sunk at this pixel along it: 0 above, 32 below.
int SunkAt(int along) {
  int cell = along / 8;
  int here = IsOver(cell) ? 0 : 32;
  int next = IsOver(cell + 1) ? 0 : 32;
  int before = IsOver(max(cell - 1, 0)) ? 0 : 32;
  int at = along & 7;
  if (at < draft.threads.z) return here + (before - here) * (draft.threads.z - at) / draft.threads.w;
  if (at >= 8 - draft.threads.z) {
    return here + (next - here) * (at - 7 + draft.threads.z) / draft.threads.w;
  }
  return here;
}

bool IsLoose(int along, int across) {
  int from_end = min(along - ends.x, ends.y - 1 - along);
  if (from_end >= draft.threads.y) return false;
  int thread = across / draft.threads.x;
  return (thread * 5 + from_end * 3 + ribbon.x & 3) < 2;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  int along = ribbon.y == 0 ? pixel.x : pixel.y;
  int across = (ribbon.y == 0 ? pixel.y : pixel.x) - ribbon.z;
  if (IsLoose(along, across)) discard;
  int sunk = SunkAt(along);
  ivec3 rgb = Levels(draft.dyes[ribbon.y][ends.z]);
  if (across / draft.threads.x * draft.threads.x == across) rgb = rgb * 3 / 4;
  rgb -= rgb * sunk / 96;
  int edge = min(across, ribbon.w - 1 - across);
  if (edge == 0) rgb = rgb / 2;
  gl_FragDepth = float(8 + sunk + edge + ribbon.y) * (1.0 / 64.0);
  color = vec4(vec3(rgb) * (1.0 / 255.0), 1.0);
}
