// SPDX-License-Identifier: Apache-2.0
// Replaces a call by the body of the function. The block is split before the call, and copies of
// the function's blocks are inserted there. The call becomes a copy of the returned value, under
// its own name. A local variable now exists once per call of the caller, so its initialiser is also
// stored where the call was. The variable keeps the initialiser too: later steps may use the
// variable before the store, where its contents must be defined even if they do not matter.
#include "message/inline_function.h"

#include <algorithm>
#include <map>

#include "ir/block_head.h"
#include "ir/branches.h"
#include "ir/call_graph.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/copies.h"
#include "rules/build/function_type.h"
#include "rules/legality/index_range.h"
#include "rules/legality/split.h"
#include "rules/values.h"

namespace refract::inline_function {
namespace {

using Message = message::InlineFunction;
enum Role : uint64_t { kAfter = 1, kBranch = 2, kCopy = 3, kInitialise = 4, kArgument = 5 };

bool IsReturn(spv::Op opcode) {
  return opcode == spv::Op::OpReturn || opcode == spv::Op::OpReturnValue;
}

// The reachable blocks that return. Other returning blocks end with OpUnreachable in the copy.
std::vector<Block> Returns(const Module& module, Function function) {
  const ControlFlow& flow = module.Flow(function);
  std::vector<Block> returns;
  for (Block block : flow.order) {
    const bool is_return = IsReturn(module.Opcode(module.Terminator(block)));
    if (is_return && flow.Reachable(block)) returns.push_back(block);
  }
  return returns;
}

// True if nothing follows the call in its block but a terminator that ends the caller.
bool IsFollowedByEnd(const Module& module, Inst call) {
  const Inst end = module.Terminator(module.BlockOf(call));
  Inst next = module.Next(call);
  while (IsDebugLine(module.Opcode(next))) next = module.Next(next);
  return next == end && !PropertiesOf(module.Opcode(end)).is_branch;
}

// True if something other than a name or decoration refers to the result, for example a
// non-semantic instruction anywhere.
bool IsMentioned(const Module& module, Id result) {
  const Block debug = Module::SectionBlock(Section::kDebug);
  const Block annotations = Module::SectionBlock(Section::kAnnotations);
  bool mentioned = false;
  ForEachUse(module, result, [&](Use use) {
    const Block list = module.BlockOf(module.User(use));
    mentioned = mentioned || (list != debug && list != annotations);
  });
  return mentioned;
}

// True if a block of the function other than its only reachable return ends without a branch: it
// ends the invocation, or it is an unreachable return, which the copy ends with OpUnreachable.
bool HasOtherEnd(const Module& module, Function function, const std::vector<Block>& returns) {
  bool found = false;
  ForEachBlock(module, function, [&](Block block) {
    const bool is_return = std::find(returns.begin(), returns.end(), block) != returns.end();
    found =
        found || !(is_return || PropertiesOf(module.Opcode(module.Terminator(block))).is_branch);
  });
  return found;
}

// Checks that the block can be split at the call. A loop header keeps its phis and its OpLoopMerge,
// and branches to the first block of the function.
CheckResult MayCutAt(const Module& module, Inst call) {
  return IsLoopHeader(module, module.BlockOf(call)) ? MaySplitHeaderBefore(module, call)
                                                    : MaySplitBefore(module, call);
}

// True if an argument, or the value that the function returns, may become a constant index that is
// out of range.
bool MakesBadIndex(const Module& module, Inst call, Function callee,
                   const std::vector<Block>& returns) {
  std::map<Id, Id> values;
  uint32_t index = 1;
  for (Inst parameter : ParametersOf(module, callee)) {
    values[module.Result(parameter)] = module.IdAt(call, index++);
  }
  if (!returns.empty()) {
    const Inst end = module.Terminator(returns[0]);
    if (module.OperandCount(end) != 0) values[module.Result(call)] = module.IdAt(end, 0);
  }
  return MayPutIndexOutOfRange(module, values);
}

CheckResult CheckCall(const Module& module, Inst call) {
  const Function caller = module.FunctionOf(call);
  const Function callee = CalleeOf(module, call);
  if (module[callee].first == Block::kNone) return No("the function has no body");
  const std::vector<Function> reached = Reached(module, callee);
  if (std::find(reached.begin(), reached.end(), caller) != reached.end()) {
    return No("the function is recursive");
  }
  const Id type = module.Type(call);
  const bool is_void = TypeOpcode(module, type) == spv::Op::OpTypeVoid;
  if (is_void && IsMentioned(module, module.Result(call))) {
    return No("the result of a void call is used");
  }
  if (!is_void && !IsStorable(module, type)) return No("the type of the result is not supported");
  const ControlFlow& flow = module.Flow(caller);
  const Block block = module.BlockOf(call);
  if (!flow.Reachable(block)) return No("the call is unreachable");
  const std::vector<Block> returns = Returns(module, callee);
  const bool returns_at_end =
      returns.size() == 1 && module.Flow(callee).InnermostConstruct(returns[0]) == Construct::kNone;
  if (!returns_at_end && !(returns.empty() && IsFollowedByEnd(module, call))) {
    return No("the function does not have a single return at its end");
  }
  if (SplitsContinueConstruct(flow, block) && HasOtherEnd(module, callee, returns)) {
    return No("the function would have another end inside a continue construct");
  }
  if (MakesBadIndex(module, call, callee, returns)) {
    return No("with the arguments or the result, a constant index may be out of range");
  }
  if (const CheckResult v = MayCutAt(module, call); !v) return v;
  return MayCopyBody(module, callee);
}

CheckResult Check(const Message& message, const View& view) {
  const Inst call = view.Find(message.call);
  if (call == Inst::kNone || view.module().Opcode(call) != spv::Op::OpFunctionCall) {
    return No("the OpFunctionCall does not exist");
  }
  return CheckCall(view.module(), call);
}

// True if later steps may write to the memory of the argument at any time, although the function
// relied on the memory of its parameter to keep its contents.
bool IsWrittenByOthers(ContextEditor& editor, Id parameter, Id argument) {
  const Module& module = editor.module();
  const Id type = module.TypeOf(parameter);
  return IsPointer(module, type) && editor.facts().IrrelevantPointee(argument) != nullptr &&
         editor.facts().IrrelevantPointee(parameter) == nullptr &&
         MayHaveVariables(module, static_cast<uint32_t>(StorageClassOf(module, type))) &&
         MayBeVariable(module, ElementType(module, type));
}

// The value that replaces a parameter in the inlined body. A step can replace each use of an
// irrelevant argument by another value, but the body may need all uses to be equal. The body
// therefore uses a copy of the argument, or for a pointer to irrelevant memory a new variable. The
// argument of an irrelevant parameter is copied too, because it is irrelevant only in the body.
Id Passed(ContextEditor& editor, Inst call, Inst parameter, Id argument) {
  const Module& module = editor.module();
  Facts& facts = editor.facts();
  const Id type = module.Type(parameter), id = module.Result(parameter);
  const Name name = editor.Made(kArgument, module.NameOf(parameter));
  if (IsWrittenByOthers(editor, id, argument)) {
    const Id own = AddVariableToPass(editor, type, module.FunctionOf(call), name);
    editor.MarkMadeOf(module.Definition(own), parameter);
    return own;
  }
  const Steps* why = facts.Irrelevant(id);
  if ((why == nullptr && facts.Irrelevant(argument) == nullptr) || !IsStorable(module, type)) {
    return argument;
  }
  const Id copy = editor.InsertValue(call, spv::Op::OpCopyObject, type, name, {argument});
  editor.MarkMadeOf(module.Definition(copy), parameter);
  if (why != nullptr) facts.SetIrrelevant(copy, editor.Provenance(*why));
  return copy;
}

void MapParameters(ContextEditor& editor, Inst call, Copies& copies) {
  const Module& module = editor.module();
  uint32_t index = 1;
  for (Inst parameter : ParametersOf(module, CalleeOf(module, call))) {
    copies.MapArgument(module.Result(parameter),
                       Passed(editor, call, parameter, module.IdAt(call, index++)));
  }
}

void CopyVariables(ContextEditor& editor, Inst call, Copies& copies) {
  const Module& module = editor.module();
  const Block entry = module[module.FunctionOf(call)].first;
  ForEachInstruction(module, module[CalleeOf(module, call)].first, [&](Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpVariable) return;
    const Name name = module.NameOf(inst);
    Args operands{module.Word(inst, 0)};
    if (module.OperandCount(inst) > 1) operands.push_back(module.IdAt(inst, 1));
    const Id copy = editor.InsertValue(module.Next(module.Label(entry)), spv::Op::OpVariable,
                                       module.Type(inst), editor.Made(kCopy, name), operands);
    editor.MarkCopy(module.Definition(copy), inst);
    editor.CopyValueDecorations(module.Result(inst), copy);
    copies.MapCopy(module.Result(inst), copy);
    if (module.OperandCount(inst) < 2) return;
    editor.InsertPlain(call, spv::Op::OpStore, editor.Made(kInitialise, name),
                       {copy, module.IdAt(inst, 1)});
  });
}

// The call yields the value that `end`, the return of the function, returns. If there is no return,
// the call is unreachable.
void ReplaceCall(ContextEditor& editor, Inst call, Inst end, const Copies& copies) {
  const Module& module = editor.module();
  if (TypeOpcode(module, module.Type(call)) == spv::Op::OpTypeVoid) return editor.Remove(call);
  if (end == Inst::kNone) {
    // The call is no longer reachable.
    editor.facts().ForgetPlacementFacts(module.Result(call));
    editor.SetOpcode(call, spv::Op::OpUndef);
    return editor.SetOperands(call, {});
  }
  const Id value = copies.Of(module.IdAt(end, 0));
  editor.SetOpcode(call, spv::Op::OpCopyObject);
  editor.SetOperands(call, {value});
  const Id result = module.Result(call);
  if (MayHaveSynonym(editor.view(), result) && MayHaveSynonym(editor.view(), value)) {
    editor.facts().AddSynonym(Part(result), Part(value), editor.Provenance());
  }
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst call = module.Find(message.call);
  const Function callee = CalleeOf(module, call);
  const Block before = module.BlockOf(call);
  Copies copies(editor, kCopy);
  MapParameters(editor, call, copies);
  CopyVariables(editor, call, copies);
  const bool is_header = IsLoopHeader(module, before);
  const Name label = editor.Made(kAfter), branch = editor.Made(kBranch);
  const Block after =
      is_header ? SplitHeader(editor, call, label, branch) : editor.SplitBlock(call, label, branch);
  editor.CopyDeadFacts(before, after);

  const std::vector<Block> body = module.Flow(callee).order;
  const std::vector<Block> returns = Returns(module, callee);
  const std::vector<Block> made = copies.CopyBlocks(body, before);
  editor.SetTerminator(before, spv::Op::OpBranch, {module.LabelId(made[0])});
  for (size_t i = 0; i < made.size(); ++i) {
    if (!IsReturn(module.Opcode(module.Terminator(made[i])))) continue;
    if (!returns.empty() && body[i] == returns[0]) {
      editor.SetTerminator(made[i], spv::Op::OpBranch, {module.LabelId(after)});
    } else {
      editor.SetTerminator(made[i], spv::Op::OpUnreachable, {});
    }
  }
  copies.CopyAllFacts();
  for (Block block : made) editor.CopyDeadFacts(before, block);
  ReplaceCall(editor, call, returns.empty() ? Inst::kNone : module.Terminator(returns[0]), copies);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachUse(module, module.FunctionId(function), [&](Use use) {
      const Inst user = module.User(use);
      if (module.Opcode(user) != spv::Op::OpFunctionCall || module.OperandIndex(use) != 0) return;
      if (proposer.ShouldTry() && CheckCall(module, user)) {
        proposer.Offer(Message{module.NameOf(user)});
      }
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {5, 40},
     .follow_ons = {"split_block", "replace_id_with_synonym", "duplicate_region_with_selection",
                    "wrap_region_in_selection", "outline_function"}});

}  // namespace refract::inline_function
