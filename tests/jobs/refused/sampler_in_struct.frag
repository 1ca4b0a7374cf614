#version 330
// refused 7: 'skin' contains a sampler or an image; in Vulkan, these must be separate variables
struct Skin {
  vec4 tint;
  sampler2D image;
};
uniform Skin skin;
out vec4 colour;
void main() {
  colour = texture(skin.image, gl_FragCoord.xy) * skin.tint;
}
