// SPDX-License-Identifier: Apache-2.0
#include "transform/known_values.h"

#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
namespace {

bool HasWord(const Module& module, Id id, spv::Decoration decoration, uint32_t value) {
  const Inst inst = FindDecoration(module, id, decoration);
  return inst != Inst::kNone && module.OperandCount(inst) > 2 && module.Word(inst, 2) == value;
}

bool IsAt(const Module& module, Inst variable, const KnownValue& input) {
  const auto storage = static_cast<spv::StorageClass>(module.Word(variable, 0));
  if (input.push_constant) return storage == spv::StorageClass::PushConstant;
  const Id id = module.Result(variable);
  return storage == spv::StorageClass::Uniform &&
         HasWord(module, id, spv::Decoration::DescriptorSet, input.set) &&
         HasWord(module, id, spv::Decoration::Binding, input.binding);
}

bool IsNumbers(const Module& module, Id type) {
  if (TypeOpcode(module, type) == spv::Op::OpTypeMatrix) return true;
  const Id scalar = ScalarType(module, type);
  return scalar != Id::kNone && Width(module, scalar) != 0;
}

// The type at the end of the path; kNone if it leads nowhere, or to what is made of something else
// than numbers.
Id NumbersAt(const Module& module, Id type, const std::vector<uint32_t>& path) {
  for (uint32_t index : path) {
    if (FindMemberDecoration(module, type, index, spv::Decoration::RelaxedPrecision) !=
        Inst::kNone) {
      return Id::kNone;
    }
    type = PartType(module, type, index);
    if (type == Id::kNone) return Id::kNone;
  }
  return IsNumbers(module, type) ? type : Id::kNone;
}

}  // namespace

std::optional<InputPlace> FindInput(const Module& module, const KnownValue& input) {
  Inst found = Inst::kNone;
  bool several = false;
  ForEachGlobalVariable(module, [&](Inst inst) {
    if (!IsAt(module, inst, input)) return;
    several = several || found != Inst::kNone;
    found = inst;
  });
  // Two variables in one place may lay it out in two ways: the path does not say which is meant.
  if (several) return std::nullopt;
  if (found == Inst::kNone) return std::nullopt;
  const Id variable = module.Result(found);
  const Id block = ElementType(module, module.Type(found));
  if (FindDecoration(module, block, spv::Decoration::Block) == Inst::kNone ||
      FindDecoration(module, variable, spv::Decoration::RelaxedPrecision) != Inst::kNone) {
    return std::nullopt;
  }
  const Id type = NumbersAt(module, block, input.path);
  if (type == Id::kNone) return std::nullopt;
  return InputPlace{variable, type};
}

bool IsPlainFloat(uint32_t width, uint64_t bits) {
  const uint32_t fraction = width == 16 ? 10 : width == 32 ? 23 : 52;
  const uint32_t exponent_bits = width - 1 - fraction;
  const uint64_t exponent = bits >> fraction & ((uint64_t{1} << exponent_bits) - 1);
  const uint64_t rest = bits & ((uint64_t{1} << fraction) - 1);
  if (exponent == 0) return rest == 0;
  return exponent != (uint64_t{1} << exponent_bits) - 1;
}

}  // namespace refract
