#version 120
// refused 1: #version 120 is too old for Vulkan; versions 310 es and later, and 330 and later, are supported
void main() {
  gl_FragColor = vec4(1.0);
}
