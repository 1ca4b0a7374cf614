// SPDX-License-Identifier: Apache-2.0
// Decodes the inputs of a vertex shader, and the values that it passes to a fragment shader.
#include <algorithm>

#include "base/text.h"
#include "interp/decode/decode.h"
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

Status Decoder::PrepareLinked() {
  if (!code_->linked) return {};
  Result<std::vector<InterfaceSlot>> inputs =
      InterfaceOf(module_, entry_, spv::StorageClass::Input);
  if (!inputs) return Cannot(entry_.instruction, inputs.error().message);
  inputs_ = std::move(*inputs);
  if (!code_->is_vertex) return {};
  // With made-up inputs, missing attributes are allowed.
  const std::vector<InterfaceSlot> none;
  const std::string problem =
      VertexProblem(module_, entry_, options_.made_up_inputs != 0 ? none : inputs_);
  if (!problem.empty()) return Cannot(entry_.instruction, problem);
  // A gl_PerVertex block may have these members without the capabilities.
  if (Has(module_, spv::Capability::ClipDistance) || Has(module_, spv::Capability::CullDistance)) {
    return Cannot(entry_.instruction, "clip and cull distances are not supported");
  }
  return {};
}

uint32_t Decoder::AddGiven(uint32_t row, GivenCode given) {
  BuiltInCode code;
  code.row = row;
  code.given = static_cast<uint32_t>(code_->givens.size());
  code_->built_ins.push_back(code);
  code_->givens.push_back(std::move(given));
  return code.given;
}

// Sets `*done` if the draw provides the variable.
Status Decoder::DecodeLinkedInput(Inst inst, const PointerInfo& pointer, bool* done) {
  const Id id = module_.Result(inst);
  *done = false;
  for (const InterfaceSlot& slot : inputs_) {
    if (slot.variable != id) continue;
    const bool here = !slot.built_in || *slot.built_in == spv::BuiltIn::FragCoord ||
                      *slot.built_in == spv::BuiltIn::FrontFacing ||
                      *slot.built_in == spv::BuiltIn::PrimitiveId;
    if (!here) continue;
    if (code_->is_vertex && (slot.location != 0 || slot.kind != InterfaceSlot::kFloat)) continue;
    *done = true;
    uint32_t first = 0;
    // `x` and `y` are the same as without a vertex shader.
    if (slot.built_in == spv::BuiltIn::FragCoord) {
      BuiltInCode where;
      where.built_in = *slot.built_in;
      where.row = pointer.place;
      where.scalar = Scalar::kFloat32;
      where.components = first = 2;
      code_->built_ins.push_back(where);
    }
    for (uint32_t i = first; i < slot.components; ++i) {
      GivenCode given;
      given.built_in = slot.built_in;
      given.component = slot.component + i;
      given.slot = slot;
      given.slot_component = slot.component + i;
      AddGiven(pointer.place + slot.first + i, std::move(given));
    }
  }
  if (*done) pointers_[id] = pointer;
  return {};
}

// Records the rows of a vertex program's outputs, after all variables have got their rows.
Status Decoder::NoteOutputs() {
  if (!code_->linked || !code_->is_vertex) return {};
  const Result<std::vector<InterfaceSlot>> outputs =
      InterfaceOf(module_, entry_, spv::StorageClass::Output);
  if (!outputs) return Cannot(entry_.instruction, outputs.error().message);
  bool has_position = false;
  for (const InterfaceSlot& slot : *outputs) {
    const auto found = pointers_.find(slot.variable);
    if (found == pointers_.end()) {
      return Cannot(module_.Definition(slot.variable), "the output has no rows");
    }
    const uint32_t row = found->second.place + slot.first;
    if (slot.built_in && !IsHarmless(*slot.built_in)) {
      return Cannot(module_.Definition(slot.variable),
                    format("outputs with built-in {} are not supported",
                           static_cast<uint32_t>(*slot.built_in)));
    }
    if (slot.built_in == spv::BuiltIn::Position) {
      has_position = true;
      code_->position_row = row;
    }
    code_->given_outputs.push_back(slot);
    code_->given_rows.push_back(row);
  }
  if (!has_position) return Cannot(entry_.instruction, "it does not write a position");
  return {};
}

}  // namespace interp
}  // namespace refract
