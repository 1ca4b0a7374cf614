// SPDX-License-Identifier: Apache-2.0
// Shrinking the content of a recording: fields of messages, donated functions, values and ids.
#include "shrink/shrink_recording.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "donate/donated_function.h"
#include "engine/validity.h"
#include "ir/call_graph.h"
#include "ir/tools.h"
#include "message/all.h"
#include "message/fields.h"
#include "rules/build/declare.h"
#include "shrink/donated_function_module.h"
#include "shrink/renumber.h"
#include "shrink/simpler_messages.h"
#include "shrink/smaller_regions.h"
#include "unit/shared/all_donors.h"
#include "wire/text.h"

namespace refract {
namespace {

using message::AddFunction;

std::vector<AnyMessage> OneOfEach() {
  std::vector<AnyMessage> messages;
#define TRANSFORMATION(name, Type, number) messages.push_back(message::Type{});
#include "message/transformations.def"
#undef TRANSFORMATION
  return messages;
}

const PlainerNames kNoNames = [](const Name&) { return std::vector<Name>(); };

TEST(SimplerMessages, AnEmptyMessageHasNone) {
  for (const AnyMessage& message : OneOfEach()) {
    EXPECT_TRUE(SmallerMessages(message).empty()) << message::KindName(message.kind);
    EXPECT_TRUE(PlainerMessages(message, kNoNames).empty()) << message::KindName(message.kind);
  }
}

// Fills every field, so that the test shows that each is visited.
class Filler : public message::FieldVisitor {
 public:
  bool Enter(std::string_view, void*) override { return true; }
  void Visit(bool& value) override { Change(value = true); }
  void Visit(uint32_t& value) override { Change(value = 40); }
  void Visit(uint64_t& value) override { Change(value = 40); }
  void Visit(std::string& value) override { Change((value = "text").size()); }
  void Visit(Name& value) override { Change((value = {3, 4}).step); }
  void VisitEnum(int32_t& value, std::span<const int32_t> values) override {
    Change(value = values.back());
  }
  void VisitList(size_t, const Erase&) override {}
  size_t changes = 0;

