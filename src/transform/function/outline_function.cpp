// SPDX-License-Identifier: Apache-2.0
// Makes a region a function and calls it. The blocks move with their names, so permanent names of
// what is in them stay valid. The entry keeps its label and phis, and the exit keeps its
// terminator, so the surroundings of the region do not change. Pointers that are not variables or
// parameters cannot be passed (SPIR-V 2.16.1); the other side computes them again from what can be
// passed.
#include "message/outline_function.h"

#include <algorithm>

#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/copies.h"
#include "rules/build/function_type.h"
#include "rules/legality/dead_exit.h"
#include "rules/legality/region.h"
#include "rules/legality/replaceable_variables.h"
#include "rules/rule.h"
#include "rules/values.h"
#include "transform/function/outline_plan.h"

namespace refract::outline_function {
namespace {

using Message = message::OutlineFunction;
// Roles in addition to those of IsolateRegion.
enum Role : uint64_t {
  kFunction = 11,
  kFunctionEnd = 12,
  kParameter = 13,
  kPointer = 14,
  kCall = 15,
  kStruct = 16,
  kResult = 17,
  kRelaxed = 18,
};

CheckResult CheckFunction(const View& view, Function function) {
  const Module& module = view.module();
  if (!HasCapability(module, spv::Capability::Shader)) {
    return No("the module does not declare the Shader capability");
  }
  // The new function would have to be safe for all arguments, too.
  if (view.facts().LiveSafe(module.FunctionId(function)) != nullptr) {
    return No("the function is marked as live-safe, so it must stay safe to call from any place");
  }
  return MayAddEdges(module);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const RegionEnds ends = FindEnds(view, message.entry, message.exit);
  if (const CheckResult v = CheckEnds(module, ends); !v) return v;
  if (const CheckResult v = CheckFunction(view, module[ends.entry].function); !v) return v;
  if (const CheckResult v = MayAddEdges(module, ends.entry); !v) return v;
  return OutlinePlan(view, ends).Make();
}

class Outlining {
 public:
  Outlining(ContextEditor& editor, const OutlinePlan& plan, const IsolatedRegion& cut)
      : editor_(editor), module_(editor.module()), plan_(plan), cut_(cut) {}

  void Run() {
    for (Id id : plan_.values()) inside_.push_back(InsideOf(id));
    const Id result = ResultType();
    Start(result);
    Move();
    DropDebugInstructions();
    UseParameters();
    Return(result);
    const Id call = Call(result);
    Receive(call);
    ForgetAcross();
  }

 private:
  Id InsideOf(Id id) const {
    for (const Displaced& each : cut_.displaced) {
      if (each.outside == id) return each.inside;
    }
    return id;
  }
  // The id that stands for an id of the caller in the function; nothing if not found.
  Id InFunction(Id id) const {
    const auto found = map_.find(id);
    if (found != map_.end()) return found->second;
    const Id inside = InsideOf(id);
    const Function owner = module_.FunctionOf(module_.Definition(inside));
    return owner == Function::kNone || owner == function_ ? inside : Id::kNone;
  }

  Id ResultType() {
    if (plan_.returns()) return module_.Type(module_[module_[cut_.entry].function].definition);
    if (inside_.empty()) return editor_.Declare(spv::Op::OpTypeVoid, Id::kNone, {});
    if (inside_.size() == 1) return module_.TypeOf(inside_[0]);
    Args members;
    for (Id id : inside_) members.push_back(module_.TypeOf(id));
    return editor_.DeclareDistinct(spv::Op::OpTypeStruct, Id::kNone, editor_.Made(kStruct),
                                   members);
  }

