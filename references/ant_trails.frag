#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Draws the trails of Langton's ants, with more than two colours: four boards of 16 by 16 cells, on
// each two ants that take turns. An ant turns by its cell's colour, changes that colour and goes
// on. Every pixel replays its board's steps and keeps a diary of its own cell: the cell's colour
// gives the hue, visits the brightness, and an arrow shows where an ant stands in the end.
//
// Stable: a board is 16 words of sixteen two-bit cells; coordinates wrap, headings and colours are
// masked, so every shift is below 32. Levels of colours are bytes of a table, a little more or less
// by counts, and are divided by 255 at the end.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

struct Rule {
  uint turns;    // two bits for each colour: quarter turns to the right
  uint changes;  // two bits for each colour: the colour that follows
  int steps;
};

layout(push_constant) uniform Push {
  layout(offset = 0) ivec2 scale;    // 3 pixels a cell, 48 a board
  layout(offset = 8) int turn_back;  // every so many steps an ant that stands alone turns round
  layout(offset = 12) uint stripes;  // two bits for each of 16 columns
} push;

layout(std140, set = 0, binding = 0) uniform World {
  Rule rules[4];
  ivec4 starts[2];  // x, y, heading, what another board adds to them
  uvec4 tones;      // 0xBBGGRR by a cell's colour
  int one;
  int zero;
};

struct Ant {
  ivec2 at;
  uint heading;  // 0 up, 1 right, 2 down, 3 left
};

struct Diary {
  int visits;
  int latest;  // step of the last visit
  int visitor;
};

uint board[16];
Ant ants[2];

void Stripe(uint number) {
  for (int y = zero; y < 16; y++) {
    uint turned = uint(2 * ((y * int(number + 1u) >> 1) & 15));
    uint pushed_out = turned == 0u ? turned : push.stripes >> (32u - turned);
    board[y] = push.stripes << turned | pushed_out;
  }
}

uint CellOf(uint row, int x) { return row >> uint(2 * x) & 3u; }

void Advance(inout Ant ant) {
  switch (ant.heading & 3u) {
    case 0u:
      ant.at.y -= one;
      break;
    case 2u:
      ant.at.y += one;
      break;
    case 3u:
      ant.at.x -= 2;
      // falls through: two steps left and one right
    default:
      ant.at.x += one;
      break;
  }
  ant.at &= 15;
}

// What the ant does to the row it stands on, before it goes on.
void Work(inout Ant ant, inout uint row, Rule rule) {
  uint colour = CellOf(row, ant.at.x);
  uint follows = rule.changes >> (2u * colour) & 3u;
  row ^= (colour ^ follows) << uint(2 * ant.at.x);
  ant.heading += rule.turns >> (2u * colour);
  Advance(ant);
}

Diary Replay(Rule rule, ivec2 cell) {
  Diary diary = Diary(zero, zero, zero);
  int step = zero;
  int patience = push.turn_back;
  while (true) {
    int turn = step & one;
    if (ants[turn].at == cell) {
      diary.visits += one;
      diary.latest = step;
      diary.visitor = turn;
    }
    if (step >= rule.steps) break;
    step += one;
    Work(ants[turn], board[ants[turn].at.y], rule);
    if (ants[0].at == ants[1].at) {
      patience = push.turn_back;
      continue;
    }
    patience -= one;
    if (patience > zero) continue;
    ants[turn].heading += 2u;
    patience = push.turn_back + turn;
  }
  return diary;
}

// An arrow on 3 by 3 pixels: all but the two corners that the ant comes from.
bool OnArrow(ivec2 inner, uint heading) {
  ivec2 from_middle = inner - one;
  int ahead = from_middle.y;
  if ((heading & 1u) == 1u) ahead = -from_middle.x;
  if ((heading & 2u) == 2u) ahead = -ahead;
  return ahead != one || from_middle.x * from_middle.y == zero;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 panel = pixel / push.scale.y;
  ivec2 inside = pixel - panel * push.scale.y;
  ivec2 cell = inside / push.scale.x;
  int number = panel.x + 2 * panel.y;

  Stripe(uint(number));
  for (int i = zero; i < 2; i += one) {
    ivec4 start = starts[i];
    ants[i] = Ant(start.xy + start.w * panel, uint(start.z + number));
  }
  Diary diary = Replay(rules[number], cell);

  uint tone = tones[CellOf(board[cell.y], cell.x)];
  ivec3 levels = ivec3(uvec3(tone, tone >> 8u, tone >> 16u) & 255u);
  if (diary.visits > zero) {
    levels += ivec3(9, 5, -4) * diary.visits + diary.latest / 2;
    levels.y += 16 * diary.visitor;
  }
  for (int i = zero; i < 2; i += one) {
    if (ants[i].at != cell) continue;
    if (!OnArrow(inside - cell * push.scale.x, ants[i].heading)) break;
    levels = ivec3(250 - 200 * i, 240, 60 + 180 * i);
  }
  color = vec4(levels, 255) / 255.0;
}
