// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/upper_bound.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/bits.h"
#include "rules/build/formula.h"
#include "rules/legality/memory.h"

namespace refract {
inline namespace rules {
namespace {

// The largest number with as many bits as `bound`.
uint64_t AsLong(uint64_t bound) {
  return LowBits(static_cast<uint64_t>(std::bit_width(bound)));
}

// The number of invocations of a workgroup, in its largest dimension or in total, from the
// declarations of the entry points. WorkgroupSize takes precedence over LocalSize (Vulkan,
// "WorkgroupSize").
uint64_t LocalSize(const Module& module, bool in_all) {
  constexpr uint64_t kNotKnown = ~uint64_t{0};
  uint64_t most = 0;
  const auto add = [&](uint64_t x, uint64_t y, uint64_t z) {
    if (x > UINT16_MAX || y > UINT16_MAX || z > UINT16_MAX) most = kNotKnown;
    most = std::max(most, in_all ? x * y * z : std::max({x, y, z}));
  };
  ForEachInstruction(module, Module::SectionBlock(Section::kExecutionModes), [&](Inst mode) {
    if (module.Opcode(mode) == spv::Op::OpExecutionModeId) {
      most = kNotKnown;
    } else if (module.Word(mode, 1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSize)) {
      add(module.Word(mode, 2), module.Word(mode, 3), module.Word(mode, 4));
    }
  });
  ForEachInstruction(module, Module::SectionBlock(Section::kAnnotations), [&](Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpDecorate ||
        module.Word(inst, 1) != static_cast<uint32_t>(spv::Decoration::BuiltIn) ||
        module.Word(inst, 2) != static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize)) {
      return;
    }
    const Inst size = module.Definition(module.IdAt(inst, 0));
    uint64_t sizes[3] = {kNotKnown, 1, 1};
    if (module.Opcode(size) == spv::Op::OpConstantComposite && module.OperandCount(size) == 3) {
      for (uint32_t i = 0; i < 3; ++i) {
        sizes[i] = LiteralValue(module, module.IdAt(size, i)).value_or(kNotKnown);
      }
    }
    add(sizes[0], sizes[1], sizes[2]);
  });
  return most == 0 ? kNotKnown : most;
}

// Vulkan, "Built-In Variables": an index is less than the size that it counts up to.
uint64_t BoundOfBuiltIn(const Module& module, spv::BuiltIn built_in) {
  constexpr uint64_t kMostSubgroup = 128, kMostSamples = 64;
  switch (built_in) {
    case spv::BuiltIn::SubgroupSize:
      return kMostSubgroup;
    case spv::BuiltIn::SubgroupLocalInvocationId:
      return kMostSubgroup - 1;
    case spv::BuiltIn::NumSubgroups:
      return LocalSize(module, true);
    case spv::BuiltIn::SubgroupId:
    case spv::BuiltIn::LocalInvocationIndex:
      return LocalSize(module, true) - 1;
    case spv::BuiltIn::LocalInvocationId:
      return LocalSize(module, false) - 1;
    case spv::BuiltIn::SampleId:
      return kMostSamples - 1;
    default:
      return ~uint64_t{0};
  }
}

class Search {
 public:
  explicit Search(const View& view) : view_(view), module_(view.module()) {}

  uint64_t Bound(Id value) {
    if (IsPointer(module_, module_.TypeOf(value))) return Input(value);
    const Id scalar = ScalarType(module_, module_.TypeOf(value));
    if (scalar == Id::kNone || !IsInt(module_, scalar)) return ~uint64_t{0};
    const uint64_t most = LowBits(Width(module_, scalar));
    if (view_.facts().Irrelevant(value) != nullptr || visits_ == kMostVisits) return most;
    // With 16 bits, the value may be truncated or negative.
    if (FindDecoration(module_, value, spv::Decoration::RelaxedPrecision) != Inst::kNone) {
      return most;
    }
    ++visits_;
    if (const auto literal = SplatLiteral(view_, value)) return *literal;
    return std::min(most, BoundOf(module_.Definition(value), most));
  }

 private:
  static constexpr int kMostVisits = 24;

  uint64_t Operand(Inst inst, uint32_t operand) {
    view_.DependOn(inst, operand);
    return Bound(module_.IdAt(inst, operand));
  }

  std::optional<uint64_t> Literal(Inst inst, uint32_t operand) const {
    view_.DependOn(inst, operand);
    return SplatLiteral(view_, module_.IdAt(inst, operand));
  }

  uint64_t Largest(Inst inst, uint32_t begin, uint32_t step, uint64_t most) {
    uint64_t bound = 0;
    for (uint32_t i = begin; i < module_.OperandCount(inst) && bound < most; i += step) {
      bound = std::max(bound, Operand(inst, i));
    }
    return bound;
  }

  // The bound of the variable that the pointer leads to.
  uint64_t Input(Id pointer) const {
    const Id root = RootOfPointer(module_, pointer);
    if (root == Id::kNone ||
        StorageClassOf(module_, module_.TypeOf(root)) != spv::StorageClass::Input) {
      return ~uint64_t{0};
    }
    const Inst built_in = FindDecoration(module_, root, spv::Decoration::BuiltIn);
    if (built_in == Inst::kNone) return ~uint64_t{0};
    return BoundOfBuiltIn(module_, static_cast<spv::BuiltIn>(module_.Word(built_in, 2)));
  }

  // `most` is the largest value of the type.
  uint64_t BoundOf(Inst inst, uint64_t most) {
    switch (module_.Opcode(inst)) {
      case spv::Op::OpLoad:
        return Input(module_.IdAt(inst, 0));
      case spv::Op::OpCompositeExtract:
        return IsVector(module_, module_.TypeOf(module_.IdAt(inst, 0))) ? Operand(inst, 0) : most;
      case spv::Op::OpCopyObject:
      case spv::Op::OpCompositeConstruct:
        return Largest(inst, 0, 1, most);
      case spv::Op::OpSelect:
        return Largest(inst, 1, 1, most);
      case spv::Op::OpPhi:
        return Largest(inst, 0, 2, most);
      case spv::Op::OpBitwiseAnd:
        return std::min(Operand(inst, 0), Operand(inst, 1));
      case spv::Op::OpBitwiseOr:
      case spv::Op::OpBitwiseXor:
        return AsLong(Operand(inst, 0)) | AsLong(Operand(inst, 1));
      case spv::Op::OpIAdd: {
        const uint64_t a = Operand(inst, 0), b = Operand(inst, 1);
        return a <= most && b <= most - a ? a + b : most;
      }
      case spv::Op::OpUMod: {
        const auto divisor = Literal(inst, 1);
        return divisor && *divisor != 0 ? std::min(*divisor - 1, Operand(inst, 0)) : most;
      }
      case spv::Op::OpUDiv: {
        const auto divisor = Literal(inst, 1);
        return divisor && *divisor != 0 ? Operand(inst, 0) / *divisor : most;
      }
      case spv::Op::OpShiftRightLogical: {
        const auto shift = Literal(inst, 1);
        return shift && *shift < 64 ? Operand(inst, 0) >> *shift : most;
      }
      case spv::Op::OpUConvert:
        return std::min(most, Operand(inst, 0));
      case spv::Op::OpBitFieldUExtract: {
        const auto count = Literal(inst, 2);
        return count && *count < 64 ? LowBits(*count) : most;
      }
      default:
        return most;
    }
  }

  const View& view_;
  const Module& module_;
  int visits_ = 0;
};

}  // namespace

uint64_t UpperBound(const View& view, Id value) {
  return Search(view).Bound(value);
}

}  // namespace rules
}  // namespace refract
