// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/known_values.h"

#include "input/block_use.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/legality/defined.h"

namespace refract {
inline namespace rules {
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

// The loads that a FloatSearch accepts. kInputs leaves it to the caller to check that the value is
// exact.
enum class Loads : uint8_t { kNone, kInputs, kExactInputs };

// Finds where floats come from, through instructions that only move them.
class FloatSearch {
 public:
  // Without loads, only normal numbers are accepted.
  FloatSearch(const View& view, Loads loads) : view_(view), module_(view.module()), loads_(loads) {}

  bool IsSure(Id value) {
    const Id scalar = ScalarType(module_, module_.TypeOf(value));
    if (scalar == Id::kNone || !IsFloat(module_, scalar) || visits_ == kMostVisits ||
        view_.facts().Irrelevant(value) != nullptr ||
        FindDecoration(module_, value, spv::Decoration::RelaxedPrecision) != Inst::kNone) {
      return false;
    }
    ++visits_;
    const Inst inst = module_.Definition(value);
    switch (module_.Opcode(inst)) {
      case spv::Op::OpConstant:
        return IsNormal(Width(module_, scalar), LiteralValue(module_, value).value_or(0));
      case spv::Op::OpLoad:
        return loads_ != Loads::kNone && IsInput(inst);
      case spv::Op::OpConstantComposite:
      case spv::Op::OpCompositeConstruct:
      case spv::Op::OpCopyObject:
        return AreSure(inst, 0, 1);
      case spv::Op::OpCompositeExtract:
      case spv::Op::OpVectorShuffle:
        return loads_ != Loads::kNone && AreSure(inst, 0, 1);
      case spv::Op::OpSelect:
        return AreSure(inst, 1, 1);
      case spv::Op::OpPhi:
        return AreSure(inst, 0, 2);
      default:
        return false;
    }
  }

 private:
  static constexpr int kMostVisits = 24;

  static bool IsNormal(uint32_t width, uint64_t bits) {
    return IsPlainFloat(width, bits) && (bits & ~(uint64_t{1} << (width - 1))) != 0;
  }

  bool IsInput(Inst load) const {
    switch (StorageClassOf(module_, module_.TypeOf(module_.IdAt(load, 0)))) {
      case spv::StorageClass::Input:
      case spv::StorageClass::Uniform:
      case spv::StorageClass::PushConstant:
        return loads_ == Loads::kInputs || IsSurelyExact(view_, module_.Result(load));
      default:
        return false;
    }
  }

  bool AreSure(Inst inst, uint32_t begin, uint32_t step) {
    for (uint32_t i = begin; i < module_.OperandCount(inst); i += step) {
      if (!module_.IsId(inst, i)) continue;
      if (!IsSure(module_.IdAt(inst, i))) return false;
      view_.DependOn(inst, i);
    }
    return true;
  }

  const View& view_;
  const Module& module_;
  const Loads loads_;
  int visits_ = 0;
};

bool IsNumbers(const Module& module, Id type) {
  if (TypeOpcode(module, type) == spv::Op::OpTypeMatrix) return true;
  const Id scalar = ScalarType(module, type);
  return scalar != Id::kNone && Width(module, scalar) != 0;
}

// The type at the end of the path; kNone if the path is invalid or leads to something that does not
// consist of numbers.
Id NumbersAt(const Module& module, Id type, const std::vector<uint32_t>& path) {
  for (uint32_t index : path) {
    if (HasMemberDecoration(module, type, index, spv::Decoration::RelaxedPrecision)) {
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
  // Two variables at one place may have different layouts, so the path would be ambiguous.
  if (several) return std::nullopt;
  if (found == Inst::kNone) return std::nullopt;
  const Id variable = module.Result(found);
  const Id whole = ElementType(module, module.Type(found));
  const bool in_array = IsBlockArray(module, variable);
  const Id block = in_array ? ElementType(module, whole) : whole;
  if (FindDecoration(module, block, spv::Decoration::Block) == Inst::kNone ||
      FindDecoration(module, variable, spv::Decoration::RelaxedPrecision) != Inst::kNone) {
    return std::nullopt;
  }
  const Id type = NumbersAt(module, whole, input.path);
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

bool HasSureBits(const View& view, Id value) {
  return FloatSearch(view, Loads::kExactInputs).IsSure(value);
}

bool AreBitsKept(const View& view, Id value) {
  return FloatSearch(view, Loads::kInputs).IsSure(value);
}

bool IsSurelyNormal(const View& view, Id value) {
  return FloatSearch(view, Loads::kNone).IsSure(value);
}

}  // namespace rules
}  // namespace refract
