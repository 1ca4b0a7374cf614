// refused 3: there is no #version line, so the version is 100 or 110; versions 310 es and later, and 330 and later, are supported

precision mediump float;
void main() {
  gl_FragColor = vec4(1.0);
}
