// SPDX-License-Identifier: Apache-2.0
#include "transform/bits.h"

#include "ir/types.h"
#include "transform/values.h"

namespace refract {
namespace {

// Of a constant scalar, or of a constant vector whose components are all the same.
std::optional<uint64_t> LiteralOf(const Module& module, Id constant) {
  if (const auto value = LiteralValue(module, constant)) return value;
  const Inst inst = module.Definition(constant);
  if (!IsVector(module, module.Type(inst))) return std::nullopt;
  if (module.Opcode(inst) == spv::Op::OpConstantNull) return 0;
  if (module.Opcode(inst) != spv::Op::OpConstantComposite) return std::nullopt;
  const std::optional<uint64_t> first = LiteralValue(module, module.IdAt(inst, 0));
  for (uint32_t i = 1; i < module.OperandCount(inst); ++i) {
    if (LiteralValue(module, module.IdAt(inst, i)) != first) return std::nullopt;
  }
  return first;
}

}  // namespace

uint64_t LowBits(uint64_t count) {
  return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

std::optional<uint64_t> LiteralInAllLanes(const View& view, Inst inst, uint32_t operand) {
  const Module& module = view.module();
  const Id id = module.IdAt(inst, operand);
  if (view.facts().Irrelevant(id) != nullptr) return std::nullopt;
  const std::optional<uint64_t> value = LiteralOf(module, id);
  if (value) view.CountOn(inst, operand);
  return value;
}

Verdict MayUseBitFields(const Module& module, Id type) {
  if (!HasCapability(module, spv::Capability::Shader)) return No("only shaders have bit fields");
  // Vulkan, VUID-StandaloneSpirv-Base-04781.
  if (Width(module, ScalarType(module, type)) != 32) return No("bit fields are of 32 bits");
  return Yes();
}

}  // namespace refract
