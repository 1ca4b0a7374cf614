// SPDX-License-Identifier: Apache-2.0
// Gives a function a single return. Inside a function, only a break can leave a loop (SPIR-V 1.6
// revision 2, 2.11.2), and only the innermost one. So a return in nested loops goes from merge
// block to merge block, where a phi tells whether to continue to the next one. The terminators that
// returned remain the ends of their blocks.
#include "message/merge_returns.h"

#include <map>

#include "ir/block_head.h"
#include "rules/build/declare.h"
#include "rules/context_editor.h"
#include "rules/legality/condition.h"
#include "rules/legality/dead_exit.h"
#include "rules/legality/split.h"
#include "rules/rule.h"
#include "rules/values.h"

namespace refract::merge_returns {
namespace {

using Message = message::MergeReturns;
enum Role : uint64_t {
  kBody = 1,
  kEntryBranch = 2,
  kHeader = 3,
  kLoopMerge = 4,
  kHeaderBranch = 5,
  kContinue = 6,
  kContinueBranch = 7,
  kEnd = 8,
  kValue = 9,
  kReturn = 10,
  kRest = 11,
  kRestBranch = 12,
  kReturning = 13
};

// The new target of each return: the merge block of the loop around it, or of the new loop (none).
struct Plan {
  struct Return {
    Inst terminator;
    Block to;
  };
  std::vector<Return> returns;
  std::map<Block, Block> merges;  // of loops around returns, each with the next one
};

bool IsReturn(spv::Op opcode) {
  return opcode == spv::Op::OpReturn || opcode == spv::Op::OpReturnValue;
}

Block MergeAround(const ControlFlow& flow, Block block) {
  const Construct* loop = flow.InnermostLoop(block);
  return loop == nullptr ? Block::kNone : loop->merge;
}

Plan MakePlan(const Module& module, Function function) {
  const ControlFlow& flow = module.Flow(function);
  Plan plan;
  for (Block block : flow.order) {
    const Inst terminator = module.Terminator(block);
    if (!IsReturn(module.Opcode(terminator)) || !flow.Reachable(block)) continue;
    Block to = MergeAround(flow, block);
    plan.returns.push_back({terminator, to});
    while (to != Block::kNone && plan.merges.find(to) == plan.merges.end()) {
      const Block next = MergeAround(flow, to);
      plan.merges[to] = next;
      to = next;
    }
  }
  return plan;
}

// True if the new edge out of the loop breaks the dominance of a definition over a use after the
// loop. Inside the loop nothing changes, because all paths go through the header. The edge leaves
// from the end of `from` or, if `is_cut`, after its phis; the rest then becomes another block.
bool IsNeededAfter(const Module& module, Block from, Block merge, bool is_cut) {
  const ControlFlow& flow = module.Flow(module[merge].function);
  const Block header = flow.HeaderOfMerge(merge);
  const auto is_on_the_way = [&](Block block) {
    return flow.Dominates(block, from) && !(is_cut && block == from);
  };
  bool needed = false;
  for (Block block = flow.ImmediateDominator(merge);
       block != Block::kNone && !needed && !is_on_the_way(block);
       block = flow.ImmediateDominator(block)) {
    ForEachInstruction(module, block, [&](Inst inst) {
      if (module.Type(inst) == Id::kNone || needed) return;
      if (block == from && module.Opcode(inst) == spv::Op::OpPhi) return;
      ForEachUse(module, module.Result(inst), [&](Use use) {
        const Inst user = module.User(use);
        Block where = module.BlockOf(user);
        if (!module.IsBasicBlock(where)) return;
        if (module.Opcode(user) == spv::Op::OpPhi) {
          where = module.BlockOfLabel(module.IdAt(user, module.OperandIndex(use) + 1));
        }
        needed = needed || !flow.StructurallyDominates(header, where) ||
                 flow.StructurallyDominates(merge, where);
      });
    });
  }
  return needed;
}

CheckResult CheckMerge(const Module& module, Block merge) {
  if (!module.Flow(module[merge].function).Reachable(merge)) {
    return No("the merge block of a loop with a return is unreachable");
  }
  if (!PhisHaveNulls(module, merge)) return No("the type of a phi has no null constant");
  return MaySplitBefore(module, BodyStart(module, merge));
}

// False if a return would enter a merge block that so far only dead edges reach.
bool StayDead(const View& view, const Plan& plan) {
  const Module& module = view.module();
  for (const Plan::Return& each : plan.returns) {
    for (Block merge = each.to; merge != Block::kNone; merge = plan.merges.at(merge)) {
      const bool dead = view.facts().Dead(module.LabelId(merge)) != nullptr;
      if (dead && !view.IsDead(module.BlockOf(each.terminator))) return false;
    }
  }
  return true;
}

// Checks the plan for a function that has a body.
CheckResult CheckPlan(const View& view, Function function, const Plan& plan) {
  const Module& module = view.module();
  const ControlFlow& flow = module.Flow(function);
  if (plan.returns.empty()) return No("the function does not return");
  const Block only = module.BlockOf(plan.returns[0].terminator);
  if (plan.returns.size() == 1 && flow.InnermostConstruct(only) == Construct::kNone) {
    return No("the function already has a single return at its end");
  }
  const Inst first = plan.returns[0].terminator;
  if (module.OperandCount(first) > 0 && !IsOrdinary(module, module.TypeOf(module.IdAt(first, 0)))) {
    return No("OpPhi does not support the result type");
  }
  for (const auto& [merge, next] : plan.merges) {
    if (const CheckResult v = CheckMerge(module, merge); !v) return v;
    if (next != Block::kNone && IsNeededAfter(module, merge, next, true)) {
      return No("a definition would no longer dominate one of its uses");
    }
  }
  for (const Plan::Return& each : plan.returns) {
    if (each.to != Block::kNone &&
        IsNeededAfter(module, module.BlockOf(each.terminator), each.to, false)) {
      return No("a definition would no longer dominate one of its uses");
    }
  }
  if (!StayDead(view, plan)) {
    return No("a new edge from a return would lead to a block that is known to be dead");
  }
  for (const auto& [merge, next] : plan.merges) {
    if (const CheckResult v = MayAddEdges(module, merge); !v) return v;
  }
  for (const Plan::Return& each : plan.returns) {
    const CheckResult v = MayAddEdges(module, module.BlockOf(each.terminator));
    if (!v) return v;
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Function function = view.FunctionNamed(message.function);
  if (function == Function::kNone || module[function].first == Block::kNone) {
    return No("the function does not exist or has no body");
  }
  return CheckPlan(view, function, MakePlan(module, function));
}

class Merging {
 public:
  Merging(ContextEditor& editor, Function function, Plan plan)
      : editor_(editor), module_(editor.module()), function_(function), plan_(std::move(plan)) {}

  void Run() {
    for (const auto& [merge, next] : plan_.merges) {
      rest_[merge] = Split(merge, Made(kRest, merge), Made(kRestBranch, merge));
      // If every iteration returned, the merge block was never entered. Now the returns enter it;
      // only its rest, which is another block now, is still never entered.
      const Id label = module_.LabelId(merge);
      if (editor_.facts().Dead(label) == nullptr) editor_.facts().ForgetPlacementFacts(label);
    }
    for (const auto& [merge, next] : plan_.merges) {
      const auto before = module_.Flow(function_).Predecessors(merge);
      before_[merge].assign(before.begin(), before.end());
    }
    AddLoop();
    for (const auto& [merge, next] : plan_.merges) AddPhis(merge);
    const Sources sources = SourcesOf(Block::kNone);
    if (HasValue()) {
      const Id value =
          editor_.AppendValue(end_, spv::Op::OpPhi, Type(), editor_.Made(kValue), Values(sources));
      editor_.AppendPlain(end_, spv::Op::OpReturnValue, editor_.Made(kReturn), {value});
    } else {
      editor_.AppendPlain(end_, spv::Op::OpReturn, editor_.Made(kReturn), {});
    }
    for (const auto& [merge, next] : plan_.merges) {
      editor_.SetTerminator(merge, spv::Op::OpBranchConditional,
                            {returning_[merge], Target(next), module_.LabelId(rest_[merge])});
    }
    for (const Plan::Return& each : plan_.returns) {
      editor_.SetTerminator(module_.BlockOf(each.terminator), spv::Op::OpBranch, {Target(each.to)});
    }
  }

 private:
  struct Source {
    Block block;
    Id value;
  };
  using Sources = std::vector<Source>;

  Name Made(Role role, Block merge) const {
    return editor_.Made(role, module_.NameOf(module_.Label(merge)));
  }
  Id Target(Block merge) const { return module_.LabelId(merge == Block::kNone ? end_ : merge); }
  bool HasValue() const {
    return module_.Opcode(plan_.returns[0].terminator) == spv::Op::OpReturnValue;
  }
  Id Type() const { return module_.Type(module_[function_].definition); }

  Block Split(Block block, Name label, Name branch) {
    const Block rest = editor_.SplitBlock(BodyStart(module_, block), label, branch);
    editor_.CopyDeadFacts(block, rest);
    return rest;
  }

  void AddLoop() {
    const Block entry = module_[function_].first;
    const Block body = Split(entry, editor_.Made(kBody), editor_.Made(kEntryBranch));
    const Block header = editor_.AddBlockAfter(entry, editor_.Made(kHeader));
    const Block next = editor_.AddBlockAfter(module_[function_].last, editor_.Made(kContinue));
    end_ = editor_.AddBlockAfter(next, editor_.Made(kEnd));
    editor_.AppendPlain(header, spv::Op::OpLoopMerge, editor_.Made(kLoopMerge),
                        {module_.LabelId(end_), module_.LabelId(next), 0u});
    editor_.AppendPlain(header, spv::Op::OpBranch, editor_.Made(kHeaderBranch),
                        {module_.LabelId(body)});
    editor_.AppendPlain(next, spv::Op::OpBranch, editor_.Made(kContinueBranch),
                        {module_.LabelId(header)});
    editor_.SetTerminator(entry, spv::Op::OpBranch, {module_.LabelId(header)});
    editor_.RedirectPhis(body, module_.LabelId(entry), module_.LabelId(header));
    for (Block block : {header, next, end_}) editor_.CopyDeadFacts(entry, block);
  }

  // The blocks that will branch to the merge block because of a return, with the values that they
  // return.
  Sources SourcesOf(Block merge) {
    Sources sources;
    for (const Plan::Return& each : plan_.returns) {
      if (each.to != merge) continue;
      const Id value = HasValue() ? module_.IdAt(each.terminator, 0) : Id::kNone;
      sources.push_back({module_.BlockOf(each.terminator), value});
    }
    for (const auto& [inner, next] : plan_.merges) {
      if (next != merge) continue;
      AddPhis(inner);
      sources.push_back({inner, value_[inner]});
    }
    return sources;
  }

  Args Values(const Sources& sources) const {
    Args args;
    for (const Source& source : sources) {
      args.push_back(source.value);
      args.push_back(module_.LabelId(source.block));
    }
    return args;
  }

  // Adds the phis of inner loops first.
  void AddPhis(Block merge) {
    if (returning_.find(merge) != returning_.end()) return;
    const Sources sources = SourcesOf(merge);
    // Returns arrive with null, so facts about these phis no longer hold.
    for (const Source& source : sources) AddNullPhiInputs(editor_, merge, source.block);
    for (Inst phi : PhisOf(module_, merge)) {
      editor_.facts().ForgetPlacementFacts(module_.Result(phi));
    }
    const Id yes = Declare(editor_, BoolConstant(true)), no = Declare(editor_, BoolConstant(false));
    Args returning;
    for (Block before : before_[merge]) {
      returning.push_back(no);
      returning.push_back(module_.LabelId(before));
    }
    for (const Source& source : sources) {
      returning.push_back(yes);
      returning.push_back(module_.LabelId(source.block));
    }
    const Inst where = module_.Next(module_.Label(merge));
    returning_[merge] = editor_.InsertValue(where, spv::Op::OpPhi, module_.TypeOf(yes),
                                            Made(kReturning, merge), returning);
    if (!HasValue()) return;
    Args values = Values(sources);
    const Id null = DeclareNull(editor_, Type());
    for (Block before : before_[merge]) {
      values.push_back(null);
      values.push_back(module_.LabelId(before));
    }
    value_[merge] = editor_.InsertValue(where, spv::Op::OpPhi, Type(), Made(kValue, merge), values);
  }

  ContextEditor& editor_;
  const Module& module_;
  const Function function_;
  const Plan plan_;
  Block end_ = Block::kNone;
  std::map<Block, Block> rest_;
  std::map<Block, std::vector<Block>> before_;
  std::map<Block, Id> returning_, value_;
};

void Apply(const Message& message, ContextEditor& editor) {
  const Function function = editor.view().FunctionNamed(message.function);
  Merging(editor, function, MakePlan(editor.module(), function)).Run();
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    if (!proposer.ShouldTry()) return;
    Message message{module.NameOf(module[function].definition)};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {40, 100},
     .follow_ons = {"inline_function", "replace_bool_constant_with_comparison", "set_loop_control",
                    "add_dead_break"}});

}  // namespace refract::merge_returns
