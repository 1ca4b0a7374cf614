#version 300 es
precision highp float;
precision highp int;

/* Arrays of uniforms, one of them of vectors, looked up by computed indices. */
uniform int heights[8];
uniform vec3 palette[4];
uniform ivec2 walk[5];
uniform float cut;

out vec4 _GLF_color;

int Height(int column) {
  return heights[column & 7];
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  for (int i = 0; i < walk.length(); i++) {
    if (at.y > Height(at.x)) {
      at += walk[i];
    } else {
      at = at.yx;
    }
  }
  int colour = abs(at.x * 3 + at.y) % palette.length();
  vec3 shade = palette[colour];
  if (shade.r > cut) {
    shade = shade.brg;
  }
  _GLF_color = vec4(shade, 1.0);
}
