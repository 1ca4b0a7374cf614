#version 330

// Two textures, given by name and without a binding, mixed by a third of integers.
uniform sampler2D base;
uniform sampler2D detail;
uniform isampler2D choice;
uniform ivec2 shift;

out vec4 fragment_colour;

vec4 Fetch(sampler2D from, ivec2 at) {
  ivec2 size = textureSize(from, 0);
  return texelFetch(from, ivec2(at.x % size.x, at.y % size.y), 0);
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int which = texelFetch(choice, at / 8, 0).x;
  if (which == 0) {
    fragment_colour = Fetch(base, at);
  } else if (which < 0) {
    fragment_colour = Fetch(detail, at + shift).bgra;
  } else {
    fragment_colour = vec4(Fetch(base, at + shift).rg, Fetch(detail, at).r, 1.0);
  }
}
