#version 460
// Samplers with coordinates in texels: places in, at and outside of images, of floats and of integers, with
// both filters, and gathers. With a linear filter, only centres and equal texels are exact.
layout(binding = 0) buffer Data { uvec4 data[64]; };
layout(binding = 1) uniform sampler2D clamped;
layout(binding = 2) uniform sampler2D bordered;
layout(binding = 3) uniform isampler2D whole;
layout(binding = 4) uniform sampler1D line;
layout(binding = 5) uniform sampler2D filtered;
const vec2 kPlaces[8] = vec2[8](vec2(0.5), vec2(4.5, 1.5), vec2(-3.25, 0.75), vec2(5.5, 2.5), vec2(2.75, -9.0),
                                vec2(1.25, 7.5), vec2(3.5, 0.5), vec2(-0.5, 3.5));
void main() {
  for (int i = 0; i < 8; ++i) {
    data[i] = floatBitsToUint(textureLod(clamped, kPlaces[i], 0.0));
    data[8 + i] = floatBitsToUint(textureLod(bordered, kPlaces[i], 0.0));
    data[16 + i] = uvec4(textureLod(whole, kPlaces[i], 0.0));
    data[24 + i] = floatBitsToUint(textureLod(line, kPlaces[i].x, 0.0));
    data[32 + i] = floatBitsToUint(textureLod(filtered, kPlaces[i], 0.0));
    data[40 + i] = floatBitsToUint(textureGather(clamped, kPlaces[i] + 0.5, 1));
    data[48 + i] = floatBitsToUint(textureGather(bordered, kPlaces[i] + vec2(0.25, 0.5), 0));
    data[56 + i] = floatBitsToUint(textureGrad(filtered, kPlaces[i], vec2(0.0), vec2(0.0)));
  }
}