 private:
  template <class T>
  void Change(const T&) {
    ++changes;
  }
};

TEST(SimplerMessages, EachChangesTheMessageAndTheyEnd) {
  for (const AnyMessage& empty : OneOfEach()) {
    Filler filler;
    AnyMessage message = message::RewriteFields(empty, filler);
    SCOPED_TRACE(message::KindName(message.kind));
    EXPECT_EQ(message == empty, filler.changes == 0);
    size_t steps = 0;
    for (std::vector<AnyMessage> smaller = SmallerMessages(message); !smaller.empty();
         smaller = SmallerMessages(message)) {
      for (const AnyMessage& other : smaller) EXPECT_FALSE(other == message);
      message = smaller.back();
      ASSERT_LT(++steps, 1000U);
    }
  }
}

TEST(SimplerMessages, AListLosesAllHalvesAndSingleElements) {
  message::VectorShuffle shuffle;
  shuffle.before = {0, 7};
  shuffle.components = {0, 0, 0, 0};
  std::set<size_t> sizes;
  for (const AnyMessage& any : SmallerMessages(shuffle)) {
    sizes.insert(any.As<message::VectorShuffle>().components.size());
  }
  EXPECT_EQ(sizes, (std::set<size_t>{0, 2, 3, 4}));
}

TEST(SimplerMessages, ConstantsBecomeZeroOrOne) {
  message::AddIrrelevantConstant message;
  message.constant = ScalarConstant(IntType(32, true), 77);
  const std::vector<AnyMessage> plainer = PlainerMessages(message, kNoNames);
  ASSERT_EQ(plainer.size(), 2U);
  for (uint32_t i = 0; i < 2; ++i) {
    const auto& changed = plainer[i].As<message::AddIrrelevantConstant>();
    EXPECT_EQ(changed.constant, ScalarConstant(IntType(32, true), i));
  }
  const std::vector<AnyMessage> plainest = PlainerMessages(plainer[0], kNoNames);
  EXPECT_TRUE(plainest.empty());
}

constexpr char kRecipient[] = R"(
OpCapability Shader
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %2 "main"
OpExecutionMode %2 LocalSize 1 1 1
%3 = OpTypeVoid
%4 = OpTypeFunction %3
%5 = OpTypeInt 32 1
%6 = OpConstant %5 9
%2 = OpFunction %3 None %4
%7 = OpLabel
%8 = OpIAdd %5 %6 %6
OpReturn
OpFunctionEnd
)";

Original Recipient() {
  auto original = MakeOriginal(Assemble(kRecipient, TargetEnvironment::kVulkan11).value(),
                               "recipient", nullptr, {});
  CHECK(original);
  return std::move(*original);
}

message::Recording RecordingOf(const Original& original, const std::vector<AnyMessage>& steps) {
  message::Recording recording;
  recording.module_hash = original.module_hash;
  recording.inputs_hash = original.inputs_hash;
  recording.target_env = std::string(NameOf(original.environment));
  uint32_t number = 0;
  for (const AnyMessage& step : steps) recording.steps.push_back({++number, step, {}});
  return recording;
}

// Functions of donors that call no other function.
std::vector<AddFunction> MakeFunctions() {
  std::vector<AddFunction> functions;
  const Context context = Recipient().context;
  for (const AnyMessage& any : AllDonors().donors.functions) {
    AddFunction function = any.As<AddFunction>();
    if (CheckStep(context, function)) functions.push_back(std::move(function));
  }
  return functions;
}

const std::vector<AddFunction>& Functions() {
  static const std::vector<AddFunction> functions = MakeFunctions();
  return functions;
}

std::set<uint32_t> LocalsOf(const AddFunction& function) {
  std::set<uint32_t> locals;
  for (const auto& parameter : function.parameters) locals.insert(parameter.local);
  for (const auto& block : function.blocks) {
    locals.insert(block.local);
    for (const auto& instruction : block.instructions) locals.insert(instruction.local);
  }
  return locals;
}

bool Has(const Module& module, spv::Op opcode) {
  for (size_t i = 1; i < module.instruction_slots(); ++i) {
    const Inst inst = static_cast<Inst>(i);
    if (!module[inst].removed && module.Opcode(inst) == opcode) return true;
  }
  return false;
}

InterestingRecording Keeps(spv::Op opcode) {
  return [=](const ReplayedRecording& played, const IdleWork&) {
    return Has(played.context().module, opcode);
  };
}

TEST(DonatedFunctionModule, GivesBackTheSameFunction) {
  const Original original = Recipient();
  const std::vector<AddFunction> functions = Functions();
  ASSERT_GT(functions.size(), 50U);
  for (const AddFunction& function : functions) {
    const DonatedFunctionModule form(original.context.module, 1, function);
    const std::optional<AddFunction> told = form.ToMessage(form.module());
    ASSERT_TRUE(told);
    EXPECT_TRUE(*told == function) << function.origin;
  }
}

size_t InstructionsOf(const AddFunction& function) {
  size_t count = 0;
  for (const auto& block : function.blocks) count += 1 + block.instructions.size();
  return count;
}

// Checks what must hold of every result.
void ExpectSound(const Original& original, const ShrunkRecording& shrunk,
                 const InterestingRecording& interesting) {
  const Result<ReplayResult> again = Replay(original, shrunk.recording, {});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->skipped.empty());
  EXPECT_EQ(again->words, shrunk.replayed.words);
  EXPECT_EQ(shrunk.recording.result_hash, HashOfWords(again->words));
  EXPECT_TRUE(interesting(**ReplayWithContexts(original, shrunk.recording), [] { return false; }));
  const auto fault = FindValidityError(again->context.module, again->words, original);
  EXPECT_FALSE(fault) << fault->message;
}

TEST(ShrinkRecording, DonatedFunctionsKeepTheInterestingPartAndItsNumbers) {
  const Original original = Recipient();
  size_t shrunk_functions = 0;
  for (const AddFunction& function : Functions()) {
    if (function.origin % 8 != 0) continue;  // one in eight
    for (spv::Op wanted : {spv::Op::OpLoopMerge, spv::Op::OpExtInst, spv::Op::OpPhi}) {
      const message::Recording recording = RecordingOf(original, {function});
      const Result<ReplayResult> before = Replay(original, recording, {});
      ASSERT_TRUE(before);
      if (!Has(before->context.module, wanted)) continue;
      const InterestingRecording judge = Keeps(wanted);
      const Result<ShrunkRecording> shrunk = ShrinkDonatedFunctions(original, recording, judge);
      ASSERT_TRUE(shrunk);
      ExpectSound(original, *shrunk, judge);
      ASSERT_EQ(shrunk->recording.steps.size(), 1U);
      const auto& smaller = shrunk->recording.steps[0].transformation.As<AddFunction>();
      EXPECT_EQ(smaller.origin, function.origin);
      EXPECT_LE(InstructionsOf(smaller), 14U);
      EXPECT_LE(InstructionsOf(smaller), InstructionsOf(function));
      // Only new variables have new numbers, which are above all others.
      const std::set<uint32_t> had = LocalsOf(function);
      for (uint32_t local : LocalsOf(smaller)) {
        EXPECT_TRUE(had.count(local) != 0 || local > *had.rbegin()) << local;
      }
      ++shrunk_functions;
    }
  }
  EXPECT_GT(shrunk_functions, 5U);
}

