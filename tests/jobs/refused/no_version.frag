// refused 3: no #version before this, which makes it version 100 or 110; versions 310 es and later, and 330 and later, are read

precision mediump float;
void main() {
  gl_FragColor = vec4(1.0);
}
