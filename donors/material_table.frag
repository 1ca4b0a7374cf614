#version 450
// SPDX-License-Identifier: Apache-2.0
// Structs in structs in arrays: materials with layers, a scene of boxes and lamps, uniform blocks
// with matrices of both orders; functions that take, change and return them, and plain ones beside.
layout(location = 0) in vec3 point;
layout(location = 1) flat in ivec2 pick;
layout(location = 0) out vec4 color;

struct Layer {
  vec3 tint;
  float rough;
  ivec2 tile;
};

struct Material {
  Layer layers[3];
  int used;
  vec4 extra;
};

struct Bounds {
  vec3 corners[2];
};

struct Lamp {
  vec4 place;
  mat3 turn;
  Bounds reach;
};

struct Answer {
  Material material;
  float weights[4];
  bool found;
};

layout(std140, set = 0, binding = 0) uniform Table {
  Material materials[8];
  layout(row_major) mat2x3 slant;
  layout(column_major) mat3x2 fold;
  mat4 stack[2];
};
layout(std140, set = 0, binding = 1, row_major) uniform Lamps {
  Lamp lamps[4];
  int lamp_count;
};

// Weights that add up to one: the larger first, those below an eighth of the first dropped.
vec4 ordered_weights(vec4 raw) {
  float w[4] = float[4](raw.x, raw.y, raw.z, raw.w);
  for (int i = 0; i < 4; ++i) {
    if (!(w[i] > 0.0)) {
      w[i] = 0.0;
    }
    for (int j = i; j > 0 && w[j] > w[j - 1]; --j) {
      float kept = w[j];
      w[j] = w[j - 1];
      w[j - 1] = kept;
    }
  }
  float rest = 1.0;
  for (int i = 3; i > 0; --i) {
    if (w[i] * 8.0 < w[0]) {
      w[i] = 0.0;
      continue;
    }
    w[i] = w[i] > 0.25 ? 0.25 : w[i];
    rest -= w[i];
  }
  return vec4(rest, w[1], w[2], w[3]);
}

int pattern(ivec2 at, ivec2 tile) {
  ivec2 cell = at >> ivec2(3);
  ivec2 within = at & 7;
  switch ((tile.x + tile.y * 3) & 7) {
    case 0:
      return (cell.x ^ cell.y) & 1;
    case 1:
      if ((cell.y & 1) != 0) {
        within.x = (within.x + 4) & 7;
      }
      return within.x == 0 || within.y == 0 ? 0 : 1;
    case 2:
      within = abs(within - 4);
      return within.x + within.y < 4 ? 1 : 0;
    case 3:
      return (at.x + at.y) % 5 == 0 ? 1 : 0;
    case 4:
    case 5:
      within -= 4;
      if (within.x * within.x + within.y * within.y < 9) {
        return 2;
      }
      break;
    case 6:
      return (within.x & within.y) != 0 ? 1 : 2;
  }
  return 3;
}

mat3 turned_by(mat3 m, int order) {
  mat3 result = m;
  for (int i = 0; i < 3; ++i) {
    switch ((order + i) % 3) {
      case 0:
        result = transpose(result);
        break;
      case 1:
        result[i] = result[(i + 1) % 3] * 0.5;
        break;
      default:
        result[i][2 - i] = -result[2 - i][i];
        continue;
    }
    if (result[0][0] > 16.0) {
      result *= 0.0625;
      break;
    }
  }
  return result;
}

mat2x4 outer_sums(vec4 a, vec2 b, mat4x2 m) {
  mat2x4 sum = outerProduct(a, b) + transpose(m);
  sum[0] = sum * vec2(1.0, -1.0);
  sum[1].yw = a * sum;
  return matrixCompMult(sum, sum) * 0.25;
}

bool inside(Bounds bounds, vec3 p) {
  for (int axis = 0; axis < 3; ++axis) {
    if (p[axis] < bounds.corners[0][axis] || p[axis] > bounds.corners[1][axis]) {
      return false;
    }
  }
  return true;
}

Bounds grown(Bounds a, Bounds b) {
  return Bounds(vec3[2](min(a.corners[0], b.corners[0]), max(a.corners[1], b.corners[1])));
}

void add_layer(inout Material material, Layer layer) {
  if (material.used < 3) {
    material.layers[material.used++] = layer;
    return;
  }
  int roughest = 0;
  for (int i = 1; i < 3; ++i) {
    if (material.layers[i].rough > material.layers[roughest].rough) {
      roughest = i;
    }
  }
  material.layers[roughest] = layer;
}

Answer look_up(int name, vec3 p) {
  Answer answer;
  answer.found = false;
  answer.weights = float[4](0.0, 0.0, 0.0, 0.0);
  answer.material = materials[name & 7];
  for (int i = 0; i < 4; ++i) {
    if (i >= lamp_count) {
      break;
    }
    Lamp lamp = lamps[i];
    vec3 local = lamp.turn * (p - lamp.place.xyz);
    if (!inside(lamp.reach, local)) {
      continue;
    }
    answer.weights[i] = lamp.place.w;
    answer.found = true;
    answer.material.extra += vec4(local, 1.0) * stack[i & 1];
  }
  return answer;
}

void main() {
  Answer answer = look_up(pick.x, point);
  add_layer(answer.material, materials[pick.y & 7].layers[pick.x % 3]);
  vec4 weights = ordered_weights(
      vec4(answer.weights[0], answer.weights[1], answer.weights[2], answer.weights[3]));
  Bounds all = grown(lamps[0].reach, lamps[1].reach);
  vec3 sum = slant * (fold * point) + all.corners[0];
  for (int i = 0; i < answer.material.used; ++i) {
    Layer layer = answer.material.layers[i];
    sum += weights[i] * layer.tint * float(pattern(pick, layer.tile));
  }
  if (!answer.found && inside(all, point)) {
    discard;
  }
  mat2x4 squares = outer_sums(weights, point.xy, mat4x2(stack[1]));
  color = vec4(turned_by(mat3(stack[0]), pick.x) * sum, squares[0].x) + answer.material.extra;
}
