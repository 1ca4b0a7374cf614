// SPDX-License-Identifier: Apache-2.0
// Adds a fragment of a donor in place. The fragment is built as a function, made live-safe like
// one, and its blocks then move to the place with their names. What remains of the function is
// removed.
#include "message/add_fragment.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "donate/donated_function.h"
#include "donate/fragment.h"
#include "donate/live_safe.h"
#include "ir/availability.h"
#include "ir/branches.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/build/function_type.h"
#include "rules/legality/defined.h"
#include "rules/legality/index_range.h"
#include "rules/legality/memory.h"
#include "rules/legality/split.h"
#include "rules/values.h"
#include "transform/function/choose_arguments.h"
#include "transform/function/cost.h"

namespace refract::add_fragment {
namespace {

using Message = message::AddFragment;
using message::DonatedParameter;
using message::Type;
// Far from the roles of the built function (donate/donated_function.cpp).
enum Role : uint64_t {
  kAfter = uint64_t{32} << 40,
  kBranch = uint64_t{33} << 40,
  kResult = uint64_t{34} << 40,
  kCopy = uint64_t{35} << 40,
  kVariable = uint64_t{36} << 40,
  kLoadFirst = uint64_t{37} << 40,
  kStoreFirst = uint64_t{38} << 40,
  kInitialise = uint64_t{39} << 40,
  kLoadLast = uint64_t{40} << 40,
  kStoreLast = uint64_t{41} << 40,
};

bool IsVariable(const DonatedParameter& parameter) {
  return parameter.type.kind == Type::Kind::kPointer;
}

// The name that is bound to the parameter with this index; empty without one.
Name NameFor(const Message& message, size_t parameter) {
  return parameter < message.arguments.size() ? message.arguments[parameter] : Name();
}

// --- Check

CheckResult CheckPointer(const View& view, Id pointer, bool* must_be_dead) {
  const Module& module = view.module();
  if (!IsPartOfVariable(module, pointer)) {
    return No("the id is not a pointer to a variable or to a part of a variable");
  }
  if (CheckResult v = MayStore(module, pointer); !v) return v;
  if (!*must_be_dead) {
    *must_be_dead = !IsAlwaysValid(module, pointer) || !view.IsIrrelevantPointee(pointer);
  }
  return Yes();
}

CheckResult CheckArgument(const Message& message, const View& view, size_t index, Inst before,
                          bool* must_be_dead) {
  const Module& module = view.module();
  const DonatedParameter& parameter = message.body.parameters[index];
  const Type& type = parameter.type;
  const Id value = view.Value(NameFor(message, index));
  if (value == Id::kNone) return No("an argument does not exist");
  if (!IsAvailable(module, value, before)) {
    return No("an argument is not available at the insertion point");
  }
  const Id given = module.TypeOf(value);
  if (IsVariable(parameter) && given == FindType(module, type)) {
    return CheckPointer(view, value, must_be_dead);
  }
  if (IsVariable(parameter) && !message.body.live_safe) {
    return No("an argument for a variable is not a pointer");
  }
  if (given != FindType(module, IsVariable(parameter) ? type.parts[0] : type)) {
    return No("an argument does not have the parameter's type");
  }
  if (!message.body.live_safe && IsFoldable(module, value) && IsIndexOf(message.body, parameter)) {
    return No("an argument is a constant index that may be out of range");
  }
  // Live-safe code is safe only for defined values.
  if (!*must_be_dead) *must_be_dead = !IsSurelyDefined(view, value);
  return Yes();
}

CheckResult CheckPlace(const Module& module, const Message& message, Inst before) {
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, spv::Op::OpStore, before)) {
    return No("no instruction can be inserted at this point");
  }
  const Block block = module.BlockOf(before);
  if (!module.Flow(module[block].function).Reachable(block)) {
    return No("the block is unreachable");
  }
  if (message.body.blocks.size() < 2) return Yes();
  return IsLoopHeader(module, block) ? MaySplitHeaderBefore(module, before)
                                     : MaySplitBefore(module, before);
}

