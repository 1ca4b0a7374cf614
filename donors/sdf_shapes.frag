#version 330
// SPDX-License-Identifier: Apache-2.0
// Flat shapes: polygons by their edges and by winding, segments, stars by folding, letters as
// strokes of a word, a pie, and an outline with a shadow under it.
#extension GL_ARB_separate_shader_objects : enable
layout(location = 0) in vec2 place;
layout(location = 1) flat in uint word;
layout(location = 0) out vec4 color;

// The square of the distance to the nearest edge; below zero inside.
float polygon(vec2 corners[6], int count, vec2 p) {
  vec2 away = p - corners[0];
  float best = dot(away, away);
  bool inside = false;
  int j = count - 1;
  for (int i = 0; i < count; j = i, ++i) {
    vec2 edge = corners[j] - corners[i];
    vec2 from = p - corners[i];
    float size = dot(edge, edge);
    if (size == 0.0) continue;
    float t = clamp(dot(from, edge) / size, 0.0, 1.0);
    vec2 d = from - edge * t;
    best = min(best, dot(d, d));
    bvec3 sides = bvec3(p.y >= corners[i].y, p.y < corners[j].y, edge.x * from.y > edge.y * from.x);
    if (all(sides) || all(not(sides))) inside = !inside;
  }
  return inside ? -best : best;
}

int winding(vec2 corners[6], vec2 p) {
  int turns = 0;
  for (int i = 0; i < 6; ++i) {
    vec2 a = corners[i] - p, b = corners[i == 5 ? 0 : i + 1] - p;
    float area = a.x * b.y - a.y * b.x;
    if (a.y <= 0.0) {
      if (b.y > 0.0) {
        if (area > 0.0) ++turns;
      }
    } else if (b.y <= 0.0 && area < 0.0) {
      --turns;
    }
  }
  return turns;
}

// Near the segment within half the width, by squares only.
bool on_stroke(vec2 p, vec2 a, vec2 b, float width) {
  vec2 along = b - a, from = p - a;
  float size = dot(along, along), far = dot(along, from);
  float limit = width * width * 0.25;
  if (far <= 0.0) return dot(from, from) < limit;
  if (far >= size) {
    from = p - b;
    return dot(from, from) < limit;
  }
  float area = along.x * from.y - along.y * from.x;
  return area * area < limit * size;
}

// Sixteen strokes between nine places of a letter, on where the word's bit is.
int letter(vec2 p, uint strokes) {
  const ivec2 ends[16] =
      ivec2[16](ivec2(0, 1), ivec2(1, 2), ivec2(0, 3), ivec2(1, 4), ivec2(2, 5), ivec2(3, 4),
                ivec2(4, 5), ivec2(3, 6), ivec2(4, 7), ivec2(5, 8), ivec2(6, 7), ivec2(7, 8),
                ivec2(0, 4), ivec2(2, 4), ivec2(4, 6), ivec2(4, 8));
  int hits = 0;
  for (int i = 0; strokes != 0u; ++i, strokes >>= 1) {
    if (i == 16) break;
    if ((strokes & 1u) == 0u) continue;
    vec2 a = vec2(ends[i].x % 3, ends[i].x / 3), b = vec2(ends[i].y % 3, ends[i].y / 3);
    vec2 along = b - a, from = p - a;
    float far = dot(along, from);
    if (far < 0.0 || far > dot(along, along)) continue;
    float area = along.x * from.y - along.y * from.x;
    hits += abs(area) < 0.125 ? 1 : 0;
  }
  return hits;
}

float star(vec2 p, float inner) {
  const vec2 fold_a = vec2(0.80901699, -0.58778525), fold_b = vec2(-0.80901699, -0.58778525);
  p.x = abs(p.x);
  float side = dot(fold_a, p);
  if (side > 0.0) p -= 2.0 * side * fold_a;
  side = dot(fold_b, p);
  if (side > 0.0) p -= 2.0 * side * fold_b;
  p.x = abs(p.x);
  p.y -= 1.0;
  vec2 edge = inner * vec2(0.58778525, -0.80901699) - vec2(0.0, 1.0);
  return p.y * edge.x - p.x * edge.y;
}

vec4 drawn(float d, vec3 fill, vec3 line, float width) {
  vec4 result = vec4(fill, 1.0);
  if (d > 0.0) {
    if (d > width) {
      result.a = d > 2.0 * width ? 0.0 : 0.5;
      result.rgb *= 0.25;
    } else {
      result.rgb = line;
    }
  } else if (d > -width) {
    result.rgb = d < -0.5 * width ? mix(fill, line, 0.5) : line;
  }
  return result;
}

void main() {
  vec2 corners[6] = vec2[6](vec2(1.0, 0.0), vec2(0.5, 0.75), vec2(-0.5, 1.0), vec2(-1.0, place.x),
                            vec2(-0.25, -0.75), vec2(place.y, -1.0));
  float d = polygon(corners, 6, place);
  int turns = winding(corners, place) + letter(place * 2.0, word);
  if (on_stroke(place, corners[0], corners[3], 0.25)) ++turns;
  vec4 one = drawn(d, vec3(0.75, 0.5, 0.25), vec3(0.0), 0.0625);
  color = mix(one, drawn(star(place, 0.375), vec3(1.0), one.rgb, 0.125), float(turns & 3) * 0.25);
}