  void Start(Id result) {
    std::vector<Id> types;
    for (Id id : plan_.inputs()) types.push_back(module_.TypeOf(id));
    function_ = StartFunction(editor_, result, types,
                              {editor_.Made(kFunction), editor_.Made(kFunctionEnd)});
    for (Id id : plan_.inputs()) {
      const Id parameter =
          editor_.AppendValue(module_[function_].head, spv::Op::OpFunctionParameter,
                              module_.TypeOf(id), editor_.Made(kParameter, module_.NameOf(id)), {});
      editor_.MarkMadeOf(module_.Definition(parameter), module_.Definition(id));
      if (HasRelaxedPrecision(module_, id)) AddRelaxedPrecision(editor_, parameter, kRelaxed);
      map_[id] = parameter;
    }
  }

  void Move() {
    editor_.MoveBlockTo(function_, cut_.first);
    for (Block block : cut_.inside) {
      if (block != cut_.first) editor_.MoveBlockTo(function_, block);
    }
  }

  void DropDebugInstructions() {
    std::vector<Inst> gone;
    for (Block block : cut_.inside) {
      ForEachInstruction(module_, block, [&](Inst inst) {
        if (IsDebugInstruction(module_, inst)) gone.push_back(inst);
      });
    }
    for (size_t i = gone.size(); i-- > 0;) editor_.Remove(gone[i]);
  }

  void UseParameters() {
    const Inst first = module_.Next(module_.Label(cut_.first));
    for (Id pointer : plan_.pointers()) {
      const Inst inst = module_.Definition(pointer);
      Args args;
      for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
        args.push_back(InFunction(module_.IdAt(inst, i)));
      }
      const Id copy = editor_.InsertValue(first, module_.Opcode(inst), module_.Type(inst),
                                          editor_.Made(kPointer, module_.NameOf(pointer)), args);
      editor_.MarkCopy(module_.Definition(copy), inst);
      map_[pointer] = copy;
    }
    for (const auto& [from, to] : map_) {
      std::vector<Use> uses;
      ForEachUse(module_, from, [&](Use use) {
        if (module_.FunctionOf(module_.User(use)) == function_) uses.push_back(use);
      });
      for (Use use : uses) editor_.SetOperand(module_.User(use), module_.OperandIndex(use), to);
    }
    for (const auto& [from, to] : map_) {
      CopyFacts(editor_, from, to, [&](Id id) { return InFunction(id); });
    }
  }

  // Removes synonyms between values of the function and values of the caller. Values of the
  // function are now synonyms of its parameters instead; later steps may add more calls, or inline
  // the function elsewhere. Called when all values of the caller have been defined again.
  void ForgetAcross() {
    std::vector<std::pair<Id, Id>> across;
    ForEachBlock(module_, function_, [&](Block block) {
      ForEachInstruction(module_, block, [&](Inst inst) {
        const Id inside = module_.Result(inst);
        if (inside == Id::kNone) return;
        editor_.facts().ForEachEquality(inside, [&](const Part&, const Part& to, const Steps&) {
          const Function owner = module_.FunctionOf(module_.Definition(to.value));
          if (owner != Function::kNone && owner != function_) across.emplace_back(inside, to.value);
        });
      });
    });
    for (const auto& [inside, outside] : across) editor_.facts().ForgetEqualities(inside, outside);
  }

  void Return(Id result) {
    if (plan_.returns()) {
      const Inst end = module_.Terminator(cut_.merge);
      Args value;
      if (module_.OperandCount(end) > 0) value.push_back(InFunction(module_.IdAt(end, 0)));
      return editor_.SetTerminator(cut_.exit, module_.Opcode(end), value);
    }
    if (inside_.empty()) return editor_.SetTerminator(cut_.exit, spv::Op::OpReturn, {});
    Id value = inside_[0];
    if (inside_.size() > 1) {
      const Args args(inside_.begin(), inside_.end());
      value = editor_.InsertValue(module_.Terminator(cut_.exit), spv::Op::OpCompositeConstruct,
                                  result, editor_.Made(kResult), args);
    }
    editor_.SetTerminator(cut_.exit, spv::Op::OpReturnValue, {value});
  }

