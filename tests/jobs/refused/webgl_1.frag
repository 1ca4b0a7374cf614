// refused 4: #version 100 is too old for Vulkan; versions 310 es and later, and 330 and later, are supported
// OpenGL ES 2.

#version 100
precision mediump float;
varying vec2 uv;
void main() {
  gl_FragColor = vec4(uv, 0.0, 1.0);
}
