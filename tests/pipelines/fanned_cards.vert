#version 450

// A fan without indices, which has corners of all signs and w other than 1.
layout(location = 2) in vec4 place;
layout(location = 0) in int suit;
layout(location = 0) flat out int card;
layout(location = 1) out vec2 worn;

void main() {
  gl_Position = place;
  card = suit * 16 + gl_VertexIndex;
  worn = place.xy;
}
