// SPDX-License-Identifier: Apache-2.0
#include "transform/control_flow/impossible_value.h"

#include <algorithm>
#include <optional>

#include "ir/types.h"

namespace refract {
inline namespace transform {
namespace {

constexpr int kMostSteps = 4;
constexpr uint32_t kMostInputs = 16;

// The value of the operand if it is a literal constant and not irrelevant. Records a dependency on
// the operand.
std::optional<uint64_t> Literal(const View& view, Inst inst, uint32_t operand) {
  const Module& module = view.module();
  const Id id = module.IdAt(inst, operand);
  if (view.facts().Irrelevant(id) != nullptr) return std::nullopt;
  const std::optional<uint64_t> value = LiteralValue(module, id);
  if (value) view.DependOn(inst, operand);
  return value;
}

bool CannotEqualWithin(const View& view, Id id, uint64_t bits, int steps);

// True if none of these operands has the value.
bool CannotAllEqual(const View& view, Inst inst, uint32_t begin, uint32_t step, uint64_t bits,
                    int steps) {
  const Module& module = view.module();
  for (uint32_t i = begin; i < module.OperandCount(inst); i += step) {
    if (!CannotEqualWithin(view, module.IdAt(inst, i), bits, steps - 1)) return false;
    view.DependOn(inst, i);
  }
  return true;
}

bool CannotEqualWithin(const View& view, Id id, uint64_t bits, int steps) {
  const Module& module = view.module();
  if (view.facts().Irrelevant(id) != nullptr || steps == 0) return false;
  if (const auto value = LiteralValue(module, id)) return *value != bits;
  const Inst inst = module.Definition(id);
  const uint32_t width = Width(module, module.Type(inst));
  switch (module.Opcode(inst)) {
    case spv::Op::OpCopyObject:
      return CannotAllEqual(view, inst, 0, 1, bits, steps);
    case spv::Op::OpSelect:
      return CannotAllEqual(view, inst, 1, 1, bits, steps);
    case spv::Op::OpPhi:
      return module.OperandCount(inst) <= 2 * kMostInputs &&
             CannotAllEqual(view, inst, 0, 2, bits, steps);
    case spv::Op::OpBitwiseAnd:
      for (uint32_t i : {0u, 1u}) {
        const auto mask = Literal(view, inst, i);
        if (mask && (bits & ~*mask) != 0) return true;
      }
      return false;
    case spv::Op::OpUMod: {
      const auto divisor = Literal(view, inst, 1);
      return divisor && *divisor != 0 && bits >= *divisor;
    }
    case spv::Op::OpShiftRightLogical: {
      const auto shift = Literal(view, inst, 1);
      return shift && *shift > 0 && *shift < width && bits >> (width - *shift) != 0;
    }
    case spv::Op::OpUConvert: {
      const uint32_t from = Width(module, module.TypeOf(module.IdAt(inst, 0)));
      if (from >= width || bits >> from == 0) return false;
      view.DependOn(inst, 0);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

bool CannotEqual(const View& view, Id id, uint64_t bits) {
  return CannotEqualWithin(view, id, bits, kMostSteps);
}

}  // namespace transform
}  // namespace refract
