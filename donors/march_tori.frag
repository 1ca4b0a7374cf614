#version 460
// SPDX-License-Identifier: Apache-2.0
// A torus as an implicit surface: its field and gradient, the coefficients of the quartic along a
// ray in an array, a search for changes of sign, and the secant method with a switch over what went
// wrong.
layout(location = 0) in vec3 eye;
layout(location = 1) in vec3 ray;
layout(location = 0) out vec4 color;
layout(push_constant) uniform Shape {
  vec2 radii;
  int parts;
} shape;

struct Hit {
  vec3 at;
  float along;
  bool found;
};

float field(vec3 p, vec2 radii) {
  float k = dot(p, p) + radii.x * radii.x - radii.y * radii.y;
  return k * k - 4.0 * radii.x * radii.x * dot(p.xz, p.xz);
}

vec3 gradient(vec3 p, float major, float minor) {
  float k = 4.0 * (dot(p, p) + major * major - minor * minor);
  vec3 g = p * k;
  g.xz -= 8.0 * major * major * p.xz;
  return g;
}

void quartic(vec3 o, vec3 d, vec2 radii, out float c[5]) {
  float od = dot(o, d), oo = dot(o, o), dd = dot(d, d);
  float k = oo + radii.x * radii.x - radii.y * radii.y;
  float r4 = 4.0 * radii.x * radii.x;
  c[4] = dd * dd;
  c[3] = 4.0 * dd * od;
  c[2] = 2.0 * dd * k + 4.0 * od * od - r4 * dot(d.xz, d.xz);
  c[1] = 4.0 * od * k - 2.0 * r4 * dot(o.xz, d.xz);
  c[0] = k * k - r4 * dot(o.xz, o.xz);
}

float evaluate(float c[5], float x, inout float slope) {
  float value = c[4];
  slope = 0.0;
  for (int i = 3; i >= 0; --i) {
    slope = slope * x + value;
    value = value * x + c[i];
  }
  return value;
}

// How often the quartic changes its sign on the way, and where it does so first.
int sign_changes(float c[5], float step_size, out float first) {
  int changes = 0;
  bool below = c[0] < 0.0;
  first = -1.0;
  for (int i = 1; i <= 32; ++i) {
    float x = float(i) * step_size;
    float value = (((c[4] * x + c[3]) * x + c[2]) * x + c[1]) * x + c[0];
    bool now_below = value < 0.0;
    if (now_below == below) continue;
    below = now_below;
    if (changes++ == 0) first = x;
    if (changes == 4) break;
  }
  return changes;
}

Hit refine(float c[5], vec3 o, vec3 d, float a, float b) {
  Hit hit = Hit(o, 0.0, false);
  float slope;
  float fa = evaluate(c, a, slope), fb = evaluate(c, b, slope);
  for (int i = 0; i < 16; ++i) {
    int trouble = (fa == fb ? 1 : 0) | (abs(b) > 100.0 ? 2 : 0) | (abs(fb) < 0.0001 ? 4 : 0);
    switch (trouble) {
      case 4:
      case 5:
        hit.found = true;
      case 1:
        hit.along = b;
        hit.at = o + d * b;
        return hit;
      case 0:
        break;
      default:
        return hit;
    }
    float next = b - fb * (b - a) / (fb - fa);
    a = b;
    fa = fb;
    b = next;
    fb = evaluate(c, b, slope);
  }
  return hit;
}

void main() {
  float c[5];
  float first;
  quartic(eye, ray, shape.radii, c);
  int changes = sign_changes(c, 0.25, first);
  Hit hit = refine(c, eye, ray, first - 0.25, first);
  vec3 normal = gradient(hit.at, shape.radii.x, shape.radii.y);
  color = hit.found ? vec4(normal, hit.along) : vec4(float(changes & shape.parts));
  color.w += field(eye, shape.radii);
}
