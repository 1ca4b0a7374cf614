#version 430

// A walk over a maze held in words, by many small functions with early returns.
uniform uint maze[8];
uniform ivec2 resolution;
out vec4 maze_colour;

bool Wall(ivec2 at) {
  if (at.x < 0 || at.y < 0) return true;
  if (at.x > 15 || at.y > 15) return true;
  uint word = maze[at.y >> 1];
  return bitfieldExtract(word, (at.y & 1) * 16 + at.x, 1) == 1u;
}

ivec2 Ahead(ivec2 at, int direction) {
  const ivec2 kSteps[4] = ivec2[](ivec2(1, 0), ivec2(0, 1), ivec2(-1, 0), ivec2(0, -1));
  return at + kSteps[direction & 3];
}

int Turn(ivec2 at, int direction) {
  if (!Wall(Ahead(at, direction + 1))) return direction + 1;
  if (!Wall(Ahead(at, direction))) return direction;
  if (!Wall(Ahead(at, direction + 3))) return direction + 3;
  return direction + 2;
}

int Walk(ivec2 at, int limit, out ivec2 end) {
  int direction = 0;
  end = at;
  for (int i = 0; i < limit; ++i) {
    direction = Turn(end, direction);
    ivec2 next = Ahead(end, direction);
    if (Wall(next)) return i;
    end = next;
    if (end == at) return i + 1;
  }
  return limit;
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  if (at.x >= resolution.x || Wall(at)) {
    maze_colour = vec4(0.0, 0.0, 0.0, 1.0);
    return;
  }
  ivec2 end;
  int steps = Walk(at, 24, end);
  maze_colour = vec4(vec3(steps * 10, end * 15) * (1.0 / 255.0), 1.0);
}
