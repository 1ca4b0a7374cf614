// SPDX-License-Identifier: Apache-2.0
// Replaces a variable of a composite type by one variable for each part. Loads of the whole compose
// the parts, and stores of the whole take the value apart.
#include "message/split_variable.h"

#include <algorithm>

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/memory.h"
#include "rules/legality/parts.h"
#include "rules/legality/replaceable_variables.h"
#include "rules/values.h"

namespace refract::split_variable {
namespace {

using Message = message::SplitVariable;
enum Role : uint64_t {
  kPart = 1,
  kLoad = 2,
  kExtract = 3,
  kStore = 4,
  kRelaxed = 5,
};

constexpr uint32_t kMostParts = 32;

// The part that an access chain leads to; nullopt if the index is not constant or is out of range.
std::optional<uint32_t> PartOf(const Module& module, Inst chain, uint32_t parts) {
  if (module.OperandCount(chain) < 2) return std::nullopt;
  const std::optional<uint64_t> index = LiteralValue(module, module.IdAt(chain, 1));
  if (!index || *index >= parts) return std::nullopt;
  return static_cast<uint32_t>(*index);
}

CheckResult CheckUse(const Module& module, const PointerUse& use, uint32_t parts) {
  const spv::Op opcode = module.Opcode(use.user);
  if (IsAccessChain(opcode) && use.operand == 0) {
    if (!PartOf(module, use.user, parts)) {
      return No("an access to the variable has an index that is not constant or is out of range");
    }
    // A pointer to exactly the part is removed.
    if (module.OperandCount(use.user) == 2 && !IsTouchable(module, module.Result(use.user))) {
      return No("a decoration on a pointer forbids the change");
    }
    return Yes();
  }
  if (opcode == spv::Op::OpLoad && !IsTouchable(module, module.Result(use.user))) {
    return No("a decoration on a loaded value forbids the change");
  }
  const bool is_access =
      (opcode == spv::Op::OpLoad && module.OperandCount(use.user) == 1) ||
      (opcode == spv::Op::OpStore && use.operand == 0 && module.OperandCount(use.user) == 2);
  return is_access ? Yes() : No("an instruction uses the variable as a whole");
}

// False if the initialiser does not give an initial value for each part.
bool HasPartsOfInitializer(const Module& module, Id variable, uint32_t parts) {
  const Inst inst = module.Definition(variable);
  if (module.OperandCount(inst) < 2) return true;
  const Inst value = module.Definition(module.IdAt(inst, 1));
  switch (module.Opcode(value)) {
    case spv::Op::OpConstantNull:
      return true;
    case spv::Op::OpConstantComposite:
    case spv::Op::OpSpecConstantComposite:
      return module.OperandCount(value) == parts;
    default:
      return false;
  }
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Id variable = module.FindId(message.variable);
  if (CheckResult check_result = IsReplaceableVariable(view, variable); !check_result)
    return check_result;
  const uint32_t parts = PartCount(module, PointeeOf(module, variable)).value_or(0);
  if (parts == 0 || parts > kMostParts) return No("the variable has no parts or too many parts");
  if (!HasPartsOfInitializer(module, variable, parts)) {
    return No("the initializers of the parts are not known");
  }
  for (const PointerUse& use : UsesInFunctions(module, variable)) {
    if (CheckResult check_result = CheckUse(module, use, parts); !check_result) return check_result;
  }
  return Yes();
}

Id InitializerOf(ContextEditor& editor, Id variable, uint32_t part, Id type) {
  const Module& module = editor.module();
  const Inst inst = module.Definition(variable);
  if (module.OperandCount(inst) < 2) return Id::kNone;
  const Inst value = module.Definition(module.IdAt(inst, 1));
  if (module.Opcode(value) == spv::Op::OpConstantNull) return DeclareNull(editor, type);
  return module.IdAt(value, part);
}

std::vector<Id> MakeParts(ContextEditor& editor, Id variable) {
  const Module& module = editor.module();
  const Id type = PointeeOf(module, variable);
  const Function function = module.FunctionOf(module.Definition(variable));
  const Steps* irrelevant = editor.facts().IrrelevantPointee(variable);
  const Steps why = irrelevant != nullptr ? *irrelevant : Steps();
  std::vector<Id> parts;
  for (uint32_t i = 0; i < *PartCount(module, type); ++i) {
    const Id part_type = PartType(module, type, i);
    const Id part = refract::AddVariable(editor, StorageClassOf(module, module.TypeOf(variable)),
                                         function, part_type, editor.Made(kPart, uint64_t{i}),
                                         InitializerOf(editor, variable, i, part_type));
    if (HasRelaxedPrecision(module, variable) ||
        HasMemberDecoration(module, type, i, spv::Decoration::RelaxedPrecision)) {
      AddRelaxedPrecision(editor, part, kRelaxed);
    }
    if (irrelevant != nullptr) editor.facts().SetIrrelevantPointee(part, editor.Provenance(why));
    parts.push_back(part);
  }
  return parts;
}

// Changes an access chain to lead to the variable of its part, or into it.
void RewriteChain(ContextEditor& editor, Inst chain, const std::vector<Id>& parts) {
  const Module& module = editor.module();
  const Id part = parts[*PartOf(module, chain, static_cast<uint32_t>(parts.size()))];
  if (module.OperandCount(chain) > 2) {
    Args args{part};
    for (uint32_t i = 2; i < module.OperandCount(chain); ++i) {
      args.push_back(module.IdAt(chain, i));
    }
    editor.SetOperands(chain, args);
    return;
  }
  const Id pointer = module.Result(chain);
  for (const PointerUse& use : UsesInFunctions(module, pointer)) {
    editor.SetOperand(use.user, use.operand, part);
  }
  editor.Remove(chain);
}

void RewriteLoad(ContextEditor& editor, Inst load, const std::vector<Id>& parts) {
  const Module& module = editor.module();
  const Id type = module.Type(load);
  Args values;
  for (uint32_t i = 0; i < parts.size(); ++i) {
    const Id value =
        editor.InsertValue(load, spv::Op::OpLoad, PartType(module, type, i),
                           editor.Made(kLoad, module.NameOf(load), uint64_t{i}), {parts[i]});
    editor.CopyValueDecorations(module.Result(load), value);
    AddPartFacts(editor, value, module.Result(load), i);
    values.push_back(value);
  }
  // The loads determine the precision; the composite is only put together.
  editor.RemoveDecorations(module.Result(load));
  editor.SetOpcode(load, spv::Op::OpCompositeConstruct);
  editor.SetOperands(load, values);
}

// The old store becomes the store of the last part.
void RewriteStore(ContextEditor& editor, Inst store, const std::vector<Id>& parts) {
  const Module& module = editor.module();
  const Id value = module.IdAt(store, 1);
  const Id type = module.TypeOf(value);
  for (uint32_t i = 0; i < parts.size(); ++i) {
    const Id part =
        editor.InsertValue(store, spv::Op::OpCompositeExtract, PartType(module, type, i),
                           editor.Made(kExtract, module.NameOf(store), uint64_t{i}), {value, i});
    AddPartFacts(editor, part, value, i);
    if (i + 1 == parts.size()) {
      editor.SetOperands(store, {parts[i], part});
    } else {
      editor.InsertPlain(store, spv::Op::OpStore,
                         editor.Made(kStore, module.NameOf(store), uint64_t{i}), {parts[i], part});
    }
  }
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Id variable = module.FindId(message.variable);
  const std::vector<Id> parts = MakeParts(editor, variable);
  for (const PointerUse& use : UsesInFunctions(module, variable)) {
    switch (module.Opcode(use.user)) {
      case spv::Op::OpLoad:
        RewriteLoad(editor, use.user, parts);
        break;
      case spv::Op::OpStore:
        RewriteStore(editor, use.user, parts);
        break;
      default:
        RewriteChain(editor, use.user, parts);
    }
  }
  ReplaceInInterfaces(editor, variable, parts);
  editor.Remove(module.Definition(variable));
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto offer = [&](Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpVariable) return;
    if (!PartCount(module, PointeeOf(module, module.Result(inst))) || !proposer.ShouldTry()) return;
    const Message message{module.NameOf(inst)};
    if (Check(message, proposer.view())) proposer.Offer(message);
  };
  ForEachGlobalVariable(module, offer);
  ForEachFunction(proposer, [&](Function function) {
    if (module[function].first == Block::kNone) return;
    ForEachInstruction(module, module[function].first, offer);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60}, .follow_ons = {"pack_variables", "access", "move_variable"}});

}  // namespace refract::split_variable
