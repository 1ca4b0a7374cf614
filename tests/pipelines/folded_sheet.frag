#version 450

layout(location = 0) in vec4 tint;
layout(location = 1) flat in int row;
layout(location = 0) out vec4 colour;
layout(constant_id = 3) const int fold = 1;
layout(constant_id = 4) const float brightness = 0.5;
layout(binding = 0) uniform sampler2D cloth;
layout(binding = 1) uniform Both { vec4 weights; int parts; };
layout(binding = 2) uniform Own { uint mask; };

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  if ((uint(at.x ^ at.y) & mask) == 3u) discard;
  vec4 texel = texelFetch(cloth, at & 15, 0);
  vec4 side = gl_FrontFacing ? tint : weights.wzyx;
  colour = vec4(float(row * parts) / 255.0, fold == 1 ? side.y : 0.0, texel.g, brightness);
}
