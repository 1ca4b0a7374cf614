// SPDX-License-Identifier: Apache-2.0
#include "input/complete_vertices.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"
#include "base/text.h"
#include "input/grid.h"
#include "input/mesh.h"
#include "input/resolve_vertices.h"
#include "input/scalar.h"

namespace refract {
inline namespace input {
namespace {

constexpr uint64_t kMaxWrittenVertices = 4096;  // of a grid; a longer list is of no use to people

bool IsPosition(const WantedAttribute& wanted) {
  const BoundAttribute position = GridAttribute();
  return wanted.slot.location == 0 && AttributeProblem(&position, wanted.slot).empty();
}

bool IsGiven(const Inputs& inputs, const WantedAttribute& wanted) {
  if (!inputs.vertices) return IsPosition(wanted);
  return std::any_of(inputs.vertices->attributes.begin(), inputs.vertices->attributes.end(),
                     [&](const AttributeInput& attribute) {
                       return HasColumnAt(attribute, wanted.slot.location);
                     });
}

AttributeInput MakeAttribute(const WantedAttribute& wanted, uint32_t count) {
  AttributeInput attribute;
  attribute.location = wanted.slot.location;
  InputValue& value = attribute.value;
  value.scalar = wanted.slot.kind == InterfaceSlot::kFloat ? InputValue::kFloat
                 : wanted.slot.kind == InterfaceSlot::kInt ? InputValue::kInt
                                                           : InputValue::kUint;
  value.width = wanted.slot.width;
  value.rows = wanted.components;
  value.count = count;
  value.words.resize(value.elements());
  return attribute;
}

// The grid as a list of vertices.
Status WriteOutGrid(const std::vector<WantedAttribute>& wanted, const std::string& file,
                    Inputs* inputs) {
  Bindings grid;
  grid.grid_columns = inputs->grid_columns;
  grid.grid_rows = inputs->grid_rows;
  if (inputs->tessellation && !inputs->has_grid) {
    const uint32_t wanted = inputs->tessellation->patch_vertices;
    while ((grid.grid_columns + 1) * (grid.grid_columns + 1) < wanted) ++grid.grid_columns;
    while ((grid.grid_columns + 1) * (grid.grid_rows + 1) < wanted) ++grid.grid_rows;
  }
  const uint64_t count = GridVertexCount(grid);
  if (count > kMaxWrittenVertices) {
    return Error{format("{}: no value can be made for the vertex attributes: the grid has {} "
                        "vertices; the maximum is {}",
                        file, count, kMaxWrittenVertices),
                 ErrorKind::kUnavailable};
  }
  inputs->has_grid = false;
  inputs->grid_columns = inputs->grid_rows = 1;
  VerticesInput& vertices = inputs->vertices.emplace();
  vertices.count = static_cast<uint32_t>(count);
  // A patch has the vertices in order.
  if (!inputs->tessellation) vertices.indices = GridIndices(grid);
  for (const WantedAttribute& one : wanted) {
    if (!IsPosition(one)) continue;
    AttributeInput position = MakeAttribute(one, vertices.count);
    const std::vector<float> places = GridPositions(grid);
    const uint32_t rows = position.value.rows;
    for (size_t i = 0; i < position.value.words.size(); ++i) {
      position.value.words[i] = std::bit_cast<uint32_t>(places[i / rows * 4 + i % rows]);
    }
    vertices.attributes.push_back(std::move(position));
  }
  return {};
}

}  // namespace

void FillRandom(Random random, InputValue* value) {
  for (uint64_t& word : value->words) {
    const bool is_float = value->scalar == InputValue::kFloat;
    const auto draw = static_cast<int64_t>(random.Below(is_float ? 129 : 16));
    word = static_cast<uint64_t>(draw);
    if (!is_float) continue;
    const double number = static_cast<double>(draw - 64) / 16;
    if (!ParseFloat(format("{}", number), value->width, &word)) word = 0;
  }
}

Status CompleteVertices(const Module& module, const EntryPoint& entry, const std::string& file,
                        std::optional<uint64_t> seed, CompletedInputs* result) {
  if (entry.model != spv::ExecutionModel::Vertex) return {};
  const Result<std::vector<WantedAttribute>> wanted = WantedAttributes(module, entry);
  if (!wanted) return Error{format("{}: {}", file, wanted.error().message), wanted.error().kind};
  Inputs& inputs = result->inputs;
  if (inputs.tessellation && !inputs.vertices) {
    if (Status written = WriteOutGrid(*wanted, file, &inputs); !written) return written;
  }
  for (const WantedAttribute& one : *wanted) {
    if (IsGiven(inputs, one)) continue;
    if (!inputs.vertices) {
      if (Status written = WriteOutGrid(*wanted, file, &inputs); !written) return written;
    }
    AttributeInput attribute = MakeAttribute(one, inputs.vertices->count);
    const std::string name = format("vertex attribute {}", attribute.location);
    if (seed) FillRandom(Random(Mix(*seed, Hash64(name))), &attribute.value);
    inputs.vertices->attributes.push_back(std::move(attribute));
    result->added.push_back(name);
  }
  return {};
}

}  // namespace input
}  // namespace refract
