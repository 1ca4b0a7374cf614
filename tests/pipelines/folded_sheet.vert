#version 450

// The right half is folded over the left one and shows its back; a texture, a block and a
// specialisation constant are of both shaders.
layout(location = 0) in vec4 place;
layout(location = 0) out vec4 tint;
layout(location = 1) flat out int row;
layout(constant_id = 3) const int fold = 1;
layout(binding = 0) uniform sampler2D cloth;
layout(binding = 1) uniform Both { vec4 weights; int parts; };

vec2 Folded(vec2 at) {
  return fold == 1 && at.x > 0.0 ? vec2(-at.x * 0.5, at.y) : at;
}

void main() {
  vec2 at = Folded(place.xy);
  gl_Position = vec4(at, place.z, place.w);
  row = int(textureLod(cloth, vec2(0.03125, place.y * 0.25 + 0.5), 0.0).g * 255.0 + 0.5) / parts;
  tint = weights;
}