// A call of the function stays valid when the function changes and its parameters are removed.
TEST(ShrinkRecording, CallsLoseRemovedParameters) {
  const Original original = Recipient();
  for (const AddFunction& function : Functions()) {
    if (!function.live_safe || function.parameters.size() < 2) continue;
    message::FunctionCall call;
    call.before = {0, 8};
    call.function = {1, FunctionLocal(function.origin)};
    const message::Recording recording = RecordingOf(original, {function, call});
    const Result<ReplayResult> before = Replay(original, recording, {});
    ASSERT_TRUE(before);
    if (before->applied.size() != 2) continue;
    const InterestingRecording judge = Keeps(spv::Op::OpFunctionCall);
    const Result<ShrunkRecording> shrunk = ShrinkRecording(original, recording, judge);
    ASSERT_TRUE(shrunk);
    ExpectSound(original, *shrunk, judge);
    ASSERT_EQ(shrunk->recording.steps.size(), 2U);
    EXPECT_EQ(shrunk->recording.steps[1].needs, std::vector<uint32_t>{1});
    const auto& smaller = shrunk->recording.steps[0].transformation.As<AddFunction>();
    EXPECT_TRUE(smaller.parameters.empty());
    EXPECT_EQ(InstructionsOf(smaller), 2U);
    return;
  }
  FAIL() << "no donor with such a function";
}

// A function loses its call of another function, whose step can then be removed.
TEST(ShrinkRecording, StepsThatAreNoLongerNeededAreRemoved) {
  const Original original = Recipient();
  std::map<uint64_t, AnyMessage> by_local;
  for (const AnyMessage& any : AllDonors().donors.functions) {
    const auto& function = any.As<AddFunction>();
    by_local.emplace(FunctionLocal(function.origin), any);
    AddFunction caller = function;
    const auto callee = by_local.find(ResolveDonatedCalls(original.context.module, &caller));
    if (callee == by_local.end()) continue;
    Result<ReplayResult> first = Replay(original, RecordingOf(original, {callee->second}), {});
    ASSERT_TRUE(first);
    if (ResolveDonatedCalls(first->context.module, &caller) != 0) continue;
    message::Recording recording = RecordingOf(original, {callee->second, caller});
    first = Replay(original, recording, {});
    ASSERT_TRUE(first);
    if (first->applied.size() != 2) continue;
    recording.ids = MadeIds(first->context.module);
    const InterestingRecording judge = [&](const ReplayedRecording& played, const IdleWork&) {
      return played.context().module.FindId({2, FunctionLocal(caller.origin)}) != Id::kNone;
    };
    const Result<ShrunkRecording> shrunk = ShrinkRecording(original, recording, judge);
    ASSERT_TRUE(shrunk);
    ExpectSound(original, *shrunk, judge);
    ASSERT_EQ(shrunk->recording.steps.size(), 1U) << ToText(shrunk->recording);
    EXPECT_EQ(shrunk->recording.steps[0].number, 2U);
    EXPECT_EQ(shrunk->report.accepted_by.count("leave out steps"), 1U);
    return;
  }
  FAIL() << "no donor calls another";
}

TEST(ShrinkRecording, ValuesBecomePlainAndIdsDense) {
  const Original original = Recipient();
  message::AddIrrelevantConstant odd;
  odd.constant = ScalarConstant(IntType(32, true), 123456);
  message::Recording recording = RecordingOf(original, {odd});
  const Result<ReplayResult> before = Replay(original, recording, {});
  ASSERT_TRUE(before);
  ASSERT_EQ(before->applied.size(), 1U);
  recording.ids = MadeIds(before->context.module);
  ASSERT_EQ(recording.ids.size(), 1U);
  recording.ids[0].id = 500;
  size_t asked = 0;
  const InterestingRecording judge = [&](const ReplayedRecording& played, const IdleWork&) {
    ++asked;
    return played.recording.steps.size() == 1;
  };
  const Result<ShrunkRecording> shrunk = ShrinkRecording(original, recording, judge);
  ASSERT_TRUE(shrunk);
  ExpectSound(original, *shrunk, judge);
  const auto& plain =
      shrunk->recording.steps[0].transformation.As<message::AddIrrelevantConstant>();
  EXPECT_EQ(plain.constant, ScalarConstant(IntType(32, true), 0));
  ASSERT_EQ(shrunk->recording.ids.size(), 1U);
  EXPECT_EQ(shrunk->recording.ids[0].id, original.context.module.bound());
  EXPECT_EQ(asked, shrunk->report.tries + 1);
  EXPECT_EQ(shrunk->report.accepted_by.count("renumber ids"), 1U);
}