// True if a block of the fragment ends with neither a branch nor the return, such as the merge
// block of a selection whose sides both leave it.
bool HasOtherEnd(const message::AddFunction& body) {
  const auto ends = [](const auto& block) {
    const auto opcode = static_cast<spv::Op>(block.instructions.back().opcode);
    return !PropertiesOf(opcode).is_branch;
  };
  return std::count_if(body.blocks.begin(), body.blocks.end(), ends) > 1;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (CheckResult v = CheckPlace(module, message, before); !v) return v;
  if (CheckResult v = CheckFragment(message.body, view); !v) return v;
  const Block block = module.BlockOf(before);
  if (HasOtherEnd(message.body) &&
      SplitsContinueConstruct(module.Flow(module[block].function), block)) {
    return No("the fragment would have another end inside a continue construct");
  }
  if (message.arguments.size() > message.body.parameters.size()) {
    return No("there are more arguments than parameters");
  }
  bool must_be_dead = !message.body.live_safe;
  for (size_t i = 0; i < message.arguments.size(); ++i) {
    if (!message.arguments[i]) continue;
    if (CheckResult v = CheckArgument(message, view, i, before, &must_be_dead); !v) return v;
  }
  if (must_be_dead && !view.IsDead(block)) {
    return No("this fragment with these arguments is allowed only in dead blocks");
  }
  return Yes();
}

// --- Apply

class Insertion {
 public:
  Insertion(const Message& message, ContextEditor& editor)
      : message_(message),
        editor_(editor),
        module_(editor.module()),
        before_(module_.Find(message.before)),
        caller_(module_.FunctionOf(before_)) {}

  void Run() {
    function_ = BuildDonated(editor_, message_.body);
    if (message_.body.live_safe) {
      MakeLiveSafe(editor_, function_, message_.body.loop_limit);
      // The function is removed below, but the module now has code that no output depends on.
      editor_.facts().SetLiveSafe(module_.FunctionId(function_), editor_.Provenance());
    }
    const Inst end = End();
    Inst parameter = module_.Next(module_[function_].definition);
    for (size_t i = 0; i < message_.body.parameters.size(); ++i) {
      const Id argument = module_.FindId(NameFor(message_, i));
      Replace(module_.Result(parameter), ValueFor(message_.body.parameters[i], argument));
      parameter = module_.Next(parameter);
    }
    MoveVariables();
    const bool has_result = module_.Opcode(end) == spv::Op::OpReturnValue;
    const Id result = has_result ? module_.IdAt(end, 0) : Id::kNone;
    if (module_[module_[function_].first].next == Block::kNone) {
      MoveInstructions(end);
    } else {
      MoveBlocks(end);
    }
    // Its type stays: a declaration that is removed and made again would get another id in a
    // replay.
    editor_.RemoveFunction(function_);
    for (const auto& [variable, pointer] : stored_) {
      const Name name = module_.NameOf(variable);
      const Id last = editor_.InsertValue(before_, spv::Op::OpLoad, PointeeOf(module_, variable),
                                          editor_.Made(kLoadLast, name), {variable});
      editor_.InsertPlain(before_, spv::Op::OpStore, editor_.Made(kStoreLast, name),
                          {pointer, last});
    }
    if (!has_result) return;
    const Id copy = editor_.InsertValue(before_, spv::Op::OpCopyObject, module_.TypeOf(result),
                                        editor_.Made(kResult), {result});
    editor_.facts().SetIrrelevant(copy, editor_.Provenance());
  }

 private:
  // The return that ends the fragment.
  Inst End() const {
    const ControlFlow& flow = module_.Flow(function_);
    for (Block block : flow.order) {
      const Inst end = module_.Terminator(block);
      const spv::Op opcode = module_.Opcode(end);
      if (!flow.Reachable(block)) continue;
      if (opcode == spv::Op::OpReturn || opcode == spv::Op::OpReturnValue) return end;
    }
    CHECK(false);
    return Inst::kNone;
  }

