// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/function_exit.h"

#include <algorithm>
#include <vector>

#include "ir/availability.h"
#include "ir/call_graph.h"
#include "ir/edges.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/values.h"

namespace refract {
inline namespace rules {
namespace {

using ExitKind = message::Exit::Kind;

Id ResultType(const Module& module, Function function) {
  return module.Type(module[function].definition);
}

bool ReturnsNothing(const Module& module, Function function) {
  return TypeOpcode(module, ResultType(module, function)) == spv::Op::OpTypeVoid;
}

// OpTerminateInvocation requires SPIR-V 1.6 or SPV_KHR_terminate_invocation.
bool HasTerminateInvocation(const Module& module) {
  return module.version() >= 0x00010600 || HasExtension(module, "SPV_KHR_terminate_invocation");
}

// Another step may change the result type of the function, so an exit is for void functions or for
// the others.
CheckResult MayReturnNull(const Module& module, Function function) {
  if (ReturnsNothing(module, function)) return No("the function returns void");
  return HasNull(module, ResultType(module, function)) ? Yes()
                                                       : No("the result type has no null constant");
}

CheckResult MayReturn(const View& view, Name value, Inst where) {
  const Module& module = view.module();
  const Function function = module.FunctionOf(where);
  if (ReturnsNothing(module, function)) {
    return value ? No("the function returns void") : Yes();
  }
  if (!value) return No("the function does not return void");
  const Id type = ResultType(module, function);
  const Id id = view.Value(value);
  if (id == Id::kNone) return No("the value to return does not exist");
  // Whether a function may return a pointer depends on more than its type.
  if (module.TypeOf(id) != type || !IsOrdinary(module, type)) {
    return No("the value does not have the function's result type");
  }
  if (!IsAvailable(module, id, where)) {
    return No("the value to return is not available at the exit");
  }
  return Yes();
}

bool HasPhis(const Module& module, Block block) {
  bool found = false;
  ForEachInstruction(module, block,
                     [&](Inst inst) { found = found || module.Opcode(inst) == spv::Op::OpPhi; });
  return found;
}

}  // namespace

// If the answer is the same for all entry points, it does not matter which of them reach the
// function.
bool StagesAllow(const Module& module, spv::Op opcode, Function function) {
  if (!HasCapability(module, spv::Capability::Shader)) return false;
  const auto has = [&](Inst entry) {
    const auto stage = static_cast<spv::ExecutionModel>(module.Word(entry, 0));
    return PropertiesOf(opcode).AllowedIn(stage);
  };
  size_t with = 0, without = 0;
  ForEachInstruction(module, Module::SectionBlock(Section::kEntryPoints),
                     [&](Inst entry) { ++(has(entry) ? with : without); });
  if (without == 0 || with == 0) return without == 0;
  const std::vector<Inst> entries = EntryPointsReaching(module, function);
  return std::all_of(entries.begin(), entries.end(), has);
}

bool EndsInvocation(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpKill:
    case spv::Op::OpTerminateInvocation:
    case spv::Op::OpIgnoreIntersectionKHR:
    case spv::Op::OpTerminateRayKHR:
      return true;
    default:
      return false;
  }
}

CheckResult MayExit(const View& view, const message::Exit& exit, Inst where) {
  const Module& module = view.module();
  const Function function = module.FunctionOf(where);
  if (exit.kind != ExitKind::kReturn && exit.value) return No("only a return can have a value");
  switch (exit.kind) {
    case ExitKind::kReturn:
      return MayReturn(view, exit.value, where);
    case ExitKind::kReturnNull:
      return MayReturnNull(module, function);
    case ExitKind::kUnreachable:
      return Yes();
    case ExitKind::kTerminateInvocation:
      if (!HasTerminateInvocation(module)) {
        return No("the module does not support OpTerminateInvocation");
      }
      break;
    case ExitKind::kIgnoreIntersection:
    case ExitKind::kTerminateRay:
      if (!HasCapability(module, spv::Capability::RayTracingKHR)) {
        return No("the module does not have the capability RayTracingKHR");
      }
      break;
    case ExitKind::kKill:
      break;
    default:
      return No("the kind of exit is unknown");
  }
  return StagesAllow(module, ExitOpcode(module, exit, function), function)
             ? Yes()
             : No("a shader stage that reaches the function does not allow this terminator");
}

spv::Op ExitOpcode(const Module& module, const message::Exit& exit, Function function) {
  switch (exit.kind) {
    case ExitKind::kReturn:
    case ExitKind::kReturnNull:
      break;
    case ExitKind::kKill:
      return spv::Op::OpKill;
    case ExitKind::kUnreachable:
      return spv::Op::OpUnreachable;
    case ExitKind::kTerminateInvocation:
      return spv::Op::OpTerminateInvocation;
    case ExitKind::kIgnoreIntersection:
      return spv::Op::OpIgnoreIntersectionKHR;
    case ExitKind::kTerminateRay:
      return spv::Op::OpTerminateRayKHR;
  }
  return ReturnsNothing(module, function) ? spv::Op::OpReturn : spv::Op::OpReturnValue;
}

Args ExitArgs(Editor& editor, const message::Exit& exit, Function function) {
  const Module& module = editor.module();
  if (exit.kind == ExitKind::kReturnNull)
    return {DeclareNull(editor, ResultType(module, function))};
  if (exit.value) return {module.FindId(exit.value)};
  return {};
}

message::Exit PlainReturn(const Module& module, Function function) {
  return {ReturnsNothing(module, function) ? ExitKind::kReturn : ExitKind::kReturnNull, {}};
}

message::Exit PickExit(Proposer& proposer, Inst where) {
  const Module& module = proposer.module();
  const Function function = module.FunctionOf(where);
  std::vector<ExitKind> kinds{ExitKind::kReturn, ExitKind::kUnreachable};
  for (const ExitKind kind : {ExitKind::kKill, ExitKind::kTerminateInvocation,
                              ExitKind::kIgnoreIntersection, ExitKind::kTerminateRay}) {
    if (MayExit(proposer.view(), {kind, {}}, where)) kinds.push_back(kind);
  }
  message::Exit exit{kinds[proposer.Pick(kinds.size())], {}};
  if (exit.kind != ExitKind::kReturn || ReturnsNothing(module, function)) return exit;
  std::vector<Id> near = ValuesNear(module, where, 24);
  std::erase_if(near, [&](Id id) { return !MayReturn(proposer.view(), module.NameOf(id), where); });
  const size_t picked = proposer.Pick(near.size() + 1);
  if (picked < near.size()) {
    exit.value = module.NameOf(near[picked]);
  } else {
    exit.kind = ExitKind::kReturnNull;
  }
  return exit;
}

CheckResult MayCutOff(const View& view, Block block) {
  const Module& module = view.module();
  const ControlFlow& flow = module.Flow(module[block].function);
  if (EndBreaksOrder(module, block)) return No("a block would precede its dominator");
  for (Block other : flow.order) {
    if (module.Opcode(module.Terminator(other)) != spv::Op::OpSwitch) continue;
    if (flow.Dominates(block, other) && !view.context().latest_shapes) {
      return No("an OpSwitch would become unreachable");
    }
  }
  return Yes();
}

CheckResult MayRemoveEndEdges(const View& view, Block block) {
  const Module& module = view.module();
  const ControlFlow& flow = module.Flow(module[block].function);
  for (Block successor : flow.Successors(block)) {
    if (!flow.Dominates(block, successor)) continue;
    // The header of a loop that consists of one block is named only by itself.
    const Block header = flow.HeaderOfContinue(successor);
    if (!flow.IsMergeBlock(successor) && (header == Block::kNone || header == successor)) {
      return No("a successor of the block has no other predecessor");
    }
    if (HasPhis(module, successor)) return No("a phi would have no operands");
  }
  return MayCutOff(view, block);
}

}  // namespace rules
}  // namespace refract
