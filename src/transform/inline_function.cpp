// SPDX-License-Identifier: Apache-2.0
// The block of the call is cut before the call, and copies of the function's blocks are put
// between. The call itself becomes a copy of the value returned, under its own name. A local
// variable is made once per call of the caller, so what initialises it is also stored where the
// call was. It stays an initialiser, too: later steps may use the variable, if nobody minds what it
// holds, before the store, and there it has to be defined.
#include "message/inline_function.h"

#include <algorithm>

#include "ir/block_head.h"
#include "ir/branches.h"
#include "ir/call_graph.h"
#include "ir/operand_rules.h"
#include "ir/types.h"
#include "transform/copies.h"
#include "transform/signature.h"
#include "transform/split.h"

namespace refract::inline_function {
namespace {

using Message = message::InlineFunction;
enum Role : uint64_t { kAfter = 1, kBranch = 2, kCopy = 3, kInitialise = 4, kArgument = 5 };

bool IsReturn(spv::Op opcode) {
  return opcode == spv::Op::OpReturn || opcode == spv::Op::OpReturnValue;
}

// The block with the only return; none if there are several or none.
Block ReturnBlock(const Module& module, Function function) {
  Block found = Block::kNone;
  size_t count = 0;
  ForEachBlock(module, function, [&](Block block) {
    if (!IsReturn(module.Opcode(module.Terminator(block)))) return;
    found = block;
    ++count;
  });
  return count == 1 ? found : Block::kNone;
}

// Whether the function never returns, and what follows the call ends the caller's function, too.
bool EndsBoth(const Module& module, Inst call, Function callee) {
  bool returns = false;
  ForEachBlock(module, callee, [&](Block block) {
    returns = returns || IsReturn(module.Opcode(module.Terminator(block)));
  });
  const Inst end = module.Terminator(module.BlockOf(call));
  Inst next = module.Next(call);
  while (IsDebugLine(module.Opcode(next))) next = module.Next(next);
  return !returns && next == end && !PropertiesOf(module.Opcode(end)).is_branch;
}

// Whether something other than a name or decoration mentions the result, such as a non-semantic
// instruction anywhere.
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

// Whether the function may end otherwise than by returning.
bool MayEndInvocation(const Module& module, Function function) {
  bool ends = false;
  ForEachBlock(module, function, [&](Block block) {
    const spv::Op opcode = module.Opcode(module.Terminator(block));
    ends = ends || !(PropertiesOf(opcode).is_branch || IsReturn(opcode));
  });
  return ends;
}

Verdict CheckCall(const Module& module, Inst call) {
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
    return No("the result is mentioned, but is no value");
  }
  if (!is_void && !IsStorable(module, type)) {
    return No("a value of that type is not copied");
  }
  const ControlFlow& flow = module.Flow(caller);
  const Block block = module.BlockOf(call);
  if (!flow.Reachable(block)) return No("the call is not reachable");
  const Block end = ReturnBlock(module, callee);
  const ControlFlow& callee_flow = module.Flow(callee);
  const bool returns_at_end = end != Block::kNone && callee_flow.Reachable(end) &&
                              callee_flow.InnermostConstruct(end) == Construct::kNone;
  if (!returns_at_end && !EndsBoth(module, call, callee)) {
    return No("the function does not return at its end alone");
  }
  // SPIR-V 2.11.1: the back-edge block post-dominates the continue target.
  if (flow.InContinueConstruct(block) && MayEndInvocation(module, callee)) {
    return No("a continue construct would be left");
  }
  if (const Verdict v = MaySplitBefore(module, call); !v) return v;
  return MayCopyBody(module, callee);
}

Verdict Check(const Message& message, const View& view) {
  const Inst call = view.Find(message.call);
  if (call == Inst::kNone || view.module().Opcode(call) != spv::Op::OpFunctionCall) {
    return No("there is no such call");
  }
  return CheckCall(view.module(), call);
}

// What stands for the parameters. An irrelevant argument may be replaced wherever it is used, which
// the body, once inlined, need not bear twice: it gets a copy that is used there alone.
void MapParameters(ContextEditor& editor, Inst call, Copies& copies) {
  const Module& module = editor.module();
  uint32_t index = 1;
  ForEachInstruction(module, module[CalleeOf(module, call)].head, [&](Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpFunctionParameter) return;
    Id argument = module.IdAt(call, index++);
    const Id type = module.Type(inst);
    if (editor.facts().Irrelevant(argument) != nullptr && IsStorable(module, type)) {
      argument = editor.InsertValue(call, spv::Op::OpCopyObject, type,
                                    editor.Made(kArgument, module.NameOf(inst)), {argument});
    }
    copies.Map(module.Result(inst), argument);
  });
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

// The call yields what `end` returns, of which the copies have one; if none, nothing is there.
void ReplaceCall(ContextEditor& editor, Inst call, Inst end, const Copies& copies) {
  const Module& module = editor.module();
  if (TypeOpcode(module, module.Type(call)) == spv::Op::OpTypeVoid) return editor.Remove(call);
  if (end == Inst::kNone) {
    // Nobody comes here any more.
    editor.facts().ForgetWhereItWas(module.Result(call));
    editor.SetOpcode(call, spv::Op::OpUndef);
    return editor.SetOperands(call, {});
  }
  editor.SetOpcode(call, spv::Op::OpCopyObject);
  editor.SetOperands(call, {copies.Of(module.IdAt(end, 0))});
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst call = module.Find(message.call);
  const Function callee = CalleeOf(module, call);
  const Block before = module.BlockOf(call);
  Copies copies(editor, kCopy);
  MapParameters(editor, call, copies);
  CopyVariables(editor, call, copies);
  const Block after = editor.SplitBlock(call, editor.Made(kAfter), editor.Made(kBranch));
  editor.CarryDead(before, after);

  std::vector<Block> body;
  ForEachBlock(module, callee, [&](Block block) { body.push_back(block); });
  const Block end = ReturnBlock(module, callee);
  const std::vector<Block> made = copies.CopyBlocks(body, before);
  editor.SetTerminator(before, spv::Op::OpBranch, {module.LabelId(made[0])});
  for (Block block : made) {
    if (!IsReturn(module.Opcode(module.Terminator(block)))) continue;
    editor.SetTerminator(block, spv::Op::OpBranch, {module.LabelId(after)});
  }
  ReplaceCall(editor, call, end == Block::kNone ? Inst::kNone : module.Terminator(end), copies);
  copies.CarryAllFacts();
  if (const Steps* why = editor.facts().Dead(module.LabelId(before))) {
    for (Block block : made) editor.facts().SetDead(module.LabelId(block), editor.Because(*why));
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachUse(module, module.FunctionId(function), [&](Use use) {
      const Inst user = module.User(use);
      if (module.Opcode(user) != spv::Op::OpFunctionCall || module.OperandIndex(use) != 0) return;
      if (proposer.Toss() && CheckCall(module, user)) {
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
                    "wrap_region_in_selection", "outline_function", "move_variable"}});

}  // namespace refract::inline_function
