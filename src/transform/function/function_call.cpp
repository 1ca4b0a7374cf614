// SPDX-License-Identifier: Apache-2.0
// Calls a function.
#include "message/function_call.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/availability.h"
#include "ir/call_graph.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/build/function_type.h"
#include "rules/legality/convergence.h"
#include "rules/legality/defined.h"
#include "rules/values.h"
#include "transform/function/cost.h"
#include "transform/function/reach.h"

namespace refract::function_call {
namespace {

using Message = message::FunctionCall;
enum Role : uint64_t { kCall = uint64_t{1} << 40, kVariable = uint64_t{2} << 40 };

// The argument for the parameter; kNone if the message gives none.
Id ArgumentFor(const Module& module, const Message& message, Inst parameter) {
  for (const message::Argument& argument : message.arguments) {
    if (argument.parameter == module.NameOf(parameter)) return module.FindId(argument.value);
  }
  return Id::kNone;
}

bool IsOwnMemory(const Module& module, Id pointer_type) {
  const spv::StorageClass storage = StorageClassOf(module, pointer_type);
  return storage == spv::StorageClass::Function || storage == spv::StorageClass::Private;
}

// SPIR-V 2.16.1: with logical addressing, a pointer argument must be a memory object declaration.
bool IsObject(const Module& module, Id pointer) {
  const spv::Op opcode = module.OpcodeOf(pointer);
  return opcode == spv::Op::OpVariable || opcode == spv::Op::OpFunctionParameter;
}

CheckResult CheckArguments(const Message& message, const View& view, Inst before,
                           const std::vector<Inst>& parameters, bool* must_be_dead) {
  const Module& module = view.module();
  std::vector<Id> pointers;
  for (Inst parameter : parameters) {
    const Id type = module.Type(parameter);
    const Id passed = ArgumentFor(module, message, parameter);
    const bool is_pointer = IsPointer(module, type);
    if (is_pointer && !IsOwnMemory(module, type)) {
      return No("the storage class of a pointer parameter is not Function or Private");
    }
    if (is_pointer ? !MayBeVariable(module, ElementType(module, type))
                   : !IsOrdinary(module, type)) {
      return No("the type of a parameter is not supported");
    }
    if (passed == Id::kNone) continue;
    if (module.TypeOf(passed) != type) return No("an argument does not have the parameter's type");
    if (!IsAvailable(module, passed, before)) return No("an argument is not available at the call");
    if (!is_pointer) {
      // Live-safe functions are safe only for defined arguments.
      if (!*must_be_dead) *must_be_dead = !IsSurelyDefined(view, passed);
      continue;
    }
    if (!IsObject(module, passed)) return No("a pointer argument is not a variable or parameter");
    // If two parameters pointed to the same memory, each would see writes through the other.
    if (std::find(pointers.begin(), pointers.end(), passed) != pointers.end()) {
      return No("the call would pass the same pointer twice");
    }
    pointers.push_back(passed);
    if (!*must_be_dead) *must_be_dead = !view.IsIrrelevantPointee(passed);
  }
  return Yes();
}

// Checks that each argument is for a different parameter and that its value exists.
CheckResult CheckNames(const Message& message, const View& view,
                       const std::vector<Inst>& parameters) {
  const Module& module = view.module();
  if (message.arguments.size() > parameters.size()) {
    return No("there are more arguments than parameters");
  }
  for (size_t i = 0; i < message.arguments.size(); ++i) {
    const message::Argument& argument = message.arguments[i];
    const bool known = std::any_of(parameters.begin(), parameters.end(), [&](Inst parameter) {
      return module.NameOf(parameter) == argument.parameter;
    });
    if (!known) return No("an argument names an unknown parameter");
    if (view.Value(argument.value) == Id::kNone) return No("an argument does not exist");
    for (size_t j = 0; j < i; ++j) {
      if (message.arguments[j].parameter == argument.parameter) {
        return No("a parameter has two arguments");
      }
    }
  }
  return Yes();
}

// A control barrier must be in uniform control flow, executed or not (see add_barrier.cpp).
CheckResult CheckBarriers(const View& view, const std::vector<Function>& reached, Block where) {
  const Module& module = view.module();
  bool has_barrier = false;
  for (Function function : reached) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        has_barrier |= module.Opcode(inst) == spv::Op::OpControlBarrier;
      });
    });
  }
  if (!has_barrier) return Yes();
  return IsSurelyUniformInWorkgroup(view, where)
             ? Yes()
             : No("the function has a barrier, and control flow is not known to be uniform");
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, spv::Op::OpFunctionCall, before)) {
    return No("no instruction can be inserted at this point");
  }
  const Function callee = view.FunctionNamed(message.function);
  if (callee == Function::kNone) return No("the function does not exist");
  if (module[callee].first == Block::kNone) return No("the function has no body");
  if (IsEntryPoint(module, callee)) return No("the called function is an entry point");
  const Id result = module.Type(module[callee].definition);
  if (TypeOpcode(module, result) != spv::Op::OpTypeVoid && !IsOrdinary(module, result)) {
    return No("the type of the result is not supported");
  }
  const std::vector<Inst> parameters = ParametersOf(module, callee);
  if (CheckResult good = CheckNames(message, view, parameters); !good) return good;
  bool must_be_dead = !view.IsLiveSafe(callee);
  if (CheckResult good = CheckArguments(message, view, before, parameters, &must_be_dead); !good) {
    return good;
  }
  if (must_be_dead && !view.IsDead(module.BlockOf(before))) {
    return No("a call of this function with these arguments is allowed only in dead blocks");
  }
  const Function caller = module.FunctionOf(before);
  const std::vector<Function> reached = Reached(module, callee);
  if (std::find(reached.begin(), reached.end(), caller) != reached.end()) {
    return No("the function would call itself");
  }
  if (const CheckResult v = CheckBarriers(view, reached, module.BlockOf(before)); !v) return v;
  return CheckReach(module, ReachOf(module, caller, reached));
}