  // What the fragment uses instead of the parameter.
  Id ValueFor(const DonatedParameter& parameter, Id argument) {
    if (IsVariable(parameter)) return VariableFor(parameter, argument);
    const Id type = Declare(editor_, parameter.type);
    if (argument == Id::kNone) return DeclareNull(editor_, type);
    if (editor_.facts().Irrelevant(argument) == nullptr) return argument;
    // A step can replace each use of an irrelevant value by another value, but the fragment needs
    // all uses to be equal.
    return editor_.InsertValue(before_, spv::Op::OpCopyObject, type,
                               editor_.Made(kCopy, uint64_t{parameter.local}), {argument});
  }

  // Other steps may write to irrelevant memory at any time, so live-safe code has a variable of its
  // own.
  Id VariableFor(const DonatedParameter& parameter, Id argument) {
    const Id type = Declare(editor_, parameter.type);
    const bool is_pointer = argument != Id::kNone && module_.TypeOf(argument) == type;
    if (is_pointer && !message_.body.live_safe) return argument;
    const uint64_t local = parameter.local;
    const Id variable = AddVariableToPass(editor_, type, caller_, editor_.Made(kVariable, local));
    if (argument == Id::kNone) return variable;
    if (is_pointer) {
      const Id first = editor_.InsertValue(before_, spv::Op::OpLoad, PointeeOf(module_, argument),
                                           editor_.Made(kLoadFirst, local), {argument});
      const Steps* why = editor_.facts().IrrelevantPointee(argument);
      if (why != nullptr) editor_.facts().SetIrrelevant(first, editor_.Provenance(*why));
      stored_.emplace_back(variable, argument);
      argument = first;
    }
    editor_.InsertPlain(before_, spv::Op::OpStore, editor_.Made(kStoreFirst, local),
                        {variable, argument});
    return variable;
  }

  void Replace(Id parameter, Id value) {
    std::vector<Use> uses;
    ForEachUse(module_, parameter, [&](Use use) { uses.push_back(use); });
    for (Use use : uses) editor_.SetOperand(module_.User(use), module_.OperandIndex(use), value);
  }

  // The place may be in a loop, so each run of the fragment begins with the initializers.
  void MoveVariables() {
    std::vector<Inst> variables;
    ForEachInstruction(module_, module_[function_].first, [&](Inst inst) {
      if (module_.Opcode(inst) == spv::Op::OpVariable) variables.push_back(inst);
    });
    // `before_` may be the first instruction, so all variables come before the first store.
    const Inst first = module_.Next(module_.Label(module_[caller_].first));
    for (Inst variable : variables) editor_.MoveBefore(variable, first);
    for (Inst variable : variables) {
      if (module_.OperandCount(variable) < 2) continue;
      editor_.InsertPlain(before_, spv::Op::OpStore,
                          editor_.Made(kInitialise, module_.NameOf(variable)),
                          {module_.Result(variable), module_.IdAt(variable, 1)});
    }
  }

  void MoveInstructions(Inst end) {
    for (Inst inst = module_.Next(module_.Label(module_.BlockOf(end))); inst != end;) {
      const Inst next = module_.Next(inst);
      editor_.MoveBefore(inst, before_);
      inst = next;
    }
  }

  void MoveBlocks(Inst end) {
    const Block last = module_.BlockOf(end);
    const Block at = module_.BlockOf(before_);
    const Name label = editor_.Made(kAfter), branch = editor_.Made(kBranch);
    const Block after = IsLoopHeader(module_, at) ? SplitHeader(editor_, before_, label, branch)
                                                  : editor_.SplitBlock(before_, label, branch);
    // An OpLoopMerge stays in the header.
    before_ = module_.Next(module_.Label(after));
    editor_.CopyDeadFacts(at, after);
    std::vector<Block> blocks;
    ForEachBlock(module_, function_, [&](Block block) { blocks.push_back(block); });
    Block previous = at;
    for (Block block : blocks) {
      editor_.MoveBlockTo(caller_, block);
      editor_.MoveBlockAfter(block, previous);
      editor_.CopyDeadFacts(at, block);
      previous = block;
    }
    editor_.SetTerminator(at, spv::Op::OpBranch, {module_.LabelId(blocks[0])});
    editor_.SetTerminator(last, spv::Op::OpBranch, {module_.LabelId(after)});
  }

