#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Draws an hourglass at four times. Sand falls, or slides to the side where something is below it;
// it is poured in two colours by turns, which settle in layers. A row of 16 cells is a pair of
// words, one for where sand is and one for its dye, so a step moves all grains of a row at once.
// Where grains moved in the last step they are lighter.
//
// Stable: words and shifts by small constants only; the walls at both edges and at the bottom keep
// every grain inside. Colours are multiples of 1/15, which is 17/255, added up.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

layout(std140, set = 0, binding = 0) uniform Clock {
  uvec4 walls[4];  // 16 rows, the lowest bit at the left
  ivec4 times;     // steps that each picture has had
  uvec4 pour;      // where sand comes in; with dye; steps between changes; where it ends
  ivec2 cell;      // 2 pixels, 32 a picture
  uint one;
  uint none;
};
layout(std140, set = 0, binding = 1) uniform Look {
  // Of air, glass, sand, dyed sand; what is added where sand moved; and to shades of glass.
  vec4 tones[6];
};

const int kRows = 16;

struct Row {
  uint sand;
  uint dye;
};

Row rows[kRows];

uint Wall(int y) { return walls[y >> 2][y & 3]; }

// The grains of `upper` that drop into `under` or slide, to the left or to the right; what moved.
uint Settle(inout Row upper, inout Row under, int y, bool to_left) {
  uint taken = under.sand | Wall(y + 1);
  uint falling = upper.sand & ~taken;
  uint staying = upper.sand ^ falling;
  uint dyed = upper.dye & falling;
  taken |= falling;
  // A slide passes the cell beside it, so that one must be free as well as the one below that.
  uint beside = upper.sand | Wall(y) | taken;
  uint sliding;
  if (to_left) {
    sliding = staying & ~(beside << 1);
    under.sand |= sliding >> 1;
    under.dye |= (upper.dye & sliding) >> 1;
  } else {
    sliding = staying & ~(beside >> 1);
    under.sand |= sliding << 1;
    under.dye |= (upper.dye & sliding) << 1;
  }
  under.sand |= falling;
  under.dye |= dyed;
  upper.sand = staying ^ sliding;
  upper.dye &= upper.sand;
  return falling | sliding;
}

// A step from the bottom up. `seen` is what moved into the row that is asked for.
bool Step(int step, int asked, out uint seen) {
  uint any = none;
  seen = none;
  for (int y = kRows - 2; y >= 0; y--) {
    if (rows[y].sand == none) continue;
    bool to_left = ((step ^ y) & 1) == 0;
    uint before = rows[y + 1].sand;
    uint moved = Settle(rows[y], rows[y + 1], y, to_left);
    any |= moved;
    if (y + 1 == asked) seen = rows[y + 1].sand ^ before;
  }
  return any != none;
}

void Pour(int step) {
  uint phase = uint(step) / pour.z;
  if (phase >= pour.w) return;
  uint fresh = pour.x & ~rows[0].sand;
  if ((phase & one) == none) {
    rows[0].dye |= fresh;
  } else {
    fresh &= pour.y;
  }
  rows[0].sand |= fresh;
}

int Run(int steps, int asked, out uint seen) {
  int idle = 0;
  for (int i = 0; i < kRows; i++) rows[i] = Row(none, none);
  for (int step = 0; step < steps; step++) {
    Pour(step);
    if (Step(step, asked, seen)) continue;
    if (++idle >= 3) break;
  }
  return idle;
}

vec3 Glass(ivec2 at) {
  vec3 tone = tones[1].rgb;
  for (int side = -1; side <= 1; side += 2) {
    int x = at.x + side;
    if (x < 0 || x >= kRows) continue;
    if ((Wall(at.y) >> uint(x) & one) == none) tone += tones[5].rgb * float(side + 2);
  }
  return tone;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 picture = pixel / cell.y;
  ivec2 at = (pixel - picture * cell.y) / cell.x;
  uint seen;
  int idle = Run(times[picture.x + 2 * picture.y], at.y, seen);

  uint bit = one << uint(at.x);
  vec3 tone = tones[0].rgb * float(1 + (at.y >> 2));
  if ((Wall(at.y) & bit) != none) {
    tone = Glass(at) + tones[5].brg * float(idle);
  } else if ((rows[at.y].sand & bit) != none) {
    tone = (rows[at.y].dye & bit) != none ? tones[3].rgb : tones[2].rgb;
    if ((seen & bit) != none) tone += tones[4].rgb;
  }
  // A grain has a darker lower edge.
  if ((pixel.y & 1) == 1) tone.rg -= tones[5].gb;
  color = vec4(tone, 1.0);
}
