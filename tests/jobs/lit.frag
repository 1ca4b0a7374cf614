#version 300 es
precision highp float;
precision highp int;

// Lit by two lamps; what comes from lit.vert has no locations. Fuzzed, not run.
in vec2 uv;
in vec3 facing;
flat in int side;
uniform sampler2D skin;
uniform vec3 lamps[2];
out vec4 lit;

void main() {
  vec3 normal = normalize(facing);
  float light = 0.1;
  for (int i = 0; i < 2; i++) {
    light += max(dot(normal, normalize(lamps[i])), 0.0);
  }
  vec4 base = texture(skin, uv);
  if (side == 1) base = base.bgra;
  lit = vec4(base.rgb * min(light, 1.0), base.a);
}
