// SPDX-License-Identifier: Apache-2.0
// Sets or clears memory operands of a load, store or copy.
#include "message/set_memory_operands.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "ir/types.h"
#include "rules/context_editor.h"
#include "rules/legality/memory.h"
#include "rules/rule.h"
#include "transform/memory/memory_operands.h"

namespace refract::set_memory_operands {
namespace {

using Message = message::SetMemoryOperands;

// SPIR-V 3.42.8: before version 1.4, copies have one mask for both accesses.
constexpr uint32_t kTwoMasks = 0x00010400;

// The size in bytes of the smallest scalar in the type, to which every layout aligns it at least. 0
// for types that do not consist of numbers.
uint32_t SmallestScalar(const Module& module, Id type) {
  switch (TypeOpcode(module, type)) {
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      return Width(module, type) / 8;
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeArray:
      return SmallestScalar(module, ElementType(module, type));
    case spv::Op::OpTypeStruct: {
      uint32_t smallest = UINT32_MAX;
      for (uint32_t i = 0; i < module.OperandCount(module.Definition(type)); ++i) {
        if (IsRepeatedMember(module, type, i)) continue;
        smallest = std::min(smallest, SmallestScalar(module, PartType(module, type, i)));
      }
      return smallest == UINT32_MAX ? 0 : smallest;
    }
    default:
      return 0;
  }
}

CheckResult CheckAlignment(const Module& module, Inst inst, uint32_t alignment) {
  const Id type = PointeeOf(module, module.IdAt(inst, 0));
  if (!HasLogicalAddresses(module)) {
    return No("changing alignment is not supported with physical addressing");
  }
  if (alignment == 0) return Yes();
  if (!std::has_single_bit(alignment) || alignment > SmallestScalar(module, type)) {
    return No("the memory is not known to have this alignment");
  }
  return Yes();
}

MemoryOperands Wanted(const Message& message, MemoryOperands operands) {
  constexpr uint32_t kSet =
      MemoryOperands::kVolatile | MemoryOperands::kNontemporal | MemoryOperands::kAligned;
  operands.mask &= ~kSet;
  if (message.is_volatile) operands.mask |= MemoryOperands::kVolatile;
  if (message.is_nontemporal) operands.mask |= MemoryOperands::kNontemporal;
  if (message.alignment != 0) operands.mask |= MemoryOperands::kAligned;
  operands.alignment = message.alignment;
  return operands;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.access);
  if (inst == Inst::kNone) return No("the instruction does not exist");
  const std::optional<AllMemoryOperands> all = MemoryOperandsOf(module, inst);
  if (!all) return No("the instruction is not a load, store or copy with known memory operands");
  // A step that turned another instruction into this access also put its last operand in place.
  for (uint32_t i = 0; i < all->first_operand; ++i) view.DependOn(inst, i);
  if (message.second &&
      (module.Opcode(inst) != spv::Op::OpCopyMemory || module.version() < kTwoMasks)) {
    return No("a second mask of memory operands requires OpCopyMemory and SPIR-V 1.4");
  }
  const MemoryOperands& now = message.second ? all->second : all->first;
  if ((now.mask & MemoryOperands::kVolatile) != 0 && !message.is_volatile) {
    return No("a volatile access must stay volatile");
  }
  if (now.alignment == message.alignment) return Yes();
  return CheckAlignment(module, inst, message.alignment);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.access);
  AllMemoryOperands all = *MemoryOperandsOf(module, inst);
  Args args;
  for (uint32_t i = 0; i < all.first_operand; ++i) args.push_back(module.IdAt(inst, i));
  if (message.second) all = AsTwo(all);
  const bool has_second = all.count == 2;
  Append(message.second ? all.first : Wanted(message, all.first), has_second, &args);
  if (has_second) {
    Append(message.second ? Wanted(message, all.second) : all.second, true, &args);
  }
  editor.SetOperands(inst, args);
}

void Offer(Proposer& proposer, Inst inst) {
  const Module& module = proposer.module();
  const std::optional<AllMemoryOperands> all = MemoryOperandsOf(module, inst);
  if (!all) return;
  const bool may_be_second =
      module.Opcode(inst) == spv::Op::OpCopyMemory && module.version() >= kTwoMasks;
  Message message{module.NameOf(inst), may_be_second && proposer.Pick(2) == 0};
  const MemoryOperands& now = message.second ? all->second : all->first;
  message.is_volatile = (now.mask & MemoryOperands::kVolatile) != 0;
  message.is_nontemporal = (now.mask & MemoryOperands::kNontemporal) != 0;
  message.alignment = now.alignment;
  switch (proposer.Pick(4)) {
    case 0:
      message.is_volatile = true;
      break;
    case 1:
      message.is_nontemporal = !message.is_nontemporal;
      break;
    default: {
      const uint32_t most = SmallestScalar(module, PointeeOf(module, module.IdAt(inst, 0)));
      message.alignment = most == 0 ? 0 : most >> proposer.Pick(std::bit_width(most));
    }
  }
  // Skip what is already set: without the step that set it, this step would do more than it does
  // now.
  if (Wanted(message, now) == now) return;
  if (Check(message, proposer.view())) proposer.Offer(message);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        const spv::Op opcode = module.Opcode(inst);
        const bool is_access = opcode == spv::Op::OpLoad || opcode == spv::Op::OpStore ||
                               opcode == spv::Op::OpCopyMemory;
        if (is_access && proposer.ShouldTry()) Offer(proposer, inst);
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {1, 10}});

}  // namespace refract::set_memory_operands
