// SPDX-License-Identifier: Apache-2.0
// Decodes the inputs of a vertex shader, and the values that it passes to a fragment shader.
#include <algorithm>

#include "base/text.h"
#include "input/mesh.h"
#include "interp/decode/variable_decoder.h"
#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {
namespace {

// Built-in outputs that need no action, because points are not drawn.
bool IsHarmless(spv::BuiltIn built_in) {
  return built_in == spv::BuiltIn::Position || built_in == spv::BuiltIn::PointSize ||
         built_in == spv::BuiltIn::ClipDistance || built_in == spv::BuiltIn::CullDistance;
}

bool Has(const Module& module, spv::Capability capability) {
  bool has = false;
  ForEachInstruction(module, Module::SectionBlock(Section::kCapabilities), [&](Inst inst) {
    has |= module.Opcode(inst) == spv::Op::OpCapability &&
           module.Word(inst, 0) == static_cast<uint32_t>(capability);
  });
  return has;
}

}  // namespace

Status VariableDecoder::ReadInterface() {
  if (!decoder_.code.linked) return {};
  Result<std::vector<InterfaceSlot>> inputs =
      InterfaceOf(decoder_.module, decoder_.entry, spv::StorageClass::Input);
  if (!inputs) return decoder_.Cannot(decoder_.entry.instruction, inputs.error().message);
  inputs_ = std::move(*inputs);
  if (!decoder_.code.is_vertex) return {};
  // With made-up inputs, missing attributes are allowed.
  const std::vector<InterfaceSlot> none;
  const BoundMesh& mesh = decoder_.code.bindings.mesh;
  const std::string problem = VertexProblem(
      decoder_.module, decoder_.entry, decoder_.options.made_up_inputs != 0 ? none : inputs_, mesh);
  if (!problem.empty()) return decoder_.Cannot(decoder_.entry.instruction, problem);
  // A gl_PerVertex block may have these members without the capabilities.
  if (Has(decoder_.module, spv::Capability::ClipDistance) ||
      Has(decoder_.module, spv::Capability::CullDistance)) {
    return decoder_.Cannot(decoder_.entry.instruction, "clip and cull distances are not supported");
  }
  return {};
}

void VariableDecoder::AddBatchInput(uint32_t row, BatchInputCode input) {
  BuiltInCode code;
  code.row = row;
  code.batch_input = static_cast<uint32_t>(decoder_.code.batch_inputs.size());
  decoder_.code.built_ins.push_back(code);
  decoder_.code.batch_inputs.push_back(std::move(input));
}

// Returns false if the draw does not provide the variable.
bool VariableDecoder::DecodeLinkedInput(Inst inst, const PointerInfo& pointer) {
  const Id id = decoder_.module.Result(inst);
  bool found = false;
  for (const InterfaceSlot& slot : inputs_) {
    if (slot.variable != id) continue;
    const bool here = !slot.built_in || *slot.built_in == spv::BuiltIn::FragCoord ||
                      *slot.built_in == spv::BuiltIn::FrontFacing ||
                      *slot.built_in == spv::BuiltIn::PrimitiveId;
    if (!here) continue;
    if (decoder_.code.is_vertex && !slot.built_in &&
        !AttributeProblem(decoder_.code.bindings.mesh, slot).empty()) {
      continue;
    }
    found = true;
    uint32_t first = 0;
    // `x` and `y` are the same as without a vertex shader.
    if (slot.built_in == spv::BuiltIn::FragCoord) {
      BuiltInCode where;
      where.built_in = *slot.built_in;
      where.row = pointer.address;
      where.scalar = Scalar::kFloat32;
      where.components = first = 2;
      decoder_.code.built_ins.push_back(where);
    }
    const uint32_t rows = slot.width == 64 ? 2 : 1;
    for (uint32_t i = first * rows; i < slot.components * rows; ++i) {
      BatchInputCode input;
      input.built_in = slot.built_in;
      input.component = FirstComponent(slot) + i / rows;
      input.slot = slot;
      input.slot_component = slot.component + i / rows;
      input.upper = i % rows == 1;
      AddBatchInput(pointer.address + slot.first * rows + i, std::move(input));
    }
  }
  if (found) decoder_.pointers.Set(id, pointer);
  return found;
}

// Records the rows of a vertex program's outputs, after all variables have got their rows.
Status VariableDecoder::RecordVertexOutputs() {
  if (!decoder_.code.linked || !decoder_.code.is_vertex) return {};
  const Result<std::vector<InterfaceSlot>> outputs =
      InterfaceOf(decoder_.module, decoder_.entry, spv::StorageClass::Output);
  if (!outputs) return decoder_.Cannot(decoder_.entry.instruction, outputs.error().message);
  bool has_position = false;
  for (const InterfaceSlot& slot : *outputs) {
    const PointerInfo* pointer = decoder_.pointers.Find(slot.variable);
    if (pointer == nullptr) {
      return decoder_.Cannot(decoder_.module.Definition(slot.variable),
                             "the interpreter did not reserve memory for the output");
    }
    const uint32_t row = pointer->address + slot.first;
    if (slot.built_in && !IsHarmless(*slot.built_in)) {
      return decoder_.Cannot(decoder_.module.Definition(slot.variable),
                             format("outputs with built-in {} are not supported",
                                    static_cast<uint32_t>(*slot.built_in)));
    }
    if (slot.built_in == spv::BuiltIn::Position) {
      has_position = true;
      decoder_.code.position_row = row;
    }
    decoder_.code.vertex_outputs.push_back(slot);
    decoder_.code.vertex_output_rows.push_back(row);
  }
  if (!has_position) {
    return decoder_.Cannot(decoder_.entry.instruction,
                           "the vertex shader does not write a position");
  }
  return {};
}

}  // namespace interp
}  // namespace refract