  const Message& message_;
  ContextEditor& editor_;
  const Module& module_;
  Inst before_;  // new instructions come before it
  const Function caller_;
  Function function_ = Function::kNone;
  std::vector<std::pair<Id, Id>> stored_;  // own variables, and where their last values go
};

void Apply(const Message& message, ContextEditor& editor) {
  Insertion(message, editor).Run();
}

// --- Propose

// True if code with a loop is too slow there, whatever its estimated cost is: the estimate assumes
// that the loops of a live-safe function have a limit over the whole call, but the counters of a
// fragment begin again in each iteration of the loop around it.
bool IsInLoopOfLiveSafe(const View& view, Block block) {
  const Module& module = view.module();
  const Function function = module[block].function;
  return view.facts().LiveSafe(module.FunctionId(function)) != nullptr &&
         module.Flow(function).InnermostLoop(block) != nullptr;
}

std::vector<Inst> ChoosePlaces(Proposer& proposer) {
  const Module& module = proposer.module();
  std::vector<Inst> places;
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (MayInsertBefore(module, spv::Op::OpStore, inst) && proposer.ShouldTry()) {
          places.push_back(inst);
        }
      });
    });
  });
  return places;
}

void Propose(Proposer& proposer) {
  constexpr size_t kOffers = 4, kTries = 12;
  constexpr size_t kUsualLimit = 12;  // nested loops still end soon
  const std::vector<AnyMessage>& donors = proposer.donors();
  const Module& module = proposer.module();
  if (donors.empty() || !HasCapability(module, spv::Capability::Shader)) return;
  const std::vector<Inst> places = ChoosePlaces(proposer);
  if (places.empty()) return;
  const Cost cost(proposer.view());
  double budget = proposer.MaxCost() - cost.total();
  const PickNumber pick = [&](size_t n) { return proposer.Pick(n); };
  size_t offers = 0;
  for (size_t tries = 0; tries < kTries && offers < kOffers; ++tries) {
    const Inst before = places[pick(places.size())];
    const Block block = module.BlockOf(before);
    auto cut = CutFragment(donors[pick(donors.size())].As<message::AddFunction>(), pick);
    if (!cut || (LoopsOf(*cut) > 0 && IsInLoopOfLiveSafe(proposer.view(), block))) continue;
    Message message{module.NameOf(before), {}, std::move(*cut)};
    const bool dead = proposer.view().facts().Dead(module.LabelId(block)) != nullptr;
    message.body.live_safe = !dead || pick(2) == 0;
    if (message.body.live_safe) {
      message.body.loop_limit = 1 + static_cast<uint32_t>(pick(kUsualLimit));
    }
    const double own = CostOfFragment(message.body);
    const double added = cost.OfCode(block, own);
    if (added > 0 && added > budget) continue;
    // The limit also applies if nothing calls this function yet, because a later step could call
    // it.
    if (!dead && cost.OfFunctionWithCode(block, own) > kMaxCallerCost) continue;
    message.arguments = ChooseArguments(proposer, before, message.body);
    if (!Check(message, proposer.view())) continue;
    budget -= added;
    ++offers;
    proposer.Offer(std::move(message));
  }
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 12},
     .follow_ons = {"replace_irrelevant_id", "outline_function", "access", "split_block",
                    "propagate_instruction_up", "wrap_region_in_selection"},
     .donors = DonorUse::kRequired});

}  // namespace refract::add_fragment
