// SPDX-License-Identifier: Apache-2.0
#include "transform/memory/memory_operands.h"

namespace refract {
inline namespace transform {
namespace {

std::optional<uint32_t> FirstOperand(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpLoad:
      return 1;
    case spv::Op::OpStore:
    case spv::Op::OpCopyMemory:
      return 2;
    default:
      return std::nullopt;
  }
}

// Reads the memory operands that begin at `*operand` and advances `*operand` past them.
std::optional<MemoryOperands> Read(const Module& module, Inst inst, uint32_t* operand) {
  MemoryOperands result;
  result.mask = module.Word(inst, (*operand)++);
  if ((result.mask & ~MemoryOperands::kKnown) != 0) return std::nullopt;
  const auto next = [&](uint32_t bit) {
    return (result.mask & bit) != 0 ? module.Word(inst, (*operand)++) : 0;
  };
  result.alignment = next(MemoryOperands::kAligned);
  result.available = static_cast<Id>(next(MemoryOperands::kMakeAvailable));
  result.visible = static_cast<Id>(next(MemoryOperands::kMakeVisible));
  return result;
}

}  // namespace

std::optional<AllMemoryOperands> MemoryOperandsOf(const Module& module, Inst inst) {
  const std::optional<uint32_t> begin = FirstOperand(module.Opcode(inst));
  if (!begin) return std::nullopt;
  AllMemoryOperands all{*begin, 0, {}, {}};
  uint32_t operand = *begin;
  for (MemoryOperands* each : {&all.first, &all.second}) {
    if (operand >= module.OperandCount(inst)) break;
    const std::optional<MemoryOperands> read = Read(module, inst, &operand);
    if (!read) return std::nullopt;
    *each = *read;
    ++all.count;
  }
  if (all.count == 1) all.second = all.first;
  return all;
}

AllMemoryOperands AsTwo(AllMemoryOperands all) {
  all.count = 2;
  all.first.mask &= ~MemoryOperands::kMakeVisible;
  all.second.mask &= ~MemoryOperands::kMakeAvailable;
  return all;
}

void Append(const MemoryOperands& operands, bool always, Args* args) {
  if (operands.mask == 0 && !always) return;
  args->push_back(operands.mask);
  if ((operands.mask & MemoryOperands::kAligned) != 0) args->push_back(operands.alignment);
  if ((operands.mask & MemoryOperands::kMakeAvailable) != 0) args->push_back(operands.available);
  if ((operands.mask & MemoryOperands::kMakeVisible) != 0) args->push_back(operands.visible);
}

bool IsPlainAccess(const Module& module, Inst inst) {
  constexpr uint32_t kPlain = MemoryOperands::kAligned | MemoryOperands::kNontemporal;
  const std::optional<AllMemoryOperands> all = MemoryOperandsOf(module, inst);
  return all && ((all->first.mask | all->second.mask) & ~kPlain) == 0;
}

}  // namespace transform
}  // namespace refract
