// SPDX-License-Identifier: Apache-2.0
// Replaces a copy of memory by a load and a store.
#include "message/replace_copy_memory_with_load_store.h"

#include "ir/types.h"
#include "rules/context_editor.h"
#include "rules/legality/memory.h"
#include "rules/rule.h"
#include "transform/memory/memory_operands.h"

namespace refract::replace_copy_memory_with_load_store {
namespace {

using Message = message::ReplaceCopyMemoryWithLoadStore;
enum Role : uint64_t { kLoad = 1 };

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst copy = view.Find(message.copy);
  if (copy == Inst::kNone) return No("the instruction does not exist");
  if (module.Opcode(copy) != spv::Op::OpCopyMemory || !MemoryOperandsOf(module, copy)) {
    return No("the instruction is not an OpCopyMemory with known memory operands");
  }
  view.DependOn(copy, 1);  // a step may have turned a store into this copy
  if (!IsStorable(module, PointeeOf(module, module.IdAt(copy, 0)))) {
    return No("loading values of this type is not supported");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst copy = module.Find(message.copy);
  const AllMemoryOperands all = AsTwo(*MemoryOperandsOf(module, copy));
  const Id target = module.IdAt(copy, 0), source = module.IdAt(copy, 1);
  Args load_args{source};
  Append(all.second, false, &load_args);
  const Id loaded = editor.InsertValue(copy, spv::Op::OpLoad, PointeeOf(module, source),
                                       editor.Made(kLoad), load_args);
  if (const Steps* why = editor.facts().IrrelevantPointee(source)) {
    editor.facts().SetIrrelevant(loaded, editor.Provenance(*why));
  }
  Args store_args{target, loaded};
  Append(all.first, false, &store_args);
  editor.SetOpcode(copy, spv::Op::OpStore);
  editor.SetOperands(copy, store_args);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (module.Opcode(inst) == spv::Op::OpCopyMemory && proposer.ShouldTry()) {
          proposer.Offer(Message{module.NameOf(inst)});
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 70}, .follow_ons = {"resize_access", "load_again"}});

}  // namespace refract::replace_copy_memory_with_load_store
