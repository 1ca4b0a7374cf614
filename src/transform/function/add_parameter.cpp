// SPDX-License-Identifier: Apache-2.0
// Adds a parameter that nothing uses yet. Any defined argument is valid, so a call for which the
// message gives no argument passes null, or a variable that holds null.
#include "message/add_parameter.h"

#include <algorithm>

#include "ir/availability.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/build/function_type.h"
#include "rules/context_editor.h"
#include "rules/legality/defined.h"
#include "rules/rule.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::add_parameter {
namespace {

using Message = message::AddParameter;
enum Role : uint64_t { kParameter = 1, kVariable = 2 };

// True for a pointer type by value. A pointer type that is named has decorations.
bool IsPointer(const message::Type& type) {
  return type.kind == message::Type::Kind::kPointer && type.parts.size() == 1 && !type.declared;
}

CheckResult CheckType(const Module& module, const message::Type& type) {
  if (!IsPointer(type)) {
    return MayBeVariable(module, type) ? Yes() : No("a parameter cannot have this type");
  }
  if (!MayBeVariable(module, type.parts[0]) || !MayHaveVariables(module, type.storage)) {
    return No("a pointer of this type cannot point to a variable");
  }
  return Yes();
}

// The argument that the message gives for a call; none if it gives none.
Name ValueFor(const Module& module, const Message& message, Inst call) {
  for (const message::CallArgument& argument : message.arguments) {
    if (argument.call == module.NameOf(call)) return argument.value;
  }
  return {};
}

bool IsObject(const Module& module, Id pointer) {
  const spv::Op opcode = module.OpcodeOf(pointer);
  return opcode == spv::Op::OpVariable || opcode == spv::Op::OpFunctionParameter;
}

bool Passes(const Module& module, Inst call, Id value) {
  for (uint32_t i = 1; i < module.OperandCount(call); ++i) {
    if (module.IdAt(call, i) == value) return true;
  }
  return false;
}

CheckResult CheckArgument(const View& view, Inst call, Id value, Id type) {
  const Module& module = view.module();
  if (value == Id::kNone) return No("an argument does not exist");
  if (type == Id::kNone || module.TypeOf(value) != type) {
    return No("an argument does not have the parameter's type");
  }
  if (!IsAvailable(module, value, call)) return No("an argument is not available at the call");
  const auto is_dead = [&] { return view.IsDead(module.BlockOf(call)); };
  if (!refract::IsPointer(module, type)) {
    return IsSurelyDefined(view, value) || is_dead() ? Yes() : No("an argument may be undefined");
  }
  // Required by logical addressing (SPIR-V 2.16.1). If two parameters pointed to the same memory,
  // each would see writes through the other.
  if (!IsObject(module, value) || Passes(module, call, value)) {
    return No("a pointer argument is not a variable or parameter, or is passed twice");
  }
  return view.IsIrrelevantPointee(value) || is_dead()
             ? Yes()
             : No("an output may depend on the memory of an argument");
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Function function = view.FunctionNamed(message.function);
  if (const CheckResult v = MayChangeFunctionType(module, function); !v) return v;
  if (ParametersOf(module, function).size() >= kMostParameters) {
    return No("the function has too many parameters");
  }
  if (const CheckResult v = CheckType(module, message.type); !v) return v;
  const Id type = FindType(module, message.type);
  for (Inst call : CallsOf(module, function)) {
    const Name name = ValueFor(module, message, call);
    if (!name) continue;
    if (const CheckResult v = CheckArgument(view, call, view.Value(name), type); !v) return v;
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Function function = editor.view().FunctionNamed(message.function);
  const Id type = Declare(editor, message.type);
  const bool is_pointer = refract::IsPointer(module, type);
  const Id parameter = editor.AppendValue(module[function].head, spv::Op::OpFunctionParameter, type,
                                          editor.Made(kParameter), {});
  ChangeCalls(editor, function, [&](Inst call, Args* args) {
    Id value = module.FindId(ValueFor(module, message, call));
    if (value == Id::kNone && is_pointer) {
      value = AddVariableToPass(editor, type, module.FunctionOf(call),
                                editor.Made(kVariable, module.NameOf(call)));
      editor.facts().SetIrrelevantPointee(value, editor.Provenance());
    } else if (value == Id::kNone) {
      value = DeclareNull(editor, type);
    } else if (module.FunctionOf(module.Definition(value)) == Function::kNone && is_pointer) {
      editor.AddToInterfaces(value, module.FunctionOf(call));
    }
    args->push_back(value);
  });
  UpdateFunctionType(editor, function);
  if (is_pointer) {
    editor.facts().SetIrrelevantPointee(parameter, editor.Provenance());
  } else {
    editor.facts().SetIrrelevant(parameter, editor.Provenance());
  }
}

// A type that occurs near the function or near a call of it; often a pointer to such a type.
message::Type PickType(Proposer& proposer, Inst where) {
  const Module& module = proposer.module();
  const std::vector<Id> near = ValuesNear(module, where, 16);
  message::Type type = near.empty()
                           ? IntType(32, true)
                           : Describe(module, module.TypeOf(near[proposer.Pick(near.size())]));
  if (proposer.Pick(3) != 0) return type;
  const bool is_private = proposer.Pick(4) == 0;
  return PointerType(is_private ? spv::StorageClass::Private : spv::StorageClass::Function, type);
}

void Propose(Proposer& proposer) {
  constexpr size_t kMostArguments = 8;
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    if (!MayChangeFunctionType(module, function) || !proposer.ShouldTry()) return;
    const std::vector<Inst> calls = CallsOf(module, function);
    const Inst where = calls.empty() ? module.Terminator(module[function].first)
                                     : calls[proposer.Pick(calls.size())];
    Message message{module.NameOf(module[function].definition), PickType(proposer, where), {}};
    const Id type = FindType(module, message.type);
    for (size_t i = 0; i < std::min(calls.size(), kMostArguments) && type != Id::kNone; ++i) {
      if (proposer.Pick(3) == 0) continue;
      std::vector<Id> near = ValuesNear(module, calls[i], 16);
      std::erase_if(near, [&](Id id) {
        return module.TypeOf(id) != type || !CheckArgument(proposer.view(), calls[i], id, type);
      });
      if (near.empty()) continue;
      message.arguments.push_back(
          {module.NameOf(calls[i]), module.NameOf(near[proposer.Pick(near.size())])});
    }
    if (Check(message, proposer.view())) proposer.Offer(std::move(message));
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 70},
     .follow_ons = {"replace_irrelevant_id", "permute_parameters", "access",
                    "replace_parameter_with_global", "replace_parameters_with_struct",
                    "add_synonym"}});

}  // namespace refract::add_parameter
