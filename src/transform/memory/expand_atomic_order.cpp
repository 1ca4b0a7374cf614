// SPDX-License-Identifier: Apache-2.0
// Replaces the memory order of an atomic by barriers. A barrier before or after a relaxed atomic
// orders what the semantics of the atomic would order, and the accesses to other places too
// (Vulkan, "Memory Model", synchronizes-with: release and acquire barriers with atomics).
#include "message/expand_atomic_order.h"

#include <optional>

#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/context_editor.h"
#include "rules/offer.h"
#include "transform/memory/memory_order.h"

namespace refract::expand_atomic_order {
namespace {

using Message = message::ExpandAtomicOrder;
using Operands = MemoryOrderOperands;
using spv::Op;
enum Role : uint64_t { kRelease = 1, kAcquire = 2 };

bool IsAtomic(Op opcode) {
  return opcode != Op::OpMemoryBarrier && opcode != Op::OpControlBarrier &&
         MemoryOrderOperandsOf(opcode).scope != Operands::kNone;
}

// The semantics of the barriers that replace the order; 0: no barrier.
struct Barriers {
  uint32_t before = 0, after = 0;
};

std::optional<Barriers> BarriersFor(uint32_t semantics) {
  const uint32_t flags = MemoryOrder::kMakeAvailable | MemoryOrder::kMakeVisible;
  const uint32_t order = semantics & MemoryOrder::kOrders;
  // Uniform, subgroup, workgroup, cross-workgroup, atomic counter, image and output memory.
  constexpr uint32_t kMemories = 0x1fc0;
  const uint32_t memories = semantics & kMemories;
  if (memories == 0 || (semantics & ~(MemoryOrder::kOrders | kMemories | flags)) != 0) {
    return std::nullopt;
  }
  if (order != MemoryOrder::kAcquire && order != MemoryOrder::kRelease &&
      order != MemoryOrder::kAcquireRelease) {
    return std::nullopt;
  }
  Barriers barriers;
  if ((ImpliedOrder(order) & MemoryOrder::kRelease) != 0) {
    barriers.before = MemoryOrder::kRelease | memories | (semantics & MemoryOrder::kMakeAvailable);
  }
  if ((ImpliedOrder(order) & MemoryOrder::kAcquire) != 0) {
    barriers.after = MemoryOrder::kAcquire | memories | (semantics & MemoryOrder::kMakeVisible);
  }
  return barriers;
}

std::optional<uint64_t> Literal(const View& view, Inst inst, uint32_t operand) {
  const Id constant = view.module().IdAt(inst, operand);
  view.DependOn(inst, operand);
  if (view.IsIrrelevant(constant)) return std::nullopt;
  return LiteralValue(view.module(), constant);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.atomic);
  if (inst == Inst::kNone) return No("the instruction does not exist");
  if (!IsAtomic(module.Opcode(inst))) return No("the instruction is not an atomic on ints");
  const Operands operands = MemoryOrderOperandsOf(module.Opcode(inst));
  const std::optional<uint64_t> semantics = Literal(view, inst, operands.semantics);
  if (!semantics || !BarriersFor(static_cast<uint32_t>(*semantics))) {
    return No("the memory semantics are not Acquire, Release or AcquireRelease of a known memory");
  }
  if (operands.unequal != Operands::kNone) {
    const std::optional<uint64_t> unequal = Literal(view, inst, operands.unequal);
    const auto orders = [](uint64_t bits) {
      return ImpliedOrder(static_cast<uint32_t>(bits) & MemoryOrder::kOrders);
    };
    // The barriers must order what Unequal does.
    if (!unequal || (*unequal & ~*semantics & ~uint64_t{MemoryOrder::kOrders}) != 0 ||
        (orders(*unequal) & ~orders(*semantics)) != 0) {
      return No("Unequal semantics order more than Equal semantics do");
    }
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.atomic);
  const Operands operands = MemoryOrderOperandsOf(module.Opcode(inst));
  const Id semantics = module.IdAt(inst, operands.semantics);
  const Id type = module.TypeOf(semantics), scope = module.IdAt(inst, operands.scope);
  const Barriers barriers =
      *BarriersFor(static_cast<uint32_t>(LiteralValue(module, semantics).value()));
  const auto declare = [&](uint32_t bits) {
    return Declare(editor, ScalarConstant(module, type, bits));
  };
  if (barriers.before != 0) {
    editor.InsertPlain(inst, Op::OpMemoryBarrier, editor.Made(kRelease),
                       {scope, declare(barriers.before)});
  }
  if (barriers.after != 0) {
    editor.InsertPlain(module.Next(inst), Op::OpMemoryBarrier, editor.Made(kAcquire),
                       {scope, declare(barriers.after)});
  }
  const Id relaxed = declare(0);
  editor.SetOperand(inst, operands.semantics, relaxed);
  if (operands.unequal != Operands::kNone) editor.SetOperand(inst, operands.unequal, relaxed);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return IsAtomic(module.Opcode(inst)); };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    const Message message{module.NameOf(inst)};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {30, 100}, .follow_ons = {"strengthen_memory", "replace_atomic_arithmetic"}});

}  // namespace refract::expand_atomic_order
