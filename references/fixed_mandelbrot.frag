#version 450
// SPDX-License-Identifier: Apache-2.0
// Draws the Mandelbrot set in fixed-point integers, a Julia set in a framed corner, and inside both
// sets a shading by how near the orbit came to the imaginary axis. The uniforms are plain ones, as
// OpenGL has them: they are gathered into one block.
//
// Stable: numbers have 12 bits after the point; an orbit is left once it is outside the circle of
// radius 2, so no product exceeds 2^30; shifts right of negative numbers are arithmetic and round
// the same way everywhere. Colours are k * (1/255) for integers k from 0 to 255.
layout(location = 0) out vec4 color;

uniform int limit;      // 20: iterations
uniform int zero;       // 0
uniform int one;        // 1
uniform ivec2 julia;    // constant of the Julia set
uniform int corner;     // 88: side of the Julia set's picture
uniform uint tint;      // 2: where the palette starts
uniform float opaque;   // 1.0

const int kPoint = 12;
const int kFour = 4 << kPoint;

struct Complex {
  int re;
  int im;
};

struct Orbit {
  int steps;      // until it left the circle, or limit
  int nearest;    // to the imaginary axis
  bool escaped;
};

Complex SquarePlus(Complex z, Complex c) {
  int re = ((z.re * z.re) >> kPoint) - ((z.im * z.im) >> kPoint);
  int im = (z.re * z.im) >> (kPoint - 1);
  return Complex(re + c.re, im + c.im);
}

int Norm(Complex z) { return ((z.re * z.re) >> kPoint) + ((z.im * z.im) >> kPoint); }

Orbit Follow(Complex z, Complex c) {
  Orbit orbit = Orbit(zero, kFour, false);
  for (int i = zero; i < limit; i += one) {
    if (Norm(z) > kFour) {
      orbit.escaped = true;
      break;
    }
    int distance = z.re < 0 ? -z.re : z.re;
    if (i > 0 && distance < orbit.nearest) orbit.nearest = distance;
    z = SquarePlus(z, c);
    orbit.steps += one;
  }
  return orbit;
}

// Eight bands; the lowest bits of the band mix three ramps.
int Band(int steps) {
  int level = 24 + 7 * steps;
  int rgb = 0;
  switch ((steps + int(tint)) & 7) {
    case 0:
      rgb = level << 16;
      break;
    case 1:
      rgb |= (level / 2) << 16;
      // falls through
    case 2:
      rgb |= level << 8;
      // falls through
    case 3:
      rgb |= 0x000060;
      break;
    case 4:
      rgb = (level << 8) | (255 - level);
      break;
    case 5:
      rgb = 0x804000;
      // falls through
    case 6:
      rgb += (level << 8) + level / 3;
      break;
    default:
      rgb = 0xd8d8b0;
      break;
  }
  return rgb;
}

int Inside(int nearest) {
  int depth = 0;
  while (nearest > 16 && depth < 6) {
    nearest >>= 1;
    depth++;
  }
  return 0x080410 + depth * 0x0c0418;
}

int Shade(Orbit orbit) { return orbit.escaped ? Band(orbit.steps) : Inside(orbit.nearest); }

vec4 Paint(int rgb) {
  ivec3 levels = ivec3(rgb >> 16, rgb >> 8, rgb) & 255;
  return vec4(vec3(levels) * (1.0 / 255.0), opaque);
}

void main() {
  int x = int(gl_FragCoord.x);
  int y = int(gl_FragCoord.y);
  int corner_y = y - (256 - corner);
  int rgb = zero;
  if (x < corner && corner_y >= zero) {
    Complex z = Complex(x * 144 - corner * 72, corner_y * 144 - corner * 72);
    rgb = Shade(Follow(z, Complex(julia.x, julia.y)));
    if (x == corner - one || corner_y == zero) rgb = 0xffffff;
  } else {
    Complex c = Complex(x * 42 - 8704, y * 42 - 5376);
    rgb = Shade(Follow(Complex(zero, zero), c));
  }
  color = Paint(rgb);
}
