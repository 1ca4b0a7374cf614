#version 310 es
precision highp float;
precision highp int;

// Ten numbers sorted by swapping neighbours; columns show them before and after.
layout(location = 0) out vec4 _GLF_color;

uniform vec2 injectionSwitch;
uniform vec2 resolution;

const int kCount = 10;
int data[kCount];

void Fill(int seed) {
  for (int i = 0; i < kCount; i++) {
    data[i] = (seed * (i + 3) * 7 + i * i) % 23;
  }
}

void Exchange(int i) {
  int kept = data[i];
  data[i] = data[i + 1];
  data[i + 1] = kept;
}

bool Pass(int end) {
  bool moved = false;
  for (int i = 0; i < kCount - 1; i++) {
    if (i >= end) break;
    if (data[i] > data[i + 1]) {
      Exchange(i);
      moved = true;
    }
  }
  return moved;
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  Fill(at.y + 1);
  if (at.x >= int(resolution.x) / 2) {
    int end = kCount - 1;
    while (Pass(end)) {
      if (injectionSwitch.x > injectionSwitch.y) {
        discard;
      }
      end--;
    }
  }
  int value = data[at.x % kCount];
  _GLF_color = vec4(vec3(float(value * 11)) * (1.0 / 255.0), injectionSwitch.y);
}
