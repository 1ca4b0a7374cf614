#version 450
// SPDX-License-Identifier: Apache-2.0
// Draws a small scene of triangles as a software rasteriser does: a faceted gem over a tiled floor,
// run through by a spike. Corners lie on eighths of pixels; a pixel is covered if its centre is
// inside all three edges, ties decided by the top-left rule; depth and colour are interpolated with
// the edge functions' values as weights, and a depth buffer of one pixel keeps the nearest. Four
// ways of shading: flat, Gouraud, Gouraud with tiles cut by the weights, and a stipple.
//
// Stable: a picture is 1152 eighths wide, so an edge function is below 2^22 and a weighted sum of
// levels below 2^31; divisions are of positive integers by the area, and no triangle in the uniform
// block is degenerate. Colours are k * (1/255) for integers k from 0 to 255.
layout(location = 0) out vec4 color;

struct Vertex {
  ivec2 place;  // in pixels
  int depth;    // 5 (near) to 170
  int rgb;
};

struct Triangle {
  ivec3 corner;
  int style;
};

struct Mesh {
  Vertex vertices[13];
  Triangle triangles[12];
  ivec2 offset;  // in eighths of pixels
  int count;     // of triangles
};

layout(std140, set = 0, binding = 0) uniform Scene {
  Mesh mesh;
  int far;       // 200: where nothing is
  int one;       // 1
  float opaque;  // 1.0
} scene;

struct Weights {
  ivec3 w;  // of the corners; their sum is twice the triangle's area
  int area;
};

struct Sample {
  int depth;
  ivec3 rgb;
  int layers;  // triangles that cover the pixel
};

int Cross(ivec2 a, ivec2 b) { return a.x * b.y - a.y * b.x; }

// Positive on the inner side of a triangle that turns clockwise on the screen.
int Edge(ivec2 from, ivec2 to, ivec2 at) { return Cross(to - from, at - from); }

bool OwnsItsEdge(ivec2 from, ivec2 to) {
  if (from.y == to.y) return to.x > from.x;
  return to.y < from.y;
}

bool Inside(int value, ivec2 from, ivec2 to) {
  if (value == 0) return OwnsItsEdge(from, to);
  return value > 0;
}

ivec2 Place(int vertex) { return scene.mesh.vertices[vertex].place * 8 + scene.mesh.offset; }

// Corners that turn the other way are exchanged; then it is the back that is seen.
bool Cover(inout ivec3 corner, ivec2 at, out Weights weights, out bool back) {
  ivec2 a = Place(corner.x);
  ivec2 b = Place(corner.y);
  ivec2 c = Place(corner.z);
  int area = Edge(a, b, c);
  back = area < 0;
  if (back) {
    corner = corner.xzy;
    ivec2 kept = b;
    b = c;
    c = kept;
    area = -area;
  }
  weights = Weights(ivec3(Edge(b, c, at), Edge(c, a, at), Edge(a, b, at)), area);
  if (!Inside(weights.w.x, b, c)) return false;
  if (!Inside(weights.w.y, c, a)) return false;
  return Inside(weights.w.z, a, b);
}

int Mix(Weights weights, ivec3 values) {
  ivec3 parts = weights.w * values;
  return (parts.x + parts.y + parts.z) / weights.area;
}

ivec3 Levels(int rgb) { return ivec3(rgb >> 16, rgb >> 8, rgb) & 255; }

ivec3 Gouraud(ivec3 corner, Weights weights) {
  ivec3 a = Levels(scene.mesh.vertices[corner.x].rgb);
  ivec3 b = Levels(scene.mesh.vertices[corner.y].rgb);
  ivec3 c = Levels(scene.mesh.vertices[corner.z].rgb);
  ivec3 result;
  for (int i = 0; i < 3; i += scene.one) result[i] = Mix(weights, ivec3(a[i], b[i], c[i]));
  return result;
}

bool OddTile(Weights weights) {
  ivec2 tile = weights.w.xy * 12 / weights.area;
  return ((tile.x ^ tile.y) & scene.one) != 0;
}

// False: the fragment is a hole.
bool Shade(int style, ivec3 corner, Weights weights, ivec2 pixel, out ivec3 rgb) {
  rgb = ivec3(0);
  switch (style) {
    case 3:
      if (((pixel.x + 2 * pixel.y) & 3) == 0) return false;
      rgb.z += 50;
      // falls through
    case 0:
      rgb += Levels(scene.mesh.vertices[corner.x].rgb);
      break;
    case 2:
      if (OddTile(weights)) rgb = ivec3(24, 16, 32);
      // falls through
    case 1:
      rgb += Gouraud(corner, weights);
      break;
  }
  return true;
}

void Draw(Triangle triangle, ivec2 pixel, inout Sample nearest) {
  Weights weights;
  ivec3 corner = triangle.corner;
  bool back;
  if (!Cover(corner, pixel * 8 + 4, weights, back)) return;
  ivec3 rgb;
  if (!Shade(triangle.style, corner, weights, pixel, rgb)) return;
  nearest.layers++;
  ivec3 depths = ivec3(scene.mesh.vertices[corner.x].depth, scene.mesh.vertices[corner.y].depth,
                       scene.mesh.vertices[corner.z].depth);
  int depth = Mix(weights, depths);
  if (depth >= nearest.depth) return;
  nearest.depth = depth;
  nearest.rgb = back ? rgb.zyx / 2 : rgb;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  Sample nearest = Sample(scene.far, ivec3(18, 22, 40) + pixel.y / 3, 0);
  for (int i = 0; i < scene.mesh.count; i++) Draw(scene.mesh.triangles[i], pixel, nearest);

  ivec3 fog = ivec3(70, 84, 110);
  ivec3 rgb = nearest.rgb;
  if (nearest.layers > 0) rgb = (rgb * (scene.far - nearest.depth) + fog * nearest.depth) / 200;
  rgb.y += 4 * nearest.layers;
  color = vec4(vec3(rgb) * (1.0 / 255.0), scene.opaque);
}
