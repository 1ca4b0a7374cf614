#version 400 core

// Boxes of a plain uniform of structs with arrays and a matrix inside.
struct Look {
  vec4 colour;
  int frame;
};
struct Box {
  ivec2 corner;
  ivec2 size;
  Look look[2];
};
uniform Box boxes[3];
uniform mat2 turn;
uniform Look sky;

out vec4 colour;

bool Inside(Box box, ivec2 at) {
  ivec2 from = at - box.corner;
  return from.x >= 0 && from.y >= 0 && from.x < box.size.x && from.y < box.size.y;
}

bool OnFrame(Box box, ivec2 at, int width) {
  Box inner = box;
  inner.corner += ivec2(width);
  inner.size -= ivec2(2 * width);
  return Inside(box, at) && !Inside(inner, at);
}

void main() {
  ivec2 at = ivec2(turn * vec2(ivec2(gl_FragCoord.xy)));
  Look found = sky;
  for (int i = 0; i < 3; ++i) {
    if (!Inside(boxes[i], at)) continue;
    found = boxes[i].look[OnFrame(boxes[i], at, boxes[i].look[0].frame) ? 1 : 0];
  }
  colour = found.colour;
}
