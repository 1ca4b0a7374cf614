// SPDX-License-Identifier: Apache-2.0
// Strengthens the memory order or the scope of an atomic or a barrier. A stronger order allows
// fewer executions, each of which was allowed before. What a stage and a memory model allow is in
// Vulkan, "Standalone SPIR-V Validation".
#include "message/strengthen_memory.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/call_graph.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/context_editor.h"
#include "rules/values.h"

namespace refract::strengthen_memory {
namespace {

using Message = message::StrengthenMemory;
using What = Message::What;

constexpr uint32_t kAcquire = 0x2, kRelease = 0x4, kAcquireRelease = 0x8;
constexpr uint32_t kOrders = 0x1e;
constexpr uint32_t kWorkgroupMemory = 0x100;
constexpr uint32_t kMemories = 0x40 | kWorkgroupMemory | 0x800;  // uniform, workgroup, image

// The operands of an instruction that define its memory order; kNone for those that it does not
// have.
struct Operands {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t scope = kNone, semantics = kNone, unequal = kNone;
  bool may_acquire = true, may_release = true;
};

Operands OperandsOf(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpMemoryBarrier:
      return {0, 1};
    case spv::Op::OpControlBarrier:
      return {1, 2};
    case spv::Op::OpAtomicLoad:
      return {1, 2, Operands::kNone, true, false};
    case spv::Op::OpAtomicStore:
      return {1, 2, Operands::kNone, false, true};
    case spv::Op::OpAtomicCompareExchange:
      return {1, 2, 3};
    case spv::Op::OpAtomicExchange:
    case spv::Op::OpAtomicIIncrement:
    case spv::Op::OpAtomicIDecrement:
    case spv::Op::OpAtomicIAdd:
    case spv::Op::OpAtomicISub:
    case spv::Op::OpAtomicSMin:
    case spv::Op::OpAtomicUMin:
    case spv::Op::OpAtomicSMax:
    case spv::Op::OpAtomicUMax:
    case spv::Op::OpAtomicAnd:
    case spv::Op::OpAtomicOr:
    case spv::Op::OpAtomicXor:
      return {1, 2};
    default:
      return {};
  }
}

uint32_t OperandOf(const Operands& operands, What what) {
  switch (what) {
    case What::kScope:
      return operands.scope;
    case What::kSemantics:
      return operands.semantics;
    case What::kUnequal:
      return operands.unequal;
    default:
      return Operands::kNone;
  }
}

// The orders that an order includes, as bits.
uint32_t Implied(uint32_t order) {
  return order == kAcquireRelease ? kAcquire | kRelease : order;
}

bool IsComputeOnly(const Module& module, Function function) {
  const std::vector<Inst> entries = EntryPointsReaching(module, function);
  return !entries.empty() && std::all_of(entries.begin(), entries.end(), [&](Inst entry) {
    return static_cast<spv::ExecutionModel>(module.Word(entry, 0)) ==
           spv::ExecutionModel::GLCompute;
  });
}

CheckResult CheckScope(const Module& module, Inst inst, uint32_t now, uint32_t wanted) {
  constexpr auto kDevice = static_cast<uint32_t>(spv::Scope::Device);
  constexpr auto kWorkgroup = static_cast<uint32_t>(spv::Scope::Workgroup);
  constexpr auto kSubgroup = static_cast<uint32_t>(spv::Scope::Subgroup);
  constexpr auto kInvocation = static_cast<uint32_t>(spv::Scope::Invocation);
  if (wanted == kDevice) {
    if (now != kWorkgroup && now != kSubgroup && now != kInvocation) {
      return No("the new scope is not known to include the old scope");
    }
    // Device scope requires a separate capability in the Vulkan memory model.
    return HasCapability(module, spv::Capability::VulkanMemoryModel)
               ? No("the memory model is not known to allow Device scope")
               : Yes();
  }
  if (wanted != kWorkgroup) return No("the new scope is not Workgroup or Device");
  if (now != kSubgroup && now != kInvocation) {
    return No("the new scope is not known to include the old scope");
  }
  return IsComputeOnly(module, module.FunctionOf(inst))
             ? Yes()
             : No("a shader of another stage can reach the function");
}

CheckResult CheckSemantics(const Module& module, Inst inst, What what, uint32_t now,
                           uint32_t wanted) {
  const Operands operands = OperandsOf(module.Opcode(inst));
  const uint32_t order = wanted & kOrders;
  if (order != kAcquire && order != kRelease && order != kAcquireRelease) {
    return No("the memory order is not Acquire, Release or AcquireRelease");
  }
  if ((Implied(now & kOrders) & ~Implied(order)) != 0) {
    return No("the memory order would be weaker");
  }
  if ((now & kMemories & ~wanted) != 0 || ((now ^ wanted) & ~(kOrders | kMemories)) != 0) {
    return No("the new memory semantics remove a kind of memory or change unrelated bits");
  }
  if ((wanted & kMemories) == 0) return No("the new memory semantics name no kind of memory");
  if ((wanted & ~now & kWorkgroupMemory) != 0 && !IsComputeOnly(module, module.FunctionOf(inst))) {
    return No("the shader stage has no Workgroup memory");
  }
  // Vulkan, VUID-StandaloneSpirv-None-04641.
  const auto scope = LiteralValue(module, module.IdAt(inst, operands.scope));
  if (!scope || *scope == static_cast<uint64_t>(spv::Scope::Invocation)) {
    return No("Invocation scope does not order memory accesses");
  }
  if (((order & kAcquireRelease) != 0 && !(operands.may_acquire && operands.may_release)) ||
      (order == kAcquire && !operands.may_acquire) ||
      (order == kRelease && !operands.may_release)) {
    return No(
        "an atomic load cannot have Release order, and an atomic store cannot have Acquire order");
  }
  if (what != What::kUnequal) return Yes();
  // SPIR-V 3.42.18: Unequal semantics must not release, because a failed exchange writes nothing,
  // and must not be stronger than Equal.
  const std::optional<uint64_t> equal = LiteralValue(module, module.IdAt(inst, operands.semantics));
  if (order != kAcquire || !equal || (Implied(*equal & kOrders) & kAcquire) == 0) {
    return No("Unequal semantics would be stronger than Equal semantics");
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.instruction);
  if (inst == Inst::kNone) return No("the instruction does not exist");
  const uint32_t operand = OperandOf(OperandsOf(module.Opcode(inst)), message.what);
  if (operand == Operands::kNone) {
    return No("the instruction does not have the scope or semantics operand to change");
  }
  const std::optional<uint64_t> now = LiteralValue(module, module.IdAt(inst, operand));
  if (!now) return No("the operand is not a constant");
  if (!HasCapability(module, spv::Capability::Shader)) {
    return No("the module does not declare the Shader capability");
  }
  view.DependOn(inst, operand);
  if (message.what != What::kScope) view.DependOn(inst, OperandsOf(module.Opcode(inst)).scope);
  if (*now == message.value) return Yes();  // already set
  const auto word = static_cast<uint32_t>(*now);
  return message.what == What::kScope
             ? CheckScope(module, inst, word, message.value)
             : CheckSemantics(module, inst, message.what, word, message.value);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.instruction);
  const uint32_t operand = OperandOf(OperandsOf(module.Opcode(inst)), message.what);
  const Id now = module.IdAt(inst, operand);
  if (LiteralValue(module, now) == message.value) return;
  editor.SetOperand(inst, operand,
                    Declare(editor, ScalarConstant(module, module.TypeOf(now), message.value)));
}

