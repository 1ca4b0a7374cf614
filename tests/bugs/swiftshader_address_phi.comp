#version 450
// SPDX-License-Identifier: Apache-2.0
// SwiftShader crashes: the variable `node` becomes a phi of addresses in a selection.
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Node { uint word; };
layout(set = 0, binding = 0, std430) buffer Out { uint word; uint count; Node first; Node second; };
void main() {
  Node node = first;
  if (count > 1) node = second;
  word = node.word;
}
