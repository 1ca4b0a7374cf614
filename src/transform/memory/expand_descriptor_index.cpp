// SPDX-License-Identifier: Apache-2.0
// Expands a load from an array of uniform blocks into a switch with a case for each block. Only the
// case of the index loads, and only from its block: an application may leave descriptors that no
// invocation reads unbound (Vulkan, VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT).
#include "message/expand_descriptor_index.h"

#include <vector>

#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/legality/convergence.h"
#include "rules/legality/defined.h"
#include "rules/legality/memory.h"
#include "rules/legality/split.h"
#include "rules/legality/switch_shape.h"
#include "rules/offer.h"
#include "rules/values.h"

namespace refract::expand_descriptor_index {
namespace {

using Message = message::ExpandDescriptorIndex;
using spv::Op;
enum Role : uint64_t {
  kPointer = 1,
  kLoaded = 2,
  kMergeLabel = 3,
  kHeaderBranch = 4,
  kMerge = 5,
  kCaseLabel = 6,
  kCaseBranch = 7
};

constexpr uint32_t kMostBlocks = 16;

// The access chain of a load from an array of uniform blocks; kNone for other loads.
Inst ChainOf(const Module& module, Inst load) {
  if (module.Opcode(load) != Op::OpLoad) return Inst::kNone;
  const Inst chain = module.Definition(module.IdAt(load, 0));
  if (!IsAccessChain(module.Opcode(chain)) || module.OperandCount(chain) < 2) return Inst::kNone;
  const Id base = module.IdAt(chain, 0), type = module.TypeOf(base);
  if (module.OpcodeOf(base) != Op::OpVariable ||
      StorageClassOf(module, type) != spv::StorageClass::Uniform) {
    return Inst::kNone;
  }
  const Id array = PointeeOf(module, base);
  if (TypeOpcode(module, array) != Op::OpTypeArray || !IsArrayOfBlocks(module, array)) {
    return Inst::kNone;
  }
  // Blocks with BufferBlock can be written.
  return FindDecoration(module, ElementType(module, array), spv::Decoration::Block) == Inst::kNone
             ? Inst::kNone
             : chain;
}

uint32_t Blocks(const Module& module, Inst chain) {
  return PartCount(module, PointeeOf(module, module.IdAt(chain, 0))).value_or(0);
}

// Checks that invocations that differ in the index may take different cases.
CheckResult MaySeparate(const View& view, Inst load, Id index) {
  const Module& module = view.module();
  const Block block = module.BlockOf(load);
  if (IsSameInSubgroup(view, index, block)) return Yes();
  for (Inst inst = load; inst != module.Terminator(block); inst = module.Next(inst)) {
    if (PropertiesOf(module, inst).convergent) {
      return No("invocations might no longer be converged after the change");
    }
  }
  return MayDiverge(view, block, block, index);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.load);
  if (inst == Inst::kNone) return No("the instruction does not exist");
  const Inst chain = ChainOf(module, inst);
  if (chain == Inst::kNone) {
    return No("the instruction is not a load from an array of uniform blocks");
  }
  view.DependOn(inst, 0);
  view.DependOn(chain, 0);
  view.DependOn(chain, 1);
  const Id index = module.IdAt(chain, 1);
  if (IsConstant(module.OpcodeOf(index))) return No("the index is a constant");
  const uint32_t blocks = Blocks(module, chain);
  if (blocks < 2 || blocks > kMostBlocks) return No("the array does not have 2 to 16 blocks");
  if (module.OperandCount(inst) != 1) return No("the load has memory operands");
  if (ScalarType(module, module.Type(inst)) == Id::kNone ||
      !IsOrdinary(module, module.Type(inst))) {
    return No("the value is not a scalar or vector");
  }
  if (!IsTouchableOrNonUniform(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  const Block block = module.BlockOf(inst);
  if (!module.Flow(module[block].function).Reachable(block)) return No("the block is unreachable");
  if (const CheckResult v = MaySplitBefore(module, inst); !v) return v;
  if (const CheckResult v = MayBranchOn(view, index, block); !v) return v;
  return MaySeparate(view, inst, index);
}

// Adds the block of a case, which loads from block `number` of the array. Returns the loaded value.
Id AddCase(ContextEditor& editor, Inst load, Inst chain, uint64_t number, Block block) {
  const Module& module = editor.module();
  const Id index = module.IdAt(chain, 1);
  Args places;
  for (uint32_t i = 0; i < module.OperandCount(chain); ++i) places.push_back(module.IdAt(chain, i));
  places[1] = Declare(editor, ScalarConstant(module, module.TypeOf(index), number));
  const Inst end = module.Terminator(block);
  // Without a goal: the load must stay in range, whoever uses the value.
  Builder builder(editor, end);
  const Id place = builder.Compute(module.Opcode(chain), module.Type(chain),
                                   editor.Made(kPointer, number), places);
  editor.CopyValueDecorations(module.Result(chain), place);
  const Id loaded =
      builder.Compute(Op::OpLoad, module.Type(load), editor.Made(kLoaded, number), {place});
  editor.CopyValueDecorations(module.Result(load), loaded);
  return loaded;
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.load), chain = ChainOf(module, inst);
  const Id index = module.IdAt(chain, 1);
  const uint64_t blocks = Blocks(module, chain);
  Switch parts;
  parts.header = module.BlockOf(inst);
  parts.merge = editor.SplitBlock(inst, editor.Made(kMergeLabel), editor.Made(kHeaderBranch));
  editor.CopyDeadFacts(parts.header, parts.merge);
  const Id merge = module.LabelId(parts.merge);
  Args loaded;
  Block block = parts.header;
  for (uint64_t i = 0; i < blocks; ++i) {
    block = editor.AddBlockAfter(block, editor.Made(kCaseLabel, i));
    editor.AppendPlain(block, Op::OpBranch, editor.Made(kCaseBranch, i), {merge});
    editor.CopyDeadFacts(parts.header, block);
    loaded.push_back(AddCase(editor, inst, chain, i, block));
    loaded.push_back(module.LabelId(block));
    if (i + 1 < blocks) parts.cases.push_back({i, block});
  }
  parts.default_target = block;
  editor.InsertPlain(module.Terminator(parts.header), Op::OpSelectionMerge, editor.Made(kMerge),
                     {merge, 0u});
  editor.SetTerminator(parts.header, Op::OpSwitch, SwitchArgs(module, index, parts));
  editor.SetOpcode(inst, Op::OpPhi);
  editor.SetOperands(inst, loaded);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return ChainOf(module, inst) != Inst::kNone; };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    const Message message{module.NameOf(inst)};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {30, 100}, .follow_ons = {"add_switch_case", "move_switch_case", "load_again"}});

}  // namespace refract::expand_descriptor_index
