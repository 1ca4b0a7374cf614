// SPDX-License-Identifier: Apache-2.0
// Combines several variables into one. A pointer to the part takes over the name of a function
// variable, so its uses do not change; for a private variable, each function that uses it gets such
// a pointer.
#include "message/pack_variables.h"

#include <algorithm>

#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/memory.h"
#include "rules/legality/replaceable_variables.h"
#include "rules/values.h"

namespace refract::pack_variables {
namespace {

using Message = message::PackVariables;
using Kind = Message::Kind;
enum Role : uint64_t {
  kStruct = 1,
  kVariable = 2,
  kGone = 3,
  kPointer = 4,
  kRelaxed = 5,
};

constexpr size_t kMostVariables = 16;

std::vector<Id> VariablesOf(const Message& message, const Module& module) {
  std::vector<Id> variables;
  for (const Name& name : message.variables) variables.push_back(module.FindId(name));
  return variables;
}

spv::StorageClass ClassOf(const Module& module, Id variable) {
  return StorageClassOf(module, module.TypeOf(variable));
}

// False for uses that require a whole variable, such as arguments of calls (SPIR-V 2.16.1), and for
// unknown uses.
bool MayPointToPart(const Module& module, const PointerUse& use) {
  if (IsDebugInstruction(module, use.user)) return false;
  return RuleOfOperand(module, use.user, use.operand).role == OperandRole::kPointer;
}

// Steps may overwrite irrelevant variables at any time, so all parts of a combined variable must be
// irrelevant, or none.
bool IsIrrelevant(const View& view, Id variable) {
  return view.facts().IrrelevantPointee(variable) != nullptr;
}

CheckResult CheckEach(const View& view, const std::vector<Id>& variables) {
  const Module& module = view.module();
  for (size_t i = 0; i < variables.size(); ++i) {
    const Id variable = variables[i];
    if (CheckResult check_result = IsReplaceableVariable(view, variable); !check_result)
      return check_result;
    if (std::find(variables.begin(), variables.begin() + static_cast<ptrdiff_t>(i), variable) !=
        variables.begin() + static_cast<ptrdiff_t>(i)) {
      return No("a variable is listed twice");
    }
    if (ClassOf(module, variable) != ClassOf(module, variables[0]) ||
        module.FunctionOf(module.Definition(variable)) !=
            module.FunctionOf(module.Definition(variables[0]))) {
      return No("the variables are in different functions or storage classes");
    }
    if (IsIrrelevant(view, variable) != IsIrrelevant(view, variables[0])) {
      return No("some of the variables are marked as irrelevant, and others are not");
    }
    for (const PointerUse& use : UsesInFunctions(module, variable)) {
      if (!MayPointToPart(module, use)) return No("an instruction uses a variable as a whole");
    }
  }
  return Yes();
}

// Checks that a combined variable of this kind can have such parts.
CheckResult CheckKind(const Module& module, Kind kind, const std::vector<Id>& variables) {
  if (kind == Kind::kStruct) return Yes();
  if (kind != Kind::kArray && kind != Kind::kVector && kind != Kind::kMatrix) {
    return No("the kind of combined variable is unknown");
  }
  const Id type = PointeeOf(module, variables[0]);
  for (Id variable : variables) {
    if (PointeeOf(module, variable) != type) return No("the variables have different types");
    if (HasRelaxedPrecision(module, variable) != HasRelaxedPrecision(module, variables[0])) {
      return No("the variables have different precision");
    }
  }
  if (kind == Kind::kArray) return Yes();
  if (variables.size() < 2 || variables.size() > 4) {
    return No("a vector or matrix needs 2 to 4 variables");
  }
  const Id scalar = ScalarType(module, type);
  const bool fits = kind == Kind::kVector
                        ? scalar == type
                        : IsVector(module, type) && scalar != Id::kNone && IsFloat(module, scalar);
  return fits ? Yes() : No("a vector needs scalars, and a matrix needs vectors of floats");
}

message::Type WholeType(const Module& module, Kind kind, const std::vector<Id>& variables) {
  message::Type type;
  type.kind = kind == Kind::kArray    ? message::Type::Kind::kArray
              : kind == Kind::kVector ? message::Type::Kind::kVector
                                      : message::Type::Kind::kMatrix;
  type.count = static_cast<uint32_t>(variables.size());
  type.parts = {Describe(module, PointeeOf(module, variables[0]))};
  return type;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (message.variables.empty() || message.variables.size() > kMostVariables) {
    return No("the list of variables is empty or too long");
  }
  const std::vector<Id> variables = VariablesOf(message, module);
  if (CheckResult check_result = CheckEach(view, variables); !check_result) return check_result;
  if (CheckResult check_result = CheckKind(module, message.kind, variables); !check_result)
    return check_result;
  uint64_t scalars = 0;
  for (Id variable : variables) scalars += ScalarCount(module, PointeeOf(module, variable));
  return scalars <= kMaxScalars ? Yes() : No("the combined variable would be too large");
}

Id DeclareWhole(const Message& message, const std::vector<Id>& variables, ContextEditor& editor) {
  const Module& module = editor.module();
  if (message.kind != Kind::kStruct) {
    return Declare(editor, WholeType(module, message.kind, variables));
  }
  Args members;
  for (Id variable : variables) members.push_back(PointeeOf(module, variable));
  const Id type =
      editor.DeclareDistinct(spv::Op::OpTypeStruct, Id::kNone, editor.Made(kStruct), members);
  for (uint32_t i = 0; i < variables.size(); ++i) {
    if (HasRelaxedPrecision(module, variables[i])) AddRelaxedPrecision(editor, type, i, kRelaxed);
  }
  return type;
}

// The initialiser of the combined variable; kNone if no variable has one. Variables without an
// initialiser get null.
Id DeclareInitializer(const std::vector<Id>& variables, Id whole, ContextEditor& editor) {
  const Module& module = editor.module();
  const auto has = [&](Id variable) {
    return module.OperandCount(module.Definition(variable)) > 1;
  };
  if (std::none_of(variables.begin(), variables.end(), has)) return Id::kNone;
  Args parts;
  bool is_spec = false;
  for (Id variable : variables) {
    const Id part = has(variable) ? module.IdAt(module.Definition(variable), 1)
                                  : DeclareNull(editor, PointeeOf(module, variable));
    is_spec |= IsSpecConstant(module.OpcodeOf(part));
    parts.push_back(part);
  }
  return editor.Declare(is_spec ? spv::Op::OpSpecConstantComposite : spv::Op::OpConstantComposite,
                        whole, parts);
}

// Replaces a function variable by a pointer to its part, which takes over its name.
void ReplaceLocal(ContextEditor& editor, Id variable, Id whole, Id index, Inst where) {
  const Module& module = editor.module();
  const Inst inst = module.Definition(variable);
  const Name name = module.NameOf(inst);
  const Id pointer = module.Type(inst);
  editor.Displace(inst, editor.Made(kGone, name));
  editor.YieldAs(where, variable, name, spv::Op::OpAccessChain, pointer, {whole, index});
  editor.Remove(inst);
}

// Replaces a private variable: each function that uses it gets a pointer to its part.
void ReplacePrivate(ContextEditor& editor, Id variable, Id whole, Id index) {
  const Module& module = editor.module();
  const Name name = module.NameOf(variable);
  const Id type = module.TypeOf(variable);
  const Steps* irrelevant = editor.facts().IrrelevantPointee(variable);
  const Steps why = irrelevant != nullptr ? *irrelevant : Steps();
  std::vector<std::pair<Function, Id>> pointers;
  for (const PointerUse& use : UsesInFunctions(module, variable)) {
    const Function function = module.FunctionOf(use.user);
    auto found = std::find_if(pointers.begin(), pointers.end(),
                              [&](const auto& one) { return one.first == function; });
    if (found == pointers.end()) {
      const Name made = editor.Made(kPointer, name, module.NameOf(module[function].definition));
      const Id pointer = editor.InsertValue(AfterVariables(module, function),
                                            spv::Op::OpAccessChain, type, made, {whole, index});
      if (irrelevant != nullptr) {
        editor.facts().SetIrrelevantPointee(pointer, editor.Provenance(why));
      }
      pointers.emplace_back(function, pointer);
      found = pointers.end() - 1;
    }
    editor.SetOperand(use.user, use.operand, found->second);
  }
  ReplaceInInterfaces(editor, variable, {whole});
  editor.Remove(module.Definition(variable));
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const std::vector<Id> variables = VariablesOf(message, module);
  const spv::StorageClass storage = ClassOf(module, variables[0]);
  const Function function = module.FunctionOf(module.Definition(variables[0]));
  const Id type = DeclareWhole(message, variables, editor);
  const bool relaxed = message.kind != Kind::kStruct && HasRelaxedPrecision(module, variables[0]);
  const Id whole = refract::AddVariable(editor, storage, function, type, editor.Made(kVariable),
                                        DeclareInitializer(variables, type, editor));
  if (relaxed) AddRelaxedPrecision(editor, whole, kRelaxed);
  Steps why;
  for (Id variable : variables) {
    if (const Steps* steps = editor.facts().IrrelevantPointee(variable)) MergeSteps(&why, *steps);
  }
  if (IsIrrelevant(editor.view(), variables[0])) {
    editor.facts().SetIrrelevantPointee(whole, editor.Provenance(why));
  }
  const Inst where = function != Function::kNone ? AfterVariables(module, function) : Inst::kNone;
  for (uint32_t i = 0; i < variables.size(); ++i) {
    const Id index = Declare(editor, ScalarConstant(IntType(32, true), i));
    if (function != Function::kNone) {
      ReplaceLocal(editor, variables[i], whole, index, where);
    } else {
      ReplacePrivate(editor, variables[i], whole, index);
    }
  }
}

// Offers some of the candidates. Removes these, and some that do not fit, from the candidates.
void OfferFrom(Proposer& proposer, std::vector<Id>& candidates) {
  const Module& module = proposer.module();
  Message message;
  message.kind = static_cast<Kind>(proposer.Pick(4));
  const size_t wanted = 1 + proposer.Pick(5);
  Id first = Id::kNone;
  while (!candidates.empty() && message.variables.size() < wanted) {
    const size_t at = proposer.Pick(candidates.size());
    const Id variable = candidates[at];
    candidates.erase(candidates.begin() + static_cast<ptrdiff_t>(at));
    if (first == Id::kNone) first = variable;
    if (message.kind != Kind::kStruct && PointeeOf(module, variable) != PointeeOf(module, first)) {
      continue;
    }
    if (IsIrrelevant(proposer.view(), variable) != IsIrrelevant(proposer.view(), first) ||
        !CheckEach(proposer.view(), {variable})) {
      continue;
    }
    message.variables.push_back(module.NameOf(variable));
  }
  if (!message.variables.empty() && Check(message, proposer.view())) {
    proposer.Offer(std::move(message));
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  std::vector<Id> variables;
  const auto add = [&](Inst inst, spv::StorageClass storage) {
    if (module.Opcode(inst) == spv::Op::OpVariable &&
        module.Word(inst, 0) == static_cast<uint32_t>(storage)) {
      variables.push_back(module.Result(inst));
    }
  };
  const auto offer = [&] {
    for (int i = 0; i < 3 && !variables.empty(); ++i) {
      if (proposer.ShouldTry()) OfferFrom(proposer, variables);
    }
    variables.clear();
  };
  ForEachGlobalVariable(module, [&](Inst inst) { add(inst, spv::StorageClass::Private); });
  offer();
  ForEachFunction(proposer, [&](Function function) {
    if (module[function].first == Block::kNone) return;
    ForEachInstruction(module, module[function].first,
                       [&](Inst inst) { add(inst, spv::StorageClass::Function); });
    offer();
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60}, .follow_ons = {"split_variable", "access"}});

}  // namespace refract::pack_variables
