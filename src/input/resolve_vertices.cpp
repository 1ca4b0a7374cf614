// SPDX-License-Identifier: Apache-2.0
#include "input/resolve_vertices.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "input/grid.h"
#include "input/mesh.h"

namespace refract {
inline namespace input {
namespace {

uint32_t LocationsOfColumn(const InputValue& value) {
  return value.width == 64 && value.rows > 2 ? 2 : 1;
}

BoundAttribute::Kind KindOf(InterfaceSlot::Kind kind) {
  return kind == InterfaceSlot::kFloat ? BoundAttribute::kFloat
         : kind == InterfaceSlot::kInt ? BoundAttribute::kInt
                                       : BoundAttribute::kUint;
}

// One column of the attribute. Vectors of three narrow numbers get a fourth one, which is what a
// device adds too, because few devices have formats for three.
BoundAttribute BindColumn(const AttributeInput& attribute, const InterfaceSlot& slot) {
  const InputValue& value = attribute.value;
  const uint32_t column = (slot.location - attribute.location) / LocationsOfColumn(value);
  BoundAttribute bound;
  bound.location = slot.location;
  // A signed attribute may be given for an unsigned input, and the other way round.
  bound.kind = value.scalar == InputValue::kFloat ? BoundAttribute::kFloat : KindOf(slot.kind);
  bound.width = value.width;
  bound.per_instance = attribute.per_instance;
  const bool pads = value.rows == 3 && value.width < 32;
  bound.components = pads ? 4 : value.rows;
  const uint64_t one = value.scalar == InputValue::kFloat ? 0x3c00 : 1;
  for (uint32_t element = 0; element < value.count; ++element) {
    for (uint32_t row = 0; row < bound.components; ++row) {
      const size_t at = (size_t{element} * value.columns + column) * value.rows + row;
      const uint64_t word = row < value.rows ? value.words[at] : one;
      bound.bytes.append(reinterpret_cast<const char*>(&word), value.width / 8);
    }
  }
  return bound;
}

BoundAttribute ZeroFor(const WantedAttribute& wanted, uint32_t instances) {
  BoundAttribute zero;
  zero.location = wanted.slot.location;
  zero.kind = KindOf(wanted.slot.kind);
  zero.width = wanted.slot.width;
  zero.components = wanted.components == 3 && zero.width < 32 ? 4 : wanted.components;
  zero.per_instance = true;
  zero.bytes.assign(size_t{instances} * zero.components * zero.width / 8, '\0');
  return zero;
}

}  // namespace

uint32_t LocationsOf(const InputValue& value) {
  return value.columns * LocationsOfColumn(value);
}

bool HasColumnAt(const AttributeInput& attribute, uint32_t location) {
  return location >= attribute.location &&
         location < attribute.location + LocationsOf(attribute.value) &&
         (location - attribute.location) % LocationsOfColumn(attribute.value) == 0;
}

Result<std::vector<WantedAttribute>> WantedAttributes(const Module& module,
                                                      const EntryPoint& entry) {
  const auto slots = InterfaceOf(module, entry, spv::StorageClass::Input);
  if (!slots) return slots.error();
  std::map<uint32_t, WantedAttribute> wanted;
  for (const InterfaceSlot& slot : *slots) {
    if (slot.built_in) continue;
    WantedAttribute& at = wanted.try_emplace(slot.location, WantedAttribute{slot}).first->second;
    if (at.slot.kind != slot.kind || at.slot.width != slot.width) {
      return Error{
          format("the vertex shader reads location {} with different types", slot.location),
          ErrorKind::kUnavailable};
    }
    at.components = std::max(at.components, FirstComponent(slot) + slot.components);
  }
  std::vector<WantedAttribute> list;
  for (auto& [location, one] : wanted) list.push_back(std::move(one));
  return list;
}

Result<BoundMesh> ResolveVertices(const Module& module, const EntryPoint& entry,
                                  const Inputs& inputs, const std::string& file,
                                  std::vector<std::string>* missing) {
  BoundMesh mesh;
  if (const std::optional<VerticesInput>& given = inputs.vertices) {
    mesh.is_grid = false;
    mesh.topology = given->topology;
    mesh.vertices = given->count;
    mesh.instances = given->instances;
    mesh.indices = given->indices;
    const uint64_t drawn = std::max<uint64_t>(given->count, given->indices.size());
    if (drawn * given->instances > kMaxGridVertices) {
      return Error{format("{}: /$vertices: {} instances of {} vertices are too many; the maximum "
                          "of vertices is {}",
                          file, given->instances, drawn, kMaxGridVertices),
                   ErrorKind::kUnavailable};
    }
  }
  const Result<std::vector<WantedAttribute>> wanted = WantedAttributes(module, entry);
  if (!wanted) return Error{format("{}: {}", file, wanted.error().message), wanted.error().kind};
  const BoundAttribute position = GridAttribute();
  for (const WantedAttribute& one : *wanted) {
    const uint32_t location = one.slot.location;
    if (mesh.is_grid && location == 0 && AttributeProblem(&position, one.slot).empty()) continue;
    const AttributeInput* found = nullptr;
    if (inputs.vertices) {
      for (const AttributeInput& attribute : inputs.vertices->attributes) {
        if (HasColumnAt(attribute, location)) found = &attribute;
      }
    }
    if (found == nullptr) {
      missing->push_back(format("the vertex attribute at location {}", location));
      mesh.attributes.push_back(ZeroFor(one, mesh.instances));
      continue;
    }
    BoundAttribute bound = BindColumn(*found, one.slot);
    InterfaceSlot all = one.slot;
    all.component = 0;
    all.components = one.components;
    if (std::string problem = AttributeProblem(&bound, all); !problem.empty()) {
      return Error{format("{}: /$vertices/attributes: {}", file, problem)};
    }
    mesh.attributes.push_back(std::move(bound));
  }
  return mesh;
}

}  // namespace input
}  // namespace refract
