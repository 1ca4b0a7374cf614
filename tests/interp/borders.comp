#version 460
// What samples and gathers read outside of images of floats and of integers: all three colours, and components
// that a format lacks.
layout(binding = 0) buffer Data { uvec4 data[30]; };
layout(binding = 1) uniform sampler2D transparent;
layout(binding = 2) uniform sampler2D black;
layout(binding = 3) uniform sampler2D white;
layout(binding = 4) uniform sampler2D white_red;
layout(binding = 5) uniform sampler2D filtered;
layout(binding = 6) uniform isampler2D whole_transparent;
layout(binding = 7) uniform isampler2D whole_black;
layout(binding = 8) uniform isampler2D whole_white;
layout(binding = 9) uniform usampler2D whole_red;
layout(binding = 10) uniform usampler2D whole_black_red;
#define READ(place, image, bits) \
  data[place] = bits(textureLod(image, vec2(1.375, 0.25), 0.0)); \
  data[place + 1] = bits(textureGather(image, vec2(1.0, 0.5), 0)); \
  data[place + 2] = bits(textureGather(image, vec2(0.0, 1.0), 3));
void main() {
  READ(0, transparent, floatBitsToUint)
  READ(3, black, floatBitsToUint)
  READ(6, white, floatBitsToUint)
  READ(9, white_red, floatBitsToUint)
  READ(12, filtered, floatBitsToUint)
  READ(15, whole_transparent, uvec4)
  READ(18, whole_black, uvec4)
  READ(21, whole_white, uvec4)
  READ(24, whole_red, uvec4)
  READ(27, whole_black_red, uvec4)
}