TEST(ShrinkRecording, ACopyOfAnEntryPointBecomesAnEmptyOne) {
  const Original original = Recipient();
  const std::vector<EntryPoint> entries = EntryPoints(original.context.module);
  const Module& module = original.context.module;
  message::AddEntryPoint copy;
  copy.function = module.NameOf(module.FunctionId(entries.front().function));
  copy.name = "other";
  const message::Recording recording = RecordingOf(original, {copy});
  const InterestingRecording judge = [&](const ReplayedRecording& played, const IdleWork&) {
    return EntryPoints(played.context().module).size() > entries.size();
  };
  const Result<ShrunkRecording> shrunk = ShrinkRecording(original, recording, judge);
  ASSERT_TRUE(shrunk);
  ASSERT_EQ(shrunk->recording.steps.size(), 1U);
  EXPECT_EQ(shrunk->recording.steps[0].transformation.kind,
            message::kKindOf<message::AddEmptyEntryPoint>);
  EXPECT_EQ(EntryPoints(shrunk->replayed.context.module).size(), entries.size() + 1);
}

// Four blocks in a row.
Original Row() {
  constexpr char kRow[] = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %2 "main"
OpExecutionMode %2 LocalSize 1 1 1
%3 = OpTypeVoid
%4 = OpTypeFunction %3
%5 = OpTypeInt 32 1
%6 = OpConstant %5 9
%7 = OpTypeFloat 32
%8 = OpConstant %7 9
%2 = OpFunction %3 None %4
%9 = OpLabel
OpBranch %10
%10 = OpLabel
%11 = OpIAdd %5 %6 %6
OpBranch %12
%12 = OpLabel
%13 = OpISub %5 %6 %6
%14 = OpIMul %5 %6 %13
OpBranch %15
%15 = OpLabel
%16 = OpFAdd %7 %8 %8
OpReturn
OpFunctionEnd
)";
  auto original =
      MakeOriginal(Assemble(kRow, TargetEnvironment::kVulkan11).value(), "row", nullptr, {});
  CHECK(original);
  return std::move(*original);
}

TEST(ShrinkRecording, RegionsBecomeSmaller) {
  const Original original = Row();
  const Module& module = original.context.module;
  std::vector<Block> blocks;
  Name difference;
  ForEachInFile(module, [&](Inst inst) {
    if (module.Opcode(inst) == spv::Op::OpLabel) {
      blocks.push_back(module.BlockOfLabel(module.Result(inst)));
    }
    if (module.Opcode(inst) == spv::Op::OpISub) difference = module.NameOf(inst);
  });
  ASSERT_EQ(blocks.size(), 4U);
  const auto outline = [&](size_t entry, size_t exit) {
    return message::OutlineFunction{module.NameOf(module.Label(blocks[entry])),
                                    module.NameOf(module.Terminator(blocks[exit]))};
  };
  EXPECT_TRUE(SmallerRegions(original.context, outline(1, 1)).empty());
  EXPECT_EQ(SmallerRegions(original.context, outline(1, 2)).size(), 2U);
  // A function with the subtraction is interesting. The region has an addition too.
  const Name first = outline(0, 0).entry;
  const InterestingRecording judge = [&](const ReplayedRecording& played, const IdleWork&) {
    const Module& made = played.context().module;
    return made.FunctionOf(made.Find(difference)) != made.FunctionOf(made.Find(first));
  };
  const Result<ShrunkRecording> shrunk =
      ShrinkRecording(original, RecordingOf(original, {outline(1, 2)}), judge);
  ASSERT_TRUE(shrunk);
  ASSERT_EQ(shrunk->recording.steps.size(), 1U);
  EXPECT_EQ(shrunk->recording.steps[0].transformation, AnyMessage(outline(2, 2)));
}

