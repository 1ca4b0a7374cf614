#version 450
// SPDX-License-Identifier: Apache-2.0
// Plants by rewriting: a word of two-bit letters grows by rules, a turtle with a stack walks it,
// and every vertex takes the segment that belongs to it. Without floats but for the last step.
layout(location = 0) out vec3 bark;
layout(location = 1) flat out int depth_of;

const int kDeepest = 8;

struct Turtle {
  ivec2 place;
  int heading;
  int width;
};

struct Stack {
  Turtle kept[kDeepest];
  int height;
};

layout(set = 0, binding = 0) uniform Garden {
  uvec4 rules;
  uint seed_word;
  int rounds;
  ivec2 soil;
};

// Letters: 0 nothing, 1 forward, 2 turn and push, 3 pop and turn.
uint grow(uint word, uint rule, int cut) {
  uint grown = 0u;
  int used = 0;
  for (int i = 0; i < 16 && used < cut; ++i) {
    uint letter = word >> 30;
    word <<= 2;
    if (letter == 0u) {
      continue;
    }
    if (letter != 1u) {
      grown = grown << 2 | letter;
      ++used;
      continue;
    }
    uint rest = rule;
    do {
      grown = grown << 2 | (rest & 3u);
      rest >>= 2;
      ++used;
    } while (rest != 0u && used < cut);
  }
  return grown;
}

ivec2 step_of(int heading) {
  switch (heading & 7) {
    case 0:
      return ivec2(0, 10);
    case 1:
      return ivec2(7, 7);
    case 2:
      return ivec2(10, 0);
    case 3:
      return ivec2(7, -7);
    case 4:
      return ivec2(0, -10);
    case 5:
      return ivec2(-7, -7);
    case 6:
      return ivec2(-10, 0);
  }
  return ivec2(-7, 7);
}

int open_brackets(uint word) {
  int open = 0;
  int most = 0;
  while (word != 0u) {
    switch (word & 3u) {
      case 2u:
        ++open;
        most = max(most, open);
        break;
      case 3u:
        if (open == 0) {
          return -1;
        }
        --open;
        break;
      default:
        break;
    }
    word >>= 2;
  }
  return open == 0 ? most : -most - 1;
}

int bend_in_wind(int heading, int width, ivec2 place) {
  int gust = (place.x * 5 + place.y * 3) & 31;
  if (gust > 24) {
    if (width < 4) {
      if ((place.x & 1) != 0) {
        return heading + 1;
      } else if (gust == 31) {
        return heading - 2;
      }
      return heading - 1;
    } else if (width < 6 && gust > 28) {
      return heading + 1;
    }
  }
  return heading;
}

bool push(inout Stack stack, Turtle turtle) {
  if (stack.height == kDeepest) {
    return false;
  }
  stack.kept[stack.height++] = turtle;
  return true;
}

Turtle pop(inout Stack stack, Turtle otherwise) {
  if (stack.height == 0) {
    return otherwise;
  }
  return stack.kept[--stack.height];
}

Turtle walk(uint word, int segment, out Stack stack) {
  Turtle turtle = Turtle(soil, 0, 9);
  stack.height = 0;
  int walked = 0;
  for (; word != 0u; word <<= 2) {
    switch (word >> 30) {
      case 1u:
        turtle.heading = bend_in_wind(turtle.heading, turtle.width, turtle.place);
        turtle.place += step_of(turtle.heading);
        if (walked++ == segment) {
          return turtle;
        }
        break;
      case 2u:
        if (push(stack, turtle)) {
          turtle.width = max(turtle.width - 2, 1);
        }
        turtle.heading += 1;
        break;
      case 3u:
        turtle = pop(stack, turtle);
        turtle.heading -= 1;
        break;
    }
  }
  return turtle;
}

void main() {
  uint word = seed_word;
  for (int i = 0; i < rounds; ++i) {
    word = grow(word, rules[(gl_InstanceIndex + i) & 3], 16);
  }
  Stack stack;
  Turtle turtle = walk(word, gl_VertexIndex >> 1, stack);
  depth_of = stack.height + open_brackets(word);
  bark = vec3(0.5, 0.25, float(turtle.width) * 0.0625);
  int side = (gl_VertexIndex & 1) == 0 ? -turtle.width : turtle.width;
  gl_Position = vec4((vec2(turtle.place) + vec2(side, 0)) * 0.015625, 0.0, 1.0);
}
