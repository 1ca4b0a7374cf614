// SPDX-License-Identifier: Apache-2.0
// Expands a load from an array of uniform blocks into a load from each block, of which the index
// selects one. All descriptors of the array are given, because the inputs must have a value for all
// of them (docs/inputs.md), and nothing writes uniform blocks.
#include "message/expand_descriptor_index.h"

#include <vector>

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/legality/memory.h"
#include "rules/offer.h"
#include "rules/values.h"

namespace refract::expand_descriptor_index {
namespace {

using Message = message::ExpandDescriptorIndex;
using spv::Op;
enum Role : uint64_t { kPointer = 1, kLoaded = 2, kIsIndex = 3, kCondition = 4, kChosen = 5 };

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
  if (IsConstant(module.OpcodeOf(module.IdAt(chain, 1)))) return No("the index is a constant");
  const uint32_t blocks = Blocks(module, chain);
  if (blocks < 2 || blocks > kMostBlocks) return No("the array does not have 2 to 16 blocks");
  if (module.OperandCount(inst) != 1) return No("the load has memory operands");
  if (ScalarType(module, module.Type(inst)) == Id::kNone ||
      !IsOrdinary(module, module.Type(inst))) {
    return No("the value is not a scalar or vector");
  }
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.load), chain = ChainOf(module, inst);
  const Id result = module.Result(inst), type = module.Type(inst);
  const Id index = module.IdAt(chain, 1), pointer = module.Type(chain);
  const Op opcode = module.Opcode(chain);
  Args places;
  for (uint32_t i = 0; i < module.OperandCount(chain); ++i) places.push_back(module.IdAt(chain, i));
  // Without a goal: the loads must stay in range, whoever uses the value.
  Builder builder(editor, inst);
  const Id flag = Declare(editor, BoolType());
  const uint32_t size = IsVector(module, type) ? PartCount(module, type).value() : 1;
  const Id flags = size == 1 ? flag : Declare(editor, VectorType(BoolType(), size));
  const uint32_t blocks = Blocks(module, chain);
  Id chosen = Id::kNone;
  for (uint32_t i = 0; i < blocks; ++i) {
    const Id number = Declare(editor, ScalarConstant(module, module.TypeOf(index), i));
    places[1] = number;
    const Id place = builder.Compute(opcode, pointer, editor.Made(kPointer, i), places);
    const Id loaded = builder.Compute(Op::OpLoad, type, editor.Made(kLoaded, i), {place});
    editor.CopyValueDecorations(result, loaded);
    if (i == 0) {
      chosen = loaded;
      continue;
    }
    Id here = builder.Compute(Op::OpIEqual, flag, editor.Made(kIsIndex, i), {index, number});
    if (size != 1) {
      here = builder.Construct(flags, editor.Made(kCondition, i), std::vector<Id>(size, here));
    }
    if (i + 1 == blocks) {
      editor.SetOpcode(inst, Op::OpSelect);
      editor.SetOperands(inst, {here, loaded, chosen});
    } else {
      chosen = builder.Compute(Op::OpSelect, type, editor.Made(kChosen, i), {here, loaded, chosen});
    }
  }
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
    {.chance = {30, 100}, .follow_ons = {"replace_select_with_branch", "load_again"}});

}  // namespace refract::expand_descriptor_index
