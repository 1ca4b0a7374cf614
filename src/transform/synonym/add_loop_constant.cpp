// SPDX-License-Identifier: Apache-2.0
// Computes a constant in a new loop. The loop adds the step to its start value so often that it
// ends with the constant. The start value is computed here, in the width of the ints, where all
// operations wrap. The result is a phi of the merge block, and only that phi equals the constant.
#include "message/add_loop_constant.h"

#include <optional>

#include "ir/types.h"
#include "rules/build/counter.h"
#include "rules/build/declare.h"
#include "rules/legality/split.h"
#include "rules/values.h"

namespace refract::add_loop_constant {
namespace {

using Message = message::AddLoopConstant;
using Form = Message::Form;
using Kind = message::Type::Kind;
enum Role : uint64_t {
  kAfter = 1,
  kBranch = 2,
  kHeader = 3,
  kBody = 4,
  kCount = 5,
  kSum = 6,
  kNextCount = 7,
  kNextSum = 8,
  kTest = 9,
  kMerge = 10,
  kHeaderEnd = 11,
  kBodyEnd = 12,
  kResult = 13
};
constexpr uint32_t kMaxIterations = 32;

bool IsIntOrVector(const message::Type& type) {
  const bool is_vector = type.kind == Kind::kVector && type.parts.size() == 1;
  return (is_vector ? type.parts[0] : type).kind == Kind::kInt;
}

// The constant whose component i is `make(i)`; the type passes IsIntOrVector.
template <class Make>
message::Constant Compose(const message::Type& type, Make make) {
  if (type.kind == Kind::kInt) return ScalarConstant(type, make(0));
  message::Constant constant;
  constant.type = type;
  for (uint32_t i = 0; i < type.count; ++i) {
    constant.parts.push_back(ScalarConstant(type.parts[0], make(i)));
  }
  return constant;
}

// The bits of a component; requires IsDeclarable of the constant and IsIntOrVector of its type.
uint64_t Bits(const message::Constant& constant, uint32_t component) {
  if (constant.is_null) return 0;
  if (!constant.parts.empty()) return Bits(constant.parts[component], 0);
  uint64_t bits = 0;
  for (size_t i = constant.words.size(); i > 0; --i) bits = bits << 32 | constant.words[i - 1];
  return bits;
}

// The start value of the loop: constant - step * rounds.
message::Constant Start(const Message& message) {
  return Compose(message.constant.type, [&](uint32_t i) {
    return Bits(message.constant, i) - Bits(message.step, i) * message.rounds;
  });
}

CheckResult CheckConstants(const Message& message, const View& view) {
  const Module& module = view.module();
  if (!IsDeclarableHere(module, message.constant) || !IsDeclarableHere(module, message.step)) {
    return No("a constant cannot be declared in this module");
  }
  if (!IsIntOrVector(message.constant.type)) return No("the constant does not consist of integers");
  if (message.step.type != message.constant.type) {
    return No("the constant and the number that each iteration adds have different types");
  }
  if (message.rounds == 0 || message.rounds > kMaxIterations) {
    return No("the number of iterations is not between 1 and 32");
  }
  const Id constant = FindConstant(module, message.constant);
  return constant == Id::kNone ? Yes() : MayHaveSynonym(view, constant);
}

CheckResult CheckPlace(const Module& module, Inst before) {
  if (const CheckResult v = MaySplitBefore(module, before); !v) return v;
  const Block block = module.BlockOf(before);
  if (!module.Flow(module[block].function).Reachable(block)) return No("the block is unreachable");
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (message.form != Form::kOneBlock && message.form != Form::kHeader &&
      message.form != Form::kContinue) {
    return No("the field `form` has an unknown value");
  }
  if (const CheckResult v = CheckConstants(message, view); !v) return v;
  return CheckPlace(view.module(), before);
}

// The blocks, which have only their terminators so far. Header and body may be the same block.
struct Loop {
  Block before, header, body, after;
};

Loop MakeBlocks(ContextEditor& editor, const Message& message) {
  const Module& module = editor.module();
  const Inst first = module.Find(message.before);
  Loop loop{};
  loop.before = module.BlockOf(first);
  loop.after = editor.SplitBlock(first, editor.Made(kAfter), editor.Made(kBranch));
  loop.header = editor.AddBlockAfter(loop.before, editor.Made(kHeader));
  const Id header = module.LabelId(loop.header);
  loop.body = loop.header;
  if (message.form != Form::kOneBlock) {
    loop.body = editor.AddBlockAfter(loop.header, editor.Made(kBody));
    editor.AppendPlain(loop.header, spv::Op::OpBranch, editor.Made(kHeaderEnd),
                       {module.LabelId(loop.body)});
    editor.CopyDeadFacts(loop.before, loop.body);
  }
  editor.AppendPlain(loop.body, spv::Op::OpBranch, editor.Made(kBodyEnd), {header});
  editor.RedirectEdge(loop.before, loop.after, loop.header);
  editor.CopyDeadFacts(loop.before, loop.header);
  editor.CopyDeadFacts(loop.before, loop.after);
  return loop;
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Id constant = Declare(editor, message.constant), step = Declare(editor, message.step);
  const Id start = Declare(editor, Start(message)), type = module.TypeOf(constant);
  const Id counter = DeclareCounterType(editor), zero = DeclareCount(editor, 0);
  const Loop loop = MakeBlocks(editor, message);
  const Id from = module.LabelId(loop.before), header = module.LabelId(loop.header);
  const Id body = module.LabelId(loop.body), after = module.LabelId(loop.after);
  const Inst header_end = module.Terminator(loop.header), body_end = module.Terminator(loop.body);

  const Id count =
      editor.InsertValue(header_end, spv::Op::OpPhi, counter, editor.Made(kCount), {zero, from});
  const Id sum =
      editor.InsertValue(header_end, spv::Op::OpPhi, type, editor.Made(kSum), {start, from});
  const Id next_count = InsertIncrement(editor, body_end, count, editor.Made(kNextCount));
  const Id next_sum =
      editor.InsertValue(body_end, spv::Op::OpIAdd, type, editor.Made(kNextSum), {sum, step});
  editor.AddPhiInput(module.Definition(count), next_count, body);
  editor.AddPhiInput(module.Definition(sum), next_sum, body);

  const bool tests_first = message.form == Form::kHeader;
  const Id goes_on =
      InsertLess(editor, tests_first ? header_end : body_end, tests_first ? count : next_count,
                 DeclareCount(editor, message.rounds), editor.Made(kTest));
  editor.InsertPlain(header_end, spv::Op::OpLoopMerge, editor.Made(kMerge), {after, body, 0u});
  editor.SetTerminator(tests_first ? loop.header : loop.body, spv::Op::OpBranchConditional,
                       {goes_on, tests_first ? body : header, after});
  const Id result = editor.InsertValue(module.Next(module.Label(loop.after)), spv::Op::OpPhi, type,
                                       editor.Made(kResult),
                                       {tests_first ? sum : next_sum, tests_first ? header : body});
  editor.facts().AddSynonym(Part(result), Part(constant), editor.Provenance());
}

// The limit for the number of iterations: lower inside other loops.
uint32_t MaxIterations(const Module& module, Block block) {
  const ControlFlow& flow = module.Flow(module[block].function);
  uint32_t most = 16;
  for (uint32_t c = flow.InnermostConstruct(block); c != Construct::kNone && most > 1;
       c = flow.constructs[c].parent) {
    if (flow.constructs[c].kind == ConstructKind::kLoop) most /= 4;
  }
  return most > 0 ? most : 1;
}

// An int constant that is used near the place; nullopt if not found.
std::optional<message::Constant> ConstantNear(Proposer& proposer, Inst where) {
  const Module& module = proposer.module();
  std::vector<message::Constant> constants;
  for (Id id : ValuesNear(module, where, 32)) {
    if (!IsConstant(module.OpcodeOf(id))) continue;
    std::optional<message::Constant> constant = DescribeConstant(module, id);
    if (constant && IsIntOrVector(constant->type)) constants.push_back(*constant);
  }
  if (constants.empty()) return std::nullopt;
  return constants[proposer.Pick(constants.size())];
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      if (!proposer.ShouldTry()) return;
      std::vector<Inst> places;
      ForEachInstruction(module, block, [&](Inst inst) { places.push_back(inst); });
      const Inst before = places[proposer.Pick(places.size())];
      if (!CheckPlace(module, before)) return;
      const std::optional<message::Constant> constant = ConstantNear(proposer, before);
      if (!constant) return;
      const message::Constant step =
          Compose(constant->type, [&](uint32_t) { return uint64_t{proposer.Pick(64)} - 24; });
      const auto rounds = static_cast<uint32_t>(1 + proposer.Pick(MaxIterations(module, block)));
      const Message message{module.NameOf(before), *constant, step, rounds,
                            static_cast<Form>(proposer.Pick(3))};
      if (Check(message, proposer.view())) proposer.Offer(message);
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {1, 10},
     .follow_ons = {"replace_id_with_synonym", "set_loop_control", "replace_constant_with_uniform",
                    "add_dead_break"}});

}  // namespace refract::add_loop_constant