void Offer(Proposer& proposer, Inst inst) {
  const Module& module = proposer.module();
  const Operands operands = OperandsOf(module.Opcode(inst));
  Message message{module.NameOf(inst), static_cast<What>(proposer.Pick(3))};
  const uint32_t operand = OperandOf(operands, message.what);
  if (operand == Operands::kNone) return;
  const std::optional<uint64_t> now = LiteralValue(module, module.IdAt(inst, operand));
  if (!now) return;
  if (message.what == What::kScope) {
    message.value =
        static_cast<uint32_t>(proposer.Pick(2) == 0 ? spv::Scope::Device : spv::Scope::Workgroup);
  } else {
    uint32_t implied = Implied(static_cast<uint32_t>(*now) & kOrders);
    if (operands.may_acquire && proposer.Pick(2) == 0) implied |= kAcquire;
    if (operands.may_release && message.what != What::kUnequal && proposer.Pick(2) == 0) {
      implied |= kRelease;
    }
    const uint32_t order = implied == (kAcquire | kRelease) ? kAcquireRelease : implied;
    constexpr uint32_t kChoices[] = {0x40, 0x100, 0x800, 0x140};
    message.value = (static_cast<uint32_t>(*now) & ~kOrders) | order | kChoices[proposer.Pick(4)];
  }
  if (message.value != *now && Check(message, proposer.view())) proposer.Offer(message);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (OperandsOf(module.Opcode(inst)).scope != Operands::kNone && proposer.ShouldTry()) {
          Offer(proposer, inst);
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {40, 100}});

}  // namespace refract::strengthen_memory