TEST(ShrinkRecording, ArraysBecomeShorter) {
  const Original original = Recipient();
  Module scratch = original.context.module;
  Editor editor(scratch, 1);
  message::Type array;
  array.kind = message::Type::Kind::kArray;
  array.count = 50;
  array.parts = {IntType(32, true)};
  const Name null = scratch.NameOf(Declare(editor, NullConstant(array)));
  const auto named = [&](uint32_t id) { return scratch.NameOf(scratch.Definition(Id{id})); };
  message::CompositeInsert insert;
  insert.before = named(8);
  insert.object = named(6);
  insert.composite = null;
  for (const uint32_t index : {0U, 1U, 2U}) {
    insert.path = {index};
    message::Recording recording = RecordingOf(original, {insert});
    recording.declarations = {{null, NullConstant(array)}};
    // The path must stay.
    const InterestingRecording judge = [&](const ReplayedRecording& played, const IdleWork&) {
      const auto& steps = played.recording.steps;
      return !steps.empty() &&
             steps[0].transformation.As<message::CompositeInsert>().path == insert.path;
    };
    const Result<ShrunkRecording> shrunk = ShrinkRecording(original, recording, judge);
    ASSERT_TRUE(shrunk);
    ASSERT_EQ(shrunk->recording.steps.size(), 1U);
    const Name left =
        shrunk->recording.steps[0].transformation.As<message::CompositeInsert>().composite;
    const auto& declarations = shrunk->recording.declarations;
    const auto array = std::find_if(declarations.begin(), declarations.end(),
                                    [&](const auto& each) { return each.name == left; });
    ASSERT_NE(array, declarations.end());
    EXPECT_EQ(array->constant.type.count, index == 2 ? 50U : index + 1);
  }
}

TEST(ShrinkRecording, UninterestingCandidatesChangeNothingAndTheBudgetHolds) {
  const Original original = Recipient();
  const std::vector<AddFunction> functions = Functions();
  const message::Recording recording = RecordingOf(original, {functions.front()});
  size_t asked = 0;
  const InterestingRecording never = [&](const ReplayedRecording&, const IdleWork&) {
    ++asked;
    return false;
  };
  ShrinkOptions options;
  options.budget = 4;
  const Result<ShrunkRecording> shrunk = ShrinkRecording(original, recording, never, options);
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(asked, 4U);
  EXPECT_EQ(shrunk->report.tries, 4U);
  EXPECT_FALSE(shrunk->report.is_finished);
  EXPECT_EQ(shrunk->report.accepted, 0U);
  const Result<ReplayResult> before = Replay(original, recording, {});
  ASSERT_TRUE(before);
  EXPECT_EQ(shrunk->replayed.words, before->words);
}

TEST(ShrinkRecording, TheSameAnswersGiveTheSameBytes) {
  const Original original = Recipient();
  const std::vector<AddFunction> functions = Functions();
  const message::Recording recording =
      RecordingOf(original, {functions[0], functions[functions.size() / 2]});
  const auto judge = Keeps(spv::Op::OpStore);
  const Result<ShrunkRecording> a = ShrinkRecording(original, recording, judge);
  const Result<ShrunkRecording> b = ShrinkRecording(original, recording, judge);
  ASSERT_TRUE(a && b);
  EXPECT_TRUE(a->recording == b->recording);
  EXPECT_EQ(a->report.tries, b->report.tries);
}

// The result does not depend on how many candidates there is time to prepare.
TEST(ShrinkRecording, PreparingCandidatesEarlyChangesNothing) {
  const Original original = Recipient();
  const std::vector<AddFunction> functions = Functions();
  message::AddIrrelevantConstant odd;
  odd.constant = ScalarConstant(IntType(32, true), 123456);
  const message::Recording recording =
      RecordingOf(original, {functions[0], odd, functions[functions.size() / 2]});
  std::optional<ShrunkRecording> first;
  size_t made = 0;
  for (const size_t most : {0, 1, 3, 1000}) {
    const InterestingRecording judge = [&](const ReplayedRecording& played,
                                           const IdleWork& idle_work) {
      for (size_t i = 0; i < most && idle_work(); ++i) ++made;
      return Has(played.context().module, spv::Op::OpStore);
    };
    Result<ShrunkRecording> shrunk = ShrinkRecording(original, recording, judge);
    ASSERT_TRUE(shrunk);
    if (!first) first = *shrunk;
    EXPECT_TRUE(shrunk->recording == first->recording) << most;
    EXPECT_EQ(shrunk->report.tries, first->report.tries) << most;
    EXPECT_EQ(shrunk->report.accepted_by, first->report.accepted_by) << most;
  }
  EXPECT_GT(made, 0U);
}

TEST(ShrinkRecording, TheRecordingOfAnotherModuleIsRefused) {
  const Original original = Recipient();
  message::Recording recording = RecordingOf(original, {});
  recording.module_hash = "0";
  EXPECT_FALSE(ShrinkRecording(original, recording, Keeps(spv::Op::OpStore)));
}

}  // namespace
}  // namespace refract
