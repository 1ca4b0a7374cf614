// SPDX-License-Identifier: Apache-2.0
// Makes a load or store of the Vulkan memory model non-private, and makes what it writes available
// or what it reads visible. This orders more accesses than before, so fewer executions are allowed.
#include "message/make_access_visible.h"

#include <optional>

#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"
#include "transform/memory/memory_operands.h"

namespace refract::make_access_visible {
namespace {

using Message = message::MakeAccessVisible;
using spv::Op;

// SPIR-V 3.26: NonPrivatePointer is for memory that invocations share.
bool IsShared(spv::StorageClass storage) {
  return storage == spv::StorageClass::StorageBuffer || storage == spv::StorageClass::Workgroup ||
         storage == spv::StorageClass::Uniform;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.access);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  const bool accesses = module.Opcode(inst) == Op::OpLoad || module.Opcode(inst) == Op::OpStore;
  const std::optional<AllMemoryOperands> all =
      accesses ? MemoryOperandsOf(module, inst) : std::nullopt;
  if (!all) return No("the instruction is not a load or store with known memory operands");
  if (!HasCapability(module, spv::Capability::VulkanMemoryModel)) {
    return No("the module does not use the Vulkan memory model");
  }
  const Id pointer = module.IdAt(inst, 0);
  if (!IsShared(StorageClassOf(module, module.TypeOf(pointer)))) {
    return No("the memory belongs to one invocation");
  }
  constexpr uint32_t kBoth = MemoryOperands::kMakeAvailable | MemoryOperands::kMakeVisible;
  if ((all->first.mask & kBoth) != 0) {
    return No("the access already makes memory available or visible");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.access);
  const AllMemoryOperands all = *MemoryOperandsOf(module, inst);
  MemoryOperands operands = all.first;
  const Id scope = Declare(
      editor, ScalarConstant(IntType(32, false), static_cast<uint64_t>(spv::Scope::QueueFamily)));
  operands.mask |= MemoryOperands::kNonPrivate;
  if (module.Opcode(inst) == Op::OpLoad) {
    operands.mask |= MemoryOperands::kMakeVisible;
    operands.visible = scope;
  } else {
    operands.mask |= MemoryOperands::kMakeAvailable;
    operands.available = scope;
  }
  Args args;
  for (uint32_t i = 0; i < all.first_operand; ++i) args.push_back(module.IdAt(inst, i));
  Append(operands, false, &args);
  editor.SetOperands(inst, args);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (!HasCapability(module, spv::Capability::VulkanMemoryModel)) return;
  const auto fits = [&](Inst inst) {
    const Op opcode = module.Opcode(inst);
    return (opcode == Op::OpLoad || opcode == Op::OpStore) &&
           IsShared(StorageClassOf(module, module.TypeOf(module.IdAt(inst, 0))));
  };
  OfferOperations<Message>(proposer, fits, Check);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {5, 40}, .follow_ons = {"set_memory_operands"}});

}  // namespace refract::make_access_visible
