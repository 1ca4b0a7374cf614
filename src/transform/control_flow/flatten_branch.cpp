// SPDX-License-Identifier: Apache-2.0
// Runs both sides of a selection one after the other. The blocks of the sides are linked into a
// chain and keep their labels and terminators, so permanent names of their starts and ends stay
// valid; merge_blocks can merge them. The phis become OpSelects and keep their names too.
#include "message/flatten_branch.h"

#include <map>

#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/context_editor.h"
#include "rules/legality/condition.h"
#include "rules/legality/defined.h"
#include "rules/legality/defined_by_constants.h"
#include "rules/legality/memory.h"
#include "rules/rule.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::flatten_branch {
namespace {

using Message = message::FlattenBranch;
enum Role : uint64_t { kOld = 1, kStored = 2, kWide = 3 };

constexpr size_t kMostBlocks = 32;
constexpr size_t kMostInstructions = 400;
constexpr uint32_t kVersionWithSelectOfComposites = 0x00010400;

struct Plan {
  Block header = Block::kNone, merge = Block::kNone;
  std::vector<Block> sides[2];  // true side, false side
};

// Collects the blocks from `block` to `merge`, which must form a chain.
CheckResult Walk(const Module& module, Block block, const Plan& plan, std::vector<Block>* side) {
  const ControlFlow& flow = module.Flow(module[plan.header].function);
  for (; block != plan.merge; block = flow.Successors(block)[0]) {
    if (flow.Predecessors(block).size() != 1 || module.MergeInstruction(block) != Inst::kNone ||
        module.Opcode(module.Terminator(block)) != spv::Op::OpBranch ||
        flow.IsContinueTarget(block)) {
      return No("a branch of the selection is not a straight line of blocks to the merge block");
    }
    if (side->size() == kMostBlocks) return No("a branch of the selection is too large");
    side->push_back(block);
  }
  return Yes();
}

CheckResult MakePlan(const Module& module, Inst branch, Plan* plan) {
  if (branch == Inst::kNone || module.Opcode(branch) != spv::Op::OpBranchConditional) {
    return No("the OpBranchConditional does not exist");
  }
  plan->header = module.BlockOf(branch);
  const Inst merge = module.MergeInstruction(plan->header);
  if (merge == Inst::kNone || module.Opcode(merge) != spv::Op::OpSelectionMerge) {
    return No("the branch is not preceded by OpSelectionMerge");
  }
  const ControlFlow& flow = module.Flow(module[plan->header].function);
  if (!flow.Reachable(plan->header)) return No("the block is unreachable");
  if (module.IdAt(branch, 1) == module.IdAt(branch, 2)) {
    return No("both targets are the same block");
  }
  plan->merge = module.BlockOfLabel(module.IdAt(merge, 0));
  if (flow.Predecessors(plan->merge).size() != 2) {
    return No("the merge block does not have exactly two predecessors");
  }
  for (uint32_t i = 0; i < 2; ++i) {
    const Block target = module.BlockOfLabel(module.IdAt(branch, 1 + i));
    if (const CheckResult v = Walk(module, target, *plan, &plan->sides[i]); !v) return v;
  }
  return Yes();
}

// SPIR-V 3.42.15: before version 1.4, OpSelect takes only scalars or vectors.
bool MayBeSelected(const Module& module, Id type) {
  if (!IsOrdinary(module, type)) return false;
  return module.version() >= kVersionWithSelectOfComposites ||
         ScalarType(module, type) != Id::kNone;
}

bool MaySpeculateLoad(const Module& module, Id pointer) {
  return IsPartOfVariable(module, pointer) && IsAlwaysValid(module, pointer) &&
         MayLoad(module, pointer, false) && !IsVolatileOrCoherent(module, pointer);
}

// Requires memory that no other invocation sees, so that its current contents can be stored again.
CheckResult MayStoreGuarded(const Module& module, Inst store) {
  const Id pointer = module.IdAt(store, 0);
  if (module.OperandCount(store) != 2 || !MaySpeculateLoad(module, pointer)) {
    return No("a branch of the selection has a store that cannot be made unconditional");
  }
  switch (StorageClassOf(module, module.TypeOf(pointer))) {
    case spv::StorageClass::Function:
    case spv::StorageClass::Private:
      break;
    default:
      return No("a branch of the selection has a store that cannot be made unconditional");
  }
  if (!MayBeSelected(module, PointeeOf(module, pointer))) {
    return No("a branch of the selection stores a value of a type that OpSelect does not support");
  }
  return Yes();
}

CheckResult MaySpeculate(const Module& module, Inst inst) {
  const Properties& properties = PropertiesOf(module, inst);
  switch (module.Opcode(inst)) {
    case spv::Op::OpPhi:
    case spv::Op::OpNop:
      return Yes();
    case spv::Op::OpStore:
      return MayStoreGuarded(module, inst);
    case spv::Op::OpLoad:
      if (module.OperandCount(inst) == 1 && MaySpeculateLoad(module, module.IdAt(inst, 0)))
        return Yes();
      break;
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      if (IsAlwaysValid(module, module.Result(inst))) return Yes();
      break;
    default:
      if (IsDebugInstruction(module, inst)) return Yes();
      if (properties.may_be_speculated()) return Yes();
      if (properties.pure && !properties.convergent && IsDefinedByConstants(module, inst)) {
        return Yes();
      }
      break;
  }
  return No("a branch of the selection has an instruction that cannot be executed unconditionally");
}

CheckResult CheckSides(const Module& module, const Plan& plan) {
  size_t count = 0;
  for (const std::vector<Block>& side : plan.sides) {
    for (Block block : side) {
      for (Inst inst = module.Next(module.Label(block)); inst != module.Terminator(block);
           inst = module.Next(inst)) {
        if (++count > kMostInstructions) return No("a branch of the selection is too large");
        if (const CheckResult v = MaySpeculate(module, inst); !v) return v;
      }
    }
  }
  for (Inst phi : PhisOf(module, plan.merge)) {
    if (!MayBeSelected(module, module.Type(phi))) {
      return No("OpSelect does not support the type of a phi");
    }
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst branch = view.Find(message.branch);
  Plan plan;
  if (const CheckResult v = MakePlan(module, branch, &plan); !v) return v;
  if (const CheckResult v = CheckSides(module, plan); !v) return v;
  const Id condition = module.IdAt(branch, 0);
  // A step could replace each use of an irrelevant condition by a different value.
  if (view.facts().Irrelevant(condition) != nullptr) {
    return No("the condition is marked as irrelevant");
  }
  // The condition becomes an operand of everything that the selection decides.
  if (!IsSurelyExact(view, condition) && !view.IsUniform(condition)) {
    return No("the condition may be approximate");
  }
  for (uint32_t i = 0; i < 3; ++i) view.DependOn(branch, i);
  return Yes();
}

class Flattening {
 public:
  Flattening(ContextEditor& editor, const Plan& plan, Id condition)
      : editor_(editor), module_(editor.module()), plan_(plan), condition_(condition) {}

  void GuardStores() {
    for (const int side : {0, 1}) {
      for (Block block : plan_.sides[side]) {
        for (Inst inst = module_.Label(block); inst != Inst::kNone; inst = module_.Next(inst)) {
          if (module_.Opcode(inst) == spv::Op::OpStore) GuardStore(inst, side == 0);
        }
      }
    }
  }

  // Call this before the edges change.
  void SelectPhis() {
    const Id from_true =
        module_.LabelId(plan_.sides[0].empty() ? plan_.header : plan_.sides[0].back());
    for (Inst phi : PhisOf(module_, plan_.merge)) {
      const bool is_true_first = module_.IdAt(phi, 1) == from_true;
      const Id if_true = module_.IdAt(phi, is_true_first ? 0 : 2);
      const Id if_false = module_.IdAt(phi, is_true_first ? 2 : 0);
      const Id condition = ConditionFor(module_.Type(phi));
      editor_.SetOpcode(phi, spv::Op::OpSelect);
      editor_.SetOperands(phi, {condition, if_true, if_false});
    }
  }

  void ConcatenateSides(bool false_side_first) {
    editor_.Remove(module_.MergeInstruction(plan_.header));
    std::vector<Block> all;
    for (const int side : {false_side_first ? 1 : 0, false_side_first ? 0 : 1}) {
      all.insert(all.end(), plan_.sides[side].begin(), plan_.sides[side].end());
    }
    all.push_back(plan_.merge);
    Block last = plan_.header;
    for (Block block : all) {
      // The first block of a side, whose only predecessor was the header.
      const Id was = module_.IdAt(module_.Terminator(last), 0);
      const bool is_new = last == plan_.header || was != module_.LabelId(block);
      if (is_new) editor_.RedirectPhis(block, module_.LabelId(plan_.header), module_.LabelId(last));
      if (is_new) editor_.SetTerminator(last, spv::Op::OpBranch, {module_.LabelId(block)});
      if (block != plan_.merge) editor_.MoveBlockAfter(block, last);
      last = block;
    }
  }

  // Forgets facts that held only while the sides were conditional, in the order of the sides.
  void Forget() {
    for (const std::vector<Block>& side : plan_.sides) {
      for (Block block : side) {
        ForEachInstruction(module_, block, [&](Inst inst) {
          if (module_.Result(inst) != Id::kNone) {
            editor_.facts().ForgetPlacementFacts(module_.Result(inst));
          }
        });
        editor_.CopyDeadFacts(plan_.header, block);
      }
    }
  }

 private:
  // A vector of the condition if SPIR-V 1.3 or older requires one.
  Id ConditionFor(Id type) {
    if (module_.version() >= kVersionWithSelectOfComposites || !IsVector(module_, type)) {
      return condition_;
    }
    const uint32_t count = *PartCount(module_, type);
    Id& wide = wide_[count];
    if (wide == Id::kNone) {
      const Id vector =
          editor_.Declare(spv::Op::OpTypeVector, Id::kNone, {module_.TypeOf(condition_), count});
      wide = editor_.InsertValue(EndOfBlock(module_, plan_.header), spv::Op::OpCompositeConstruct,
                                 vector, editor_.Made(kWide, uint64_t{count}),
                                 Args(count, Arg(condition_)));
    }
    return wide;
  }

  void GuardStore(Inst store, bool if_true) {
    const Id pointer = module_.IdAt(store, 0), value = module_.IdAt(store, 1);
    const Name name = module_.NameOf(store);
    const Id type = module_.TypeOf(value);
    const Id old =
        editor_.InsertValue(store, spv::Op::OpLoad, type, editor_.Made(kOld, name), {pointer});
    const Id stored =
        editor_.InsertValue(store, spv::Op::OpSelect, type, editor_.Made(kStored, name),
                            {ConditionFor(type), if_true ? value : old, if_true ? old : value});
    // If the memory is irrelevant, so are the values in it.
    if (const Steps* why = editor_.facts().IrrelevantPointee(pointer)) {
      editor_.facts().SetIrrelevant(old, editor_.Provenance(*why));
      editor_.facts().SetIrrelevant(stored, editor_.Provenance(*why));
    }
    editor_.SetOperand(store, 1, stored);
  }

  ContextEditor& editor_;
  const Module& module_;
  const Plan& plan_;
  const Id condition_;
  std::map<uint32_t, Id> wide_;  // by number of components
};

void Apply(const Message& message, ContextEditor& editor) {
  const Inst branch = editor.module().Find(message.branch);
  Plan plan;
  (void)MakePlan(editor.module(), branch, &plan);
  Flattening flattening(editor, plan, editor.module().IdAt(branch, 0));
  flattening.Forget();
  flattening.GuardStores();
  flattening.SelectPhis();
  flattening.ConcatenateSides(message.false_side_first);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const Inst branch = module.Terminator(block);
      if (module.Opcode(branch) != spv::Op::OpBranchConditional || !proposer.ShouldTry()) return;
      Message message{module.NameOf(branch), proposer.Pick(2) == 0};
      if (Check(message, proposer.view())) proposer.Offer(message);
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60},
     .follow_ons = {"merge_blocks", "replace_select_with_branch", "split_block", "outline_function",
                    "replace_irrelevant_id", "replace_bool_constant_with_comparison"}});

}  // namespace refract::flatten_branch
