// SPDX-License-Identifier: Apache-2.0
#include "input/mesh.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/text.h"
#include "input/grid.h"
#include "input/scalar.h"

namespace refract {
inline namespace input {
namespace {

uint32_t ElementSize(const BoundAttribute& attribute) {
  return attribute.components * attribute.width / 8;
}

std::string_view KindName(BoundAttribute::Kind kind) {
  return kind == BoundAttribute::kFloat ? "floats" : "integers";
}

uint64_t OneOf(BoundAttribute::Kind kind, uint32_t width) {
  if (kind != BoundAttribute::kFloat) return 1;
  return width == 16 ? 0x3c00 : width == 32 ? 0x3f800000 : 0x3ff0000000000000;
}

}  // namespace

BoundAttribute GridAttribute() {
  BoundAttribute attribute;
  attribute.components = 4;
  return attribute;
}

BoundMesh MeshOf(const Bindings& bindings) {
  BoundMesh mesh = bindings.mesh;
  if (!mesh.is_grid) return mesh;
  mesh.vertices = static_cast<uint32_t>(GridVertexCount(bindings));
  mesh.indices = GridIndices(bindings);
  const std::vector<float> positions = GridPositions(bindings);
  BoundAttribute attribute = GridAttribute();
  attribute.bytes.assign(reinterpret_cast<const char*>(positions.data()),
                         positions.size() * sizeof(float));
  if (FindAttribute(mesh, 0) != nullptr) return mesh;
  mesh.attributes.insert(mesh.attributes.begin(), std::move(attribute));
  return mesh;
}

uint64_t VertexCount(const Bindings& bindings) {
  const BoundMesh& mesh = bindings.mesh;
  return mesh.is_grid ? GridVertexCount(bindings) : uint64_t{mesh.vertices} * mesh.instances;
}

std::vector<uint32_t> DrawnVertices(const BoundMesh& mesh) {
  if (!mesh.indices.empty()) return mesh.indices;
  std::vector<uint32_t> in_order(mesh.vertices);
  for (uint32_t i = 0; i < mesh.vertices; ++i) in_order[i] = i;
  return in_order;
}

std::vector<uint32_t> CornersOf(const BoundMesh& mesh) {
  const std::vector<uint32_t> drawn = DrawnVertices(mesh);
  std::vector<uint32_t> corners;
  if (mesh.topology == BoundMesh::kTriangleList) {
    corners = drawn;
    corners.resize(corners.size() / 3 * 3);
    return corners;
  }
  for (size_t i = 0; i + 2 < drawn.size(); ++i) {
    if (mesh.topology == BoundMesh::kTriangleFan) {
      corners.insert(corners.end(), {drawn[i + 1], drawn[i + 2], drawn[0]});
    } else {
      corners.insert(corners.end(), {drawn[i], drawn[i + 1 + i % 2], drawn[i + 2 - i % 2]});
    }
  }
  return corners;
}

const BoundAttribute* FindAttribute(const BoundMesh& mesh, uint32_t location) {
  for (const BoundAttribute& attribute : mesh.attributes) {
    if (attribute.location == location) return &attribute;
  }
  return nullptr;
}

std::string AttributeProblem(const BoundAttribute* attribute, const InterfaceSlot& slot) {
  const auto reads = [&](std::string_view what, std::string_view but) {
    return format("the vertex shader reads {} at location {}, but {}", what, slot.location, but);
  };
  if (attribute == nullptr) {
    return format("the vertex shader reads location {}, but the vertices have no attribute there",
                  slot.location);
  }
  const bool is_float = slot.kind == InterfaceSlot::kFloat;
  if (is_float != (attribute->kind == BoundAttribute::kFloat)) {
    return reads(is_float ? "floats" : "integers",
                 format("the attribute has {}", KindName(attribute->kind)));
  }
  if (attribute->width != slot.width && (slot.width != 32 || attribute->width > 32)) {
    return reads(format("numbers of {} bits", slot.width),
                 format("those of the attribute have {}", attribute->width));
  }
  const uint32_t end = FirstComponent(slot) + slot.components;
  if (slot.width == 64 && attribute->components < end) {
    return reads(format("{} components of 64 bits", end),
                 format("the attribute has only {}", attribute->components));
  }
  return {};
}

std::string AttributeProblem(const BoundMesh& mesh, const InterfaceSlot& slot) {
  const BoundAttribute* attribute = FindAttribute(mesh, slot.location);
  const BoundAttribute position = GridAttribute();
  const bool is_position = mesh.is_grid && slot.location == 0 && attribute == nullptr;
  return AttributeProblem(is_position ? &position : attribute, slot);
}

uint64_t AttributeBits(const BoundAttribute& attribute, uint32_t element, uint32_t component,
                       uint32_t width) {
  if (component >= attribute.components) {
    return component == 3 ? OneOf(attribute.kind, width) : 0;
  }
  const uint32_t size = attribute.width / 8;
  uint64_t bits = 0;
  std::memcpy(
      &bits,
      attribute.bytes.data() + size_t{element} * ElementSize(attribute) + size_t{component} * size,
      size);
  if (attribute.width == width) return bits;
  if (attribute.kind == BoundAttribute::kFloat) {
    return std::bit_cast<uint32_t>(HalfToFloat(static_cast<uint16_t>(bits)));
  }
  if (attribute.kind == BoundAttribute::kUint) return bits;
  const uint32_t unused = 64 - attribute.width;
  return static_cast<uint32_t>(static_cast<int64_t>(bits << unused) >> unused);
}

bool IsSound(const BoundMesh& mesh) {
  if (mesh.topology > BoundMesh::kTriangleFan || mesh.instances == 0) return false;
  if (!mesh.is_grid) {
    if (uint64_t{mesh.vertices} * mesh.instances > kMaxGridVertices) return false;
    for (const uint32_t index : mesh.indices) {
      if (index >= mesh.vertices) return false;
    }
  }
  return std::all_of(
      mesh.attributes.begin(), mesh.attributes.end(), [&](const BoundAttribute& attribute) {
        const uint64_t elements = attribute.per_instance ? mesh.instances : mesh.vertices;
        const uint32_t width = attribute.width;
        return attribute.kind <= BoundAttribute::kUint && attribute.components >= 1 &&
               attribute.components <= 4 &&
               (width == 16 || width == 32 || width == 64 ||
                (width == 8 && attribute.kind != BoundAttribute::kFloat)) &&
               attribute.bytes.size() == elements * ElementSize(attribute);
      });
}

}  // namespace input
}  // namespace refract