// The argument for a parameter for which the message gives none: null, or a variable that holds
// null.
Id Filler(ContextEditor& editor, Inst parameter, Function caller) {
  const Module& module = editor.module();
  const Id type = module.Type(parameter);
  if (!IsPointer(module, type)) return DeclareNull(editor, type);
  const Id variable =
      AddVariableToPass(editor, type, caller, editor.Made(kVariable, module.NameOf(parameter)));
  editor.MarkMadeOf(module.Definition(variable), parameter);
  editor.facts().SetIrrelevantPointee(variable, editor.Provenance());
  return variable;
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst before = module.Find(message.before);
  const Function caller = module.FunctionOf(before);
  const Function callee = editor.view().FunctionNamed(message.function);
  const Reach reach = ReachOf(module, caller, Reached(module, callee));
  Args args{module.FunctionId(callee)};
  for (Inst parameter : ParametersOf(module, callee)) {
    const Id passed = ArgumentFor(module, message, parameter);
    args.push_back(passed == Id::kNone ? Filler(editor, parameter, caller) : passed);
  }
  const Id result = module.Type(module[callee].definition);
  const Id call =
      editor.InsertValue(before, spv::Op::OpFunctionCall, result, editor.Made(kCall), args);
  for (Id variable : reach.privates) editor.AddToInterfaces(variable, caller);
  for (size_t i = 1; i < args.size(); ++i) {
    const Id passed = static_cast<Id>(args[i].word);
    if (module.OpcodeOf(passed) != spv::Op::OpVariable ||
        module.FunctionOf(module.Definition(passed)) != Function::kNone) {
      continue;
    }
    editor.AddToInterfaces(passed, caller);
  }
  if (TypeOpcode(module, result) != spv::Op::OpTypeVoid) {
    editor.facts().SetIrrelevant(call, editor.Provenance());
  }
}

// --- where to insert calls

// Variables and parameters of the function, and private variables, on which nothing depends.
std::vector<Id> PointersIn(const Proposer& proposer, Function function) {
  const Module& module = proposer.module();
  std::vector<Id> pointers;
  const auto add = [&](Inst inst) {
    const Id id = module.Result(inst);
    if (id == Id::kNone || module.Type(inst) == Id::kNone || pointers.size() >= 64) return;
    if (IsPointer(module, module.Type(inst)) && IsOwnMemory(module, module.Type(inst)) &&
        proposer.view().facts().IrrelevantPointee(id) != nullptr) {
      pointers.push_back(id);
    }
  };
  ForEachInstruction(module, module[function].head, add);
  ForEachInstruction(module, module[function].first, add);
  ForEachGlobalVariable(module, add);
  return pointers;
}

Message CallBefore(Proposer& proposer, Inst before, Function callee) {
  const Module& module = proposer.module();
  Message message;
  message.before = module.NameOf(before);
  message.function = module.NameOf(module[callee].definition);
  const std::vector<Id> near = ValuesNear(module, before, 48);
  std::vector<Id> pointers;
  for (Inst parameter : ParametersOf(module, callee)) {
    const Id type = module.Type(parameter);
    if (IsPointer(module, type) && pointers.empty()) {
      pointers = PointersIn(proposer, module.FunctionOf(before));
    }
    std::vector<Id> fitting = IsPointer(module, type) ? pointers : near;
    std::erase_if(fitting, [&](Id id) { return module.TypeOf(id) != type; });
    if (fitting.empty() || proposer.Pick(4) == 0) continue;
    const Id passed = fitting[proposer.Pick(fitting.size())];
    message.arguments.push_back({module.NameOf(parameter), module.NameOf(passed)});
    std::erase(pointers, passed);
  }
  return message;
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  std::vector<Function> live_safe, others;
  ForEachFunction(module, [&](Function function) {
    if (module[function].first == Block::kNone || IsEntryPoint(module, function)) return;
    const bool safe = proposer.view().facts().LiveSafe(module.FunctionId(function)) != nullptr;
    (safe ? live_safe : others).push_back(function);
  });
  std::vector<Function> all = live_safe;
  all.insert(all.end(), others.begin(), others.end());
  if (all.empty()) return;
  std::optional<Cost> cost;
  double budget = 0;
  const auto offer = [&](Inst before, bool dead) {
    const std::vector<Function>& from = dead ? all : live_safe;
    const Function callee = from[proposer.Pick(from.size())];
    if (!cost) {
      cost.emplace(proposer.view());
      budget = proposer.MaxCost() - cost->total();
    }
    const double added = cost->OfCall(module.BlockOf(before), callee);
    if (added > 0 && added > budget) return;
    // The limit also applies if nothing calls this function yet, because a later step could call
    // it.
    if (!dead && cost->OfCaller(module.BlockOf(before), callee) > kMaxCallerCost) return;
    const Message message = CallBefore(proposer, before, callee);
    if (!Check(message, proposer.view())) return;
    budget -= added;
    proposer.Offer(message);
  };
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const bool dead = proposer.view().facts().Dead(module.LabelId(block)) != nullptr;
      if (!dead && live_safe.empty()) return;
      for (Inst inst = module.Next(module.Label(block)); inst != Inst::kNone;
           inst = module.Next(inst)) {
        if (MayInsertBefore(module, spv::Op::OpFunctionCall, inst) && proposer.ShouldTry()) {
          offer(inst, dead);
        }
      }
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {1, 6},
     .follow_ons = {"inline_function", "replace_irrelevant_id", "access", "clone_function",
                    "add_parameter"}});

}  // namespace refract::function_call
