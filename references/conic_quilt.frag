#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Draws a quilt of sixteen patches. Each shows one of four conics (ellipses, hyperbolas, a pair of
// lines, parabolas) as bands of its quadratic form, moved by a 3 by 3 matrix that is a word of two
// generators, spelt by the bits of the patch's number. The stitches follow a second map, from
// homogeneous points to the plane; a 4 by 4 matrix makes colours of value, gradient and determinant,
// and patches whose motion turns the plane over are darker.
//
// Stable: all floats are integers. Entries of the matrices are at most 3, those of a moved form a few
// hundred, and points at most 31 from a patch's middle, so no sum of products, in any order, gets to
// 2^24, and nothing is ever rounded. Levels are remainders of integers; colours are k * (1/255).
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

layout(std140, set = 0, binding = 0) uniform Quilt {
  mat3 turn;      // by a quarter about (2, 1)
  mat3 shear;     // and turned over
  mat4 dyes;
  mat3x2 stitch;
  vec3 lines[4];  // of which the conics are made
  vec3 axes;      // 3, 2, -300: an ellipse's form
  int patch_bits; // 5: a patch has 32 by 32 pixels
  float opaque;   // 1.0
} quilt;

struct Motion {
  mat3 map;     // determinant 1: turned, -1: turned over
  int letters;
};

struct Reading {
  float value;
  vec3 gradient;
};

mat3 Diagonal(vec3 entries) {
  mat3 result = mat3(0.0);
  for (int i = 0; i < 3; i++) result[i][i] = entries[i];
  return result;
}

mat3 Conic(int kind) {
  vec3 first = quilt.lines[kind];
  vec3 second = quilt.lines[(kind + 1) & 3];
  mat3 form = Diagonal(quilt.axes);
  switch (kind) {
    case 1:
      form[0] = -form[0];
      // falls through
    case 0:
      form += outerProduct(first, second);
      break;
    case 2:
      form = outerProduct(first, second) - matrixCompMult(form, mat3(3.0));
      break;
    default:
      form = outerProduct(first, first);
      form[2] += 12.0 * second;
      break;
  }
  return form;
}

Motion Spell(int word) {
  Motion motion = Motion(mat3(1.0), 0);
  int rest = word;
  for (; motion.letters < 3; motion.letters++) {
    if (rest == 0) break;
    bool sheared = (rest & 1) == 1;
    rest >>= 1;
    if (sheared) {
      motion.map = quilt.shear * motion.map;
      continue;
    }
    motion.map *= quilt.turn;
  }
  return motion;
}

Reading Read(mat3 form, vec3 point) {
  vec3 gradient = form * point + point * form;
  return Reading(dot(point, gradient), gradient);
}

int Band(float value) {
  int level = int(value) >> 7;
  return level < 0 ? (-level & 15) + 16 : level & 15;
}

bool OnStitch(Motion motion, vec3 point) {
  vec2 place = quilt.stitch * (motion.map * point);
  vec2 back = point.xy * mat2(quilt.stitch) - place.yx;
  ivec2 cell = ivec2(place) & 31;
  if (cell.x < 2) return (int(back.x) & 8) == 0;
  return cell.y < motion.letters && (int(back.y) & 4) == 0;
}

ivec3 Dye(Reading reading, float kind) {
  int band = Band(reading.value);
  vec4 weights = vec4(float(4 * band), reading.gradient.xy, kind);
  ivec4 mixed = ivec4(quilt.dyes * weights);
  ivec4 shifted = ivec4(weights * quilt.dyes);
  ivec3 rgb = (mixed.xyz >> 5) & 31;
  rgb += ivec3(60, 50, 110) + (band & 15) * ivec3(9, 6, -3);
  if (band >= 16) rgb = rgb.yzx + ivec3(0, 3, -band);
  return rgb - ((shifted.w >> 4) & 15);
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 tile = pixel >> quilt.patch_bits;
  ivec2 inner = pixel - (tile << quilt.patch_bits);
  vec3 point = vec3(2 * inner - 31, 1.0);

  Motion motion = Spell(tile.x + 4 * tile.y);
  mat3 form = Conic((tile.x + tile.y) & 3);
  mat3 moved = transpose(motion.map) * form * motion.map;
  Reading reading = Read(moved, point);
  ivec3 rgb = Dye(reading, determinant(form));
  if (determinant(motion.map) < 0.0) rgb -= rgb / 4;
  if (OnStitch(motion, point)) rgb = ivec3(244, 238, 220) - rgb / 3;
  color = vec4(vec3(rgb) * (1.0 / 255.0), quilt.opaque);
}
