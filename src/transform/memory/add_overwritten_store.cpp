// SPDX-License-Identifier: Apache-2.0
// Adds a store directly before another store to the same place. Nothing reads the first value.
#include "message/add_overwritten_store.h"

#include <vector>

#include "ir/availability.h"
#include "ir/types.h"
#include "rules/legality/defined.h"
#include "rules/legality/memory.h"
#include "rules/legality/memory_places.h"
#include "rules/values.h"
#include "transform/memory/memory_operands.h"

namespace refract::add_overwritten_store {
namespace {

using Message = message::AddOverwrittenStore;
enum Role : uint64_t { kStore = 1 };

// True if outputs belong to the invocation until it ends (Vulkan, "Shader Memory Access Ordering").
// In some stages, invocations share outputs while they run.
bool AreOutputsOwn(const Module& module) {
  bool are_own = true;
  ForEachInstruction(module, Module::SectionBlock(Section::kEntryPoints), [&](Inst entry) {
    switch (static_cast<spv::ExecutionModel>(module.Word(entry, 0))) {
      case spv::ExecutionModel::Vertex:
      case spv::ExecutionModel::TessellationEvaluation:
      case spv::ExecutionModel::Geometry:
      case spv::ExecutionModel::Fragment:
      case spv::ExecutionModel::GLCompute:
        break;
      default:
        are_own = false;
    }
  });
  return are_own;
}

CheckResult CheckStore(const Module& module, Inst store) {
  if (!IsPlainAccess(module, store)) {
    return No("the load or store is volatile or orders memory accesses");
  }
  const Id pointer = module.IdAt(store, 0);
  if (!PlaceOf(module, pointer)) return No("the memory that the pointer refers to is unknown");
  if (IsVolatileOrCoherent(module, pointer)) return No("the memory is volatile");
  switch (StorageClassOf(module, module.TypeOf(pointer))) {
    case spv::StorageClass::Function:
    case spv::StorageClass::Private:
      return Yes();
    case spv::StorageClass::Output:
      return AreOutputsOwn(module)
                 ? Yes()
                 : No("other invocations may read the output between the two stores");
    default:
      return No("other invocations may read the memory between the two stores");
  }
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst store = view.Find(message.store);
  if (store == Inst::kNone) return No("the instruction does not exist");
  if (module.Opcode(store) != spv::Op::OpStore) return No("the instruction is not an OpStore");
  view.DependOn(store, 1);
  if (const CheckResult v = CheckStore(module, store); !v) return v;
  const Id value = view.Value(message.value);
  if (value == Id::kNone) return No("the value does not exist");
  if (module.TypeOf(value) != module.TypeOf(module.IdAt(store, 1))) {
    return No("the value does not have the type of the memory");
  }
  if (!IsAvailable(module, value, store)) return No("the value is not available at the store");
  if (StorageClassOf(module, module.TypeOf(module.IdAt(store, 0))) == spv::StorageClass::Output &&
      !IsSurelyDefined(view, value)) {
    return No("a value stored to an output must be defined");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst store = module.Find(message.store);
  editor.InsertPlain(store, spv::Op::OpStore, editor.Made(kStore),
                     {module.IdAt(store, 0), module.FindId(message.value)});
}

void Offer(Proposer& proposer, Inst store) {
  const Module& module = proposer.module();
  if (!CheckStore(module, store)) return;
  const Id stored = module.IdAt(store, 1);
  std::vector<Id> near = ValuesNear(module, store, 32);
  std::erase_if(near,
                [&](Id id) { return id == stored || module.TypeOf(id) != module.TypeOf(stored); });
  if (near.empty()) return;
  const Message message{module.NameOf(store), module.NameOf(near[proposer.Pick(near.size())])};
  if (Check(message, proposer.view())) proposer.Offer(message);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (module.Opcode(inst) == spv::Op::OpStore && proposer.ShouldTry()) Offer(proposer, inst);
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 20}, .follow_ons = {"load_again", "set_memory_operands"}});

}  // namespace refract::add_overwritten_store