  Id Call(Id result) {
    Args args{module_.FunctionId(function_)};
    args.insert(args.end(), plan_.inputs().begin(), plan_.inputs().end());
    const Id call = editor_.InsertValue(module_.Terminator(cut_.entry), spv::Op::OpFunctionCall,
                                        result, editor_.Made(kCall), args);
    editor_.SetTerminator(cut_.entry, spv::Op::OpBranch, {module_.LabelId(cut_.merge)});
    const Inst end = module_.Terminator(cut_.merge);
    if (plan_.returns() && module_.OperandCount(end) > 0) editor_.SetOperand(end, 0, call);
    return call;
  }

  // Defines the results in the caller. Pointers are computed from earlier results; the results are
  // in the right order.
  void Receive(Id call) {
    const Inst where = module_.Next(module_.Label(cut_.merge));
    uint32_t next = 0;
    for (Id id : plan_.results()) {
      const Displaced& displaced =
          *std::find_if(cut_.displaced.begin(), cut_.displaced.end(),
                        [&](const Displaced& each) { return each.outside == id; });
      if (IsPointer(module_, module_.TypeOf(displaced.inside))) {
        YieldOutside(editor_, displaced, where, module_.OpcodeOf(displaced.inside),
                     OutsideArgs(module_.Definition(displaced.inside)));
        continue;
      }
      if (inside_.size() == 1) {
        YieldOutside(editor_, displaced, where, spv::Op::OpCopyObject, {call});
      } else {
        YieldOutside(editor_, displaced, where, spv::Op::OpCompositeExtract, {call, next});
      }
      Part part(call);
      if (inside_.size() > 1) part = *part.Component(next);
      ++next;
      if (MayHaveSynonym(editor_.view(), id)) {
        editor_.facts().AddSynonym(Part(id), part, editor_.Provenance());
      } else if (const Steps* why = editor_.facts().Irrelevant(id);
                 why != nullptr && inside_.size() == 1) {
        editor_.facts().SetIrrelevant(call, editor_.Provenance(*why));
      }
    }
  }

  // The operands of an instruction of the function, with the ids of the caller.
  Args OutsideArgs(Inst inst) const {
    Args args;
    for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
      Id id = module_.IdAt(inst, i);
      for (const auto& [from, to] : map_) {
        if (to == id) id = from;
      }
      for (const Displaced& each : cut_.displaced) {
        if (each.inside == id) id = each.outside;
      }
      args.push_back(id);
    }
    return args;
  }

  ContextEditor& editor_;
  const Module& module_;
  const OutlinePlan& plan_;
  const IsolatedRegion& cut_;
  Function function_ = Function::kNone;
  std::vector<Id> inside_;  // values to return
  std::map<Id, Id> map_;    // from ids of the caller to inputs and pointers inside
};

void Apply(const Message& message, ContextEditor& editor) {
  const RegionEnds ends = FindEnds(editor.view(), message.entry, message.exit);
  OutlinePlan plan(editor.view(), ends);
  CHECK(bool(plan.Make()));
  // All returns inside lead to the merge block, even if the exit is never reached.
  const Block before_merge = plan.returns() ? ends.entry : ends.exit;
  const IsolatedRegion cut = IsolateRegion(editor, ends, plan.results(), before_merge);
  Outlining(editor, plan, cut).Run();
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (CountMadeFunctions(module) >= kManyMadeFunctions) return;
  ForEachFunction(proposer, [&](Function function) {
    if (!CheckFunction(proposer.view(), function)) return;
    ForEachBlock(module, function, [&](Block entry) {
      if (!proposer.ShouldTry()) return;
      const std::vector<Block> exits = ExitsFrom(module, entry);
      if (exits.empty()) return;
      const RegionEnds ends{entry, exits[proposer.Pick(exits.size())]};
      OutlinePlan plan(proposer.view(), ends);
      if (!plan.Make() || plan.size() < 2) return;
      proposer.Offer(
          Message{module.NameOf(module.Label(entry)), module.NameOf(module.Terminator(ends.exit))});
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {8, 40},
     .follow_ons = {"set_function_control", "inline_function", "split_block", "add_parameter",
                    "return_through_pointer", "function_call"}});

}  // namespace refract::outline_function
