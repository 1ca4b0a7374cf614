#version 330 core
#extension GL_ARB_shader_bit_encoding : enable
#extension GL_ARB_gpu_shader5 : enable

// Loops written with macros; what a driver's #ifdef leaves out must not be missed.
#ifdef GL_ES
precision highp float;
#endif
#define LOOP(i, n) for (int i = 0; i < (n); ++i)
#define LEVEL(n) (float(n) * (1.0 / 255.0))
#ifndef ROUNDS
#define ROUNDS 6
#endif

uniform int rule;
uniform int first;
out vec4 outputColor;

// One generation of an elementary automaton on 32 cells in a ring.
int Step(int cells) {
  int next = 0;
  LOOP(i, 32) {
    int left = cells >> ((i + 1) & 31) & 1;
    int self = cells >> i & 1;
    int right = cells >> ((i + 31) & 31) & 1;
    next |= (rule >> (left * 4 + self * 2 + right) & 1) << i;
  }
  return next;
}

void main() {
  int cells = first;
  LOOP(i, ROUNDS) {
    if (i > int(gl_FragCoord.y)) break;
    cells = Step(cells);
  }
  int cell = cells >> (int(gl_FragCoord.x) & 31) & 1;
  outputColor = vec4(LEVEL(cell * 255), LEVEL(255 - cell * 200), LEVEL(cells & 127), 1.0);
}
