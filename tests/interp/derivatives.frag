#version 460
// Derivatives of what is linear in a quad, and fine ones of what is not.
layout(location = 0) out vec4 colour;
void main() {
  vec2 p = gl_FragCoord.xy;
  float kinked = abs(p.x - 8.0) + floor(p.y * 0.5);
  vec4 fine = vec4(dFdxFine(p.x * p.y), dFdyFine(p.x * p.y), 0.0, 0.0);
  colour = vec4(dFdx(kinked) + 1.5, dFdy(3.0 * p.y), fwidth(p.x - 2.0 * p.y), fine.x + fine.y) * 0.015625;
}
