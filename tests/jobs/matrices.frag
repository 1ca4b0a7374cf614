#version 450

// Products of small matrices of whole numbers, plain uniforms of every shape.
uniform mat4 big;
uniform mat3 square;
uniform mat2x3 tall;
uniform mat3x2 wide;
uniform mat2 pair[2];

out vec4 result;

float Trace(mat3 m) {
  return m[0][0] + m[1][1] + m[2][2];
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  precise mat3 product = tall * wide;
  precise vec3 moved = square * vec3(at.x & 3, at.y & 3, 1);
  precise vec4 row = vec4(moved, 1.0) * big;
  precise mat2 two = pair[(at.x >> 2) & 1] * pair[(at.y >> 2) & 1];
  int red = int(moved.x + Trace(product)) & 255;
  int green = int(row.y + row.w) & 255;
  int blue = int(two[0][1] * 3.0 + determinant(pair[0])) & 255;
  result = vec4(vec3(red, green, blue) * (1.0 / 255.0), transpose(square)[2][2]);
}
