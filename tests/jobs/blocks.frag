#version 460 core

// Uniform blocks with a binding and without, with an instance's name and without, and plain
// uniforms besides. The one at binding 1 has its values by binding.
layout(std140, binding = 1) uniform Given {
  ivec4 first;
  ivec4 second;
};
layout(std140) uniform Settings {
  int scale;
  vec3 tint;
  int table[3];
} settings;
uniform Extra {
  uint bits;
};
uniform int plain;
uniform bool dim;

layout(location = 0) out vec4 colour;

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy) * settings.scale;
  int value = at.x * first.x + at.y * second.y + settings.table[at.x % 3] + plain;
  bool set = (bits >> uint(value & 31) & 1u) == 1u;
  vec3 lit = set ? settings.tint : settings.tint.zxy;
  colour = vec4(dim ? lit * 0.5 : lit, float(first.w));
}
