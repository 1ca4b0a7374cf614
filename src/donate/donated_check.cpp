// SPDX-License-Identifier: Apache-2.0
// Checks that a message describes a valid function. The function is built in a module that contains
// only what its validity depends on. Our checker checks it there, and a few further rules that the
// checker does not cover.
#include <algorithm>
#include <vector>

#include "donate/donated_function.h"
#include "donate/live_safe.h"
#include "ir/call_graph.h"
#include "ir/control_flow.h"
#include "ir/grammar/properties.h"
#include "ir/types.h"
#include "ir/validity/validity.h"
#include "rules/build/declare.h"
#include "rules/values.h"

namespace refract {
inline namespace donate {
namespace {

using message::DonatedBlock;
using message::DonatedInstruction;
using Message = message::AddFunction;

// Far from the roles of the built function.
enum CalleeRole : uint64_t {
  kEmptyCallee = uint64_t{16} << 40,
  kEmptyCalleeEnd = uint64_t{17} << 40,
  kEmptyCalleeTail = uint64_t{18} << 40,
};

// Higher than all steps, so that the names of called functions differ from these.
constexpr uint32_t kNoStep = Name::kDeclaredStep - 1;

void Copy(const Module& from, Section section, Editor* to) {
  ForEachInstruction(from, Module::SectionBlock(section), [&](Inst inst) {
    Args args;
    for (uint32_t i = 0; i < from.OperandCount(inst); ++i) {
      if (from.IsId(inst, i)) return;
      args.push_back(from.Word(inst, i));
    }
    const Block block = Module::SectionBlock(section);
    if (from.Result(inst) == Id::kNone) {
      to->AppendPlain(block, from.Opcode(inst), from.NameOf(inst), args);
    } else {
      to->AppendValue(block, from.Opcode(inst), Id::kNone, from.NameOf(inst), args);
    }
  });
}

// A module that contains only what the validity of a function depends on.
Module EmptyLike(const Module& module) {
  Module empty;
  Editor editor(empty, 0);
  editor.SetHeader(module.version(), 0, 0, 1);
  Copy(module, Section::kCapabilities, &editor);
  Copy(module, Section::kImports, &editor);
  editor.Declare(spv::Op::OpTypeVoid, Id::kNone, {});
  return empty;
}

// True if each unreachable block is an empty merge block, or a continue target that only branches
// back. spirv-val 2023.1 differs from our checker on other unreachable blocks
// (docs/validator-quirks.md).
bool AreBlocksReached(const Module& module, Function function) {
  const ControlFlow& flow = module.Flow(function);
  for (Block block : flow.order) {
    if (flow.Reachable(block)) continue;
    const Inst first = module.Next(module.Label(block));
    const bool ends = module.Opcode(first) == spv::Op::OpUnreachable && flow.IsMergeBlock(block);
    const bool goes_round = module.Opcode(first) == spv::Op::OpBranch &&
                            flow.IsContinueTarget(block) &&
                            module.IdAt(first, 0) == module.LabelId(flow.HeaderOfContinue(block));
    if (!ends && !goes_round) return false;
  }
  return true;
}

// Vulkan, "Standalone SPIR-V Validation": the base has 32 bits. Donated functions also have only
// 32-bit operands of extended instructions, most of which allow no other width.
bool AreWidthsRight(const Module& module, Inst inst) {
  switch (module.Opcode(inst)) {
    case spv::Op::OpBitReverse:
    case spv::Op::OpBitCount:
    case spv::Op::OpBitFieldInsert:
    case spv::Op::OpBitFieldSExtract:
    case spv::Op::OpBitFieldUExtract:
    case spv::Op::OpExtInst:
      break;
    default:
      return true;
  }
  const auto is_right = [&](Id type) {
    const Id scalar = ScalarType(module, type);
    return scalar == Id::kNone || Width(module, scalar) == 32;
  };
  if (!is_right(module.Type(inst))) return false;
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    const Id type = module.IsId(inst, i) ? module.TypeOf(module.IdAt(inst, i)) : Id::kNone;
    if (type != Id::kNone && !is_right(type)) return false;
  }
  return true;
}

// Requires the stored value to have exactly the type of the memory. Donated structs have no layouts
// in which two types could differ.
bool IsStoreTyped(const Module& module, Inst store) {
  return module.TypeOf(module.IdAt(store, 1)) ==
         ElementType(module, module.TypeOf(module.IdAt(store, 0)));
}

// Pointer arguments must be variables or parameters, and all different (SPIR-V 2.16.1, "Logical
// addressing", and 2.18.2, "Aliasing").
bool AreArgumentsObjects(const Module& module, Inst call) {
  std::vector<Id> passed;
  for (uint32_t i = 1; i < module.OperandCount(call); ++i) {
    const Id id = module.IdAt(call, i);
    if (!IsPointer(module, module.TypeOf(id))) continue;
    const spv::Op opcode = module.OpcodeOf(id);
    if ((opcode != spv::Op::OpVariable && opcode != spv::Op::OpFunctionParameter) ||
        std::find(passed.begin(), passed.end(), id) != passed.end()) {
      return false;
    }
    passed.push_back(id);
  }
  return true;
}

// Our checker also accepts casts from and to what has no bits, such as labels and booleans.
bool IsCastOfNumbers(const Module& module, Inst cast) {
  const auto is_number = [&](Id type) {
    const Id scalar = type == Id::kNone ? type : ScalarType(module, type);
    return scalar != Id::kNone && (IsInt(module, scalar) || IsFloat(module, scalar));
  };
  return is_number(module.Type(cast)) && is_number(module.TypeOf(module.IdAt(cast, 0)));
}

// The rules that our checker does not cover.
CheckResult CheckUncoveredRules(const Module& module, Function function) {
  CheckResult check_result = Yes();
  const auto look = [&](Inst inst) {
    if (!check_result) return;
    const spv::Op opcode = module.Opcode(inst);
    if (!AreWidthsRight(module, inst)) {
      check_result = No("an operation requires 32-bit operands");
    } else if (opcode == spv::Op::OpBitcast && !IsCastOfNumbers(module, inst)) {
      check_result = No("OpBitcast is not from a number to a number");
    } else if (opcode == spv::Op::OpBitcast &&
               module.TypeOf(module.IdAt(inst, 0)) == module.Type(inst)) {
      // Early versions of SPIR-V require another type.
      check_result = No("OpBitcast does not change the type");
    } else if (opcode == spv::Op::OpStore && !IsStoreTyped(module, inst)) {
      check_result = No("OpStore stores a struct to memory of another type");
    } else if (opcode == spv::Op::OpFunctionCall && !AreArgumentsObjects(module, inst)) {
      check_result = No("a pointer argument is not a variable or parameter, or is passed twice");
    }
  };
  ForEachBlock(module, function, [&](Block block) { ForEachInstruction(module, block, look); });
  return check_result;
}

// A type of the module in the form of messages. A struct of the original is included if a message
// with all its contents would find it. Of kind kNone if the type cannot be expressed.
message::Type DonatedTypeOf(const Module& module, Id id) {
  message::Type type = Describe(module, id);
  const Inst inst = module.Definition(id);
  switch (module.Opcode(inst)) {
    case spv::Op::OpTypeStruct:
      type = {.kind = message::Type::Kind::kStruct};
      for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
        type.parts.push_back(DonatedTypeOf(module, module.IdAt(inst, i)));
      }
      break;
    case spv::Op::OpTypePointer:
      type =
          PointerType(StorageClassOf(module, id), DonatedTypeOf(module, ElementType(module, id)));
      break;
    case spv::Op::OpTypeArray:
      type = {.kind = message::Type::Kind::kArray, .count = PartCount(module, id).value_or(0)};
      type.parts.push_back(DonatedTypeOf(module, ElementType(module, id)));
      break;
    default:
      break;
  }
  return FindType(module, type) == id ? type : message::Type{};
}

void AddEmptyCallee(const Message& prototype, Name name, Editor& editor) {
  const Function function = editor.AddFunction();
  const Block head = editor.module()[function].head;
  const Id result = Declare(editor, prototype.result);
  Args types{result};
  for (const message::DonatedParameter& parameter : prototype.parameters) {
    types.push_back(Declare(editor, parameter.type));
  }
  const Id type = editor.Declare(spv::Op::OpTypeFunction, Id::kNone, types);
  editor.AppendValue(head, spv::Op::OpFunction, result, name, {0u, type});
  for (const message::DonatedParameter& parameter : prototype.parameters) {
    editor.AppendValue(head, spv::Op::OpFunctionParameter, Declare(editor, parameter.type),
                       editor.Made(kEmptyCallee, name, uint64_t{parameter.local}), {});
  }
  const Block block = editor.AddBlock(function);
  editor.AppendValue(block, spv::Op::OpLabel, Id::kNone, editor.Made(kEmptyCallee, name), {});
  editor.AppendPlain(block, spv::Op::OpUnreachable, editor.Made(kEmptyCalleeEnd, name), {});
  editor.AppendPlain(editor.module()[function].tail, spv::Op::OpFunctionEnd,
                     editor.Made(kEmptyCalleeTail, name), {});
}

// Adds an empty function for each called function: the same function type, and a body that never
// runs.
CheckResult AddCallees(const View& view, const Message& message, Editor& alone) {
  const Module& module = view.module();
  for (const DonatedBlock& block : message.blocks) {
    for (const DonatedInstruction& instruction : block.instructions) {
      if (static_cast<spv::Op>(instruction.opcode) != spv::Op::OpFunctionCall) continue;
      const Name name = instruction.operands[0].function;
      if (alone.module().FindId(name) != Id::kNone) continue;
      const Function callee = view.FunctionNamed(name);
      if (callee == Function::kNone || module[callee].first == Block::kNone) {
        return No("a called function does not exist");
      }
      if (IsEntryPoint(module, callee)) return No("the called function is an entry point");
      if (message.live_safe && !view.IsLiveSafe(callee)) {
        return No(
            "a function that is marked as live-safe calls a function that is not marked as "
            "live-safe");
      }
      const message::Type result = DonatedTypeOf(module, module.Type(module[callee].definition));
      bool is_donated =
          result.kind == message::Type::Kind::kVoid || IsDonatedType(alone.module(), result, false);
      std::vector<message::Type> parameters;
      ForEachInstruction(module, module[callee].head, [&](Inst inst) {
        if (module.Opcode(inst) != spv::Op::OpFunctionParameter) return;
        parameters.push_back(DonatedTypeOf(module, module.Type(inst)));
        is_donated = is_donated && IsDonatedType(alone.module(), parameters.back(), true);
      });
      if (!is_donated || parameters.size() > kMaxDonatedParameters) {
        return No(
            "a called function has too many parameters, or a parameter type or result type that a "
            "donated function cannot have");
      }
      Message empty_callee;
      empty_callee.result = result;
      for (size_t i = 0; i < parameters.size(); ++i) {
        empty_callee.parameters.push_back({static_cast<uint32_t>(i + 1), parameters[i]});
      }
      AddEmptyCallee(empty_callee, name, alone);
    }
  }
  return Yes();
}

bool HasCall(const Message& message) {
  for (const DonatedBlock& block : message.blocks) {
    for (const DonatedInstruction& instruction : block.instructions) {
      if (static_cast<spv::Op>(instruction.opcode) == spv::Op::OpFunctionCall) return true;
    }
  }
  return false;
}

// Where the function returns, the instructions after the fragment follow.
CheckResult CheckEnds(const Module& module, Function function) {
  const ControlFlow& flow = module.Flow(function);
  size_t ends = 0;
  bool good = true;
  for (Block block : flow.order) {
    const spv::Op opcode = module.Opcode(module.Terminator(block));
    if (!flow.Reachable(block) || PropertiesOf(opcode).is_branch) continue;
    ++ends;
    good = good && (opcode == spv::Op::OpReturn || opcode == spv::Op::OpReturnValue) &&
           flow.InnermostConstruct(block) == Construct::kNone;
  }
  return good && ends == 1 ? Yes() : No("the fragment does not have a single return at its end");
}

}  // namespace

CheckResult CheckDonated(const View& view, const Message& message, DonatedAs as) {
  const Module& module = view.module();
  if (CheckResult form = CheckDonatedForm(module, message); !form) return form;
  const bool is_fragment = as == DonatedAs::kFragment;
  if (is_fragment && HasCall(message)) return No("the fragment calls a function");
  Module alone = EmptyLike(module);
  Editor editor(alone, kNoStep);
  if (CheckResult called = AddCallees(view, message, editor); !called) return called;
  const Function function = BuildDonated(editor, message);
  if (!CheckModule(alone)) return No("the donated function is not valid SPIR-V");
  if (!AreBlocksReached(alone, function)) return No("a block of the function is unreachable");
  if (CheckResult more = CheckUncoveredRules(alone, function); !more) return more;
  if (message.live_safe) {
    if (CheckResult may = MayBeLiveSafe(alone, function); !may) return may;
    MakeLiveSafe(editor, function, message.loop_limit);
    // For example, bounding a loop may leave a use that its definition no longer dominates.
    if (!CheckModule(alone)) {
      return No("the donated function is not valid SPIR-V after its loops got an iteration limit");
    }
  }
  return is_fragment ? CheckEnds(alone, function) : Yes();
}

}  // namespace donate
}  // namespace refract
