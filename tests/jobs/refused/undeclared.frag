// refused 9: 'rseolution' : undeclared identifier
/* In a shader whose version is
   replaced, lines keep their numbers. */
#version 300 es
precision highp float;
uniform vec2 resolution;
out vec4 _GLF_color;
void main() {
  _GLF_color = vec4(rseolution, 0.0, 1.0);
}
