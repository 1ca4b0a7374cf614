// SPDX-License-Identifier: Apache-2.0
// What a vertex shader draws: a mesh from "$vertices" or the grid. Each instance is drawn whole
// before the next one. There is no primitive restart, so every index is that of a vertex.
#pragma once

#include <cstdint>
#include <vector>

#include "input/bindings.h"
#include "input/stage_interface.h"

namespace refract {
inline namespace input {

/// The mesh with everything that is drawn, also if it is the grid.
BoundMesh MeshOf(const Bindings& bindings);

/// The number of vertices of all instances.
uint64_t VertexCount(const Bindings& bindings);

/// The numbers of the vertices in the order in which they are drawn.
std::vector<uint32_t> DrawnVertices(const BoundMesh& mesh);

/// The vertices of all triangles of one instance, three for each. The first is the provoking vertex
/// (Vulkan 1.3, "Primitive Topologies").
std::vector<uint32_t> CornersOf(const BoundMesh& mesh);

/// The attribute at a location; null if no attribute is there.
const BoundAttribute* FindAttribute(const BoundMesh& mesh, uint32_t location);

/// The attribute at location 0 of a grid, without its bytes.
BoundAttribute GridAttribute();

/// The reason why a vertex shader cannot read its input `slot` from `attribute`, which may be null;
/// empty if it can. An input of 32 bits can have narrower numbers. Components that the attribute
/// does not have are 0, 0 and 1, but an input of 64 bits must have all that it reads.
std::string AttributeProblem(const BoundAttribute* attribute, const InterfaceSlot& slot);

/// The same for the attribute at the location of `slot`. A grid has a position at location 0,
/// unless there is an attribute.
std::string AttributeProblem(const BoundMesh& mesh, const InterfaceSlot& slot);

/// The bits of a component of an element, as an input of `width` bits has them.
uint64_t AttributeBits(const BoundAttribute& attribute, uint32_t element, uint32_t component,
                       uint32_t width);

/// The number of the first component of an input in its attribute. (Component decorations count
/// units of 32 bits.)
inline uint32_t FirstComponent(const InterfaceSlot& slot) {
  return slot.width == 64 ? slot.component / 2 : slot.component;
}

/// True if the attributes have as many elements as there are vertices or instances, and all indices
/// are those of vertices.
bool IsSound(const BoundMesh& mesh);

}  // namespace input
}  // namespace refract
