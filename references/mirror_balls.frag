#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Draws five balls over a chequered floor by tracing rays: where a mirror is hit the ray goes on,
// at most twice; what it meets in the end is painted in five shades by the light that falls on it,
// and the floor is darker in the balls' shadows. Every mirror on the way tints the picture.
//
// Stable: roots, quotients and lengths are off by a few units in the last place, which moves an
// edge by a thousandth of a pixel at most, but for the rims of the mirrors: there a few pixels may
// change. Between edges every shade is one colour, a sum of multiples of 1/85, which is 3/255.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

struct Ball {
  vec4 sphere;  // middle, radius
  ivec4 skin;   // tone, and 1: a mirror
};

layout(std140, set = 0, binding = 0) uniform Scene {
  Ball balls[5];
  vec4 light;        // where it comes from; how far a ray starts off what it left
  vec4 eye;          // where it is; how far the picture is from it
  vec2 floor_at;     // height, size of its squares
  ivec4 grounds[3];  // two sorts of squares, sky
  float haze;        // -0.06: rays less steep than that end in the sky
  int count;
  int bounces;
  int zero;
  int one;
};

const float kNothing = 1000.0;
const int kSky = -2;
const int kFloor = -1;

struct Ray {
  vec3 from;
  vec3 along;  // of length 1
};

struct Hit {
  float far;
  int what;  // a ball's number, kFloor, kSky
};

// The nearer crossing in front of the ray's start, or kNothing.
float BallCrossing(Ray ray, vec4 sphere) {
  vec3 to_middle = sphere.xyz - ray.from;
  float nearest = dot(to_middle, ray.along);
  if (nearest <= 0.0) return kNothing;
  float beside = dot(to_middle, to_middle) - nearest * nearest;
  float inside = sphere.w * sphere.w - beside;
  if (inside < 0.0) return kNothing;
  float far = nearest - sqrt(inside);
  return far > light.w ? far : kNothing;
}

Hit Trace(Ray ray) {
  Hit hit = Hit(kNothing, kSky);
  if (ray.along.y < haze) hit = Hit((floor_at.x - ray.from.y) / ray.along.y, kFloor);
  for (int i = zero; i < count; i += one) {
    float far = BallCrossing(ray, balls[i].sphere);
    if (far >= hit.far) continue;
    hit.far = far;
    hit.what = i;
  }
  return hit;
}

bool InShadow(vec3 place) {
  Ray ray = Ray(place, normalize(light.xyz));
  for (int i = zero; i < count; i += one) {
    if (BallCrossing(ray, balls[i].sphere) < kNothing) return true;
  }
  return false;
}

int Shade(vec3 normal) {
  float bright = dot(normal, normalize(light.xyz));
  int shade = one;
  for (float bound = 0.0937; bound < bright; bound += 0.2313) shade += one;
  return shade;
}

ivec3 FloorTone(vec3 place) {
  ivec2 square = ivec2(floor(place.xz / floor_at.y));
  ivec3 tone = grounds[(square.x ^ square.y) & 1].xyz;
  // Squares that are far away fade.
  int away = square.y >> 1;
  if (away > 0) tone -= tone * min(away, 6) / 9;
  return InShadow(place) ? tone / 2 : tone;
}

ivec3 SkyTone(vec3 along) {
  int height = int(along.y * 11.3);
  return grounds[2].xyz - ivec3(5, 3, 1) * height;
}

ivec3 Look(Ray ray) {
  ivec3 tint = ivec3(zero);
  ivec3 tone = tint;
  for (int bounce = zero; bounce <= bounces; bounce += one) {
    Hit hit = Trace(ray);
    vec3 place = ray.from + ray.along * hit.far;
    switch (hit.what) {
      case kSky:
        return SkyTone(ray.along) + tint;
      case kFloor:
        return FloorTone(place) + tint;
      default:
        break;
    }
    vec4 sphere = balls[hit.what].sphere;
    ivec4 skin = balls[hit.what].skin;
    vec3 normal = (place - sphere.xyz) / sphere.w;
    tone = skin.xyz * Shade(normal) / 2;
    if (skin.w != one) break;
    tint += skin.xyz / 4;
    ray = Ray(place, reflect(ray.along, normal));
  }
  return tone + tint;
}

void main() {
  vec2 at = (gl_FragCoord.xy - 48.37) * vec2(1.0, -1.0);
  Ray ray = Ray(eye.xyz, normalize(vec3(at, eye.w)));
  color = vec4(vec3(Look(ray)) * (1.0 / 85.0), 1.0);
}
