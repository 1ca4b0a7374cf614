// SPDX-License-Identifier: Apache-2.0
// Fragments in add_fragment steps shrink like donated functions, and lose the arguments for
// parameters that they no longer have.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/random.h"
#include "donate/fragment.h"
#include "engine/apply_step.h"
#include "engine/validity.h"
#include "ir/tools.h"
#include "message/add_fragment.h"
#include "shrink/shrink_recording.h"
#include "unit/shared/all_donors.h"

namespace refract {
namespace {

using message::AddFragment;
using message::AddFunction;

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
%7 = OpTypeFloat 32
%8 = OpConstant %7 0.5
%2 = OpFunction %3 None %4
%9 = OpLabel
%10 = OpIAdd %5 %6 %6
OpReturn
OpFunctionEnd
)";

size_t Count(const Module& module, spv::Op opcode) {
  size_t count = 0;
  for (size_t i = 1; i < module.instruction_slots(); ++i) {
    const Inst inst = static_cast<Inst>(i);
    count += !module[inst].removed && module.Opcode(inst) == opcode;
  }
  return count;
}

size_t InstructionsOf(const AddFunction& body) {
  size_t count = 0;
  for (const auto& block : body.blocks) count += 1 + block.instructions.size();
  return count;
}

// Gives each parameter of type int or float an argument.
AddFragment Bound(const Module& module, AddFunction body) {
  AddFragment message;
  message.arguments.resize(body.parameters.size());
  for (size_t i = 1; i < module.instruction_slots(); ++i) {
    const Inst inst = static_cast<Inst>(i);
    const spv::Op opcode = module.Opcode(inst);
    if (opcode == spv::Op::OpReturn) message.before = module.NameOf(inst);
    if (opcode != spv::Op::OpConstant) continue;
    for (size_t p = 0; p < body.parameters.size(); ++p) {
      const message::Type& type = body.parameters[p].type;
      if (static_cast<spv::Op>(type.kind) != module.OpcodeOf(module.Type(inst))) continue;
      if (type.width == 32) message.arguments[p] = module.NameOf(inst);
    }
  }
  message.body = std::move(body);
  return message;
}

TEST(ShrinkFragment, KeepsTheInterestingPartAndItsArguments) {
  const auto made = MakeOriginal(Assemble(kRecipient, TargetEnvironment::kVulkan11).value(),
                                 "recipient", nullptr, {});
  ASSERT_TRUE(made);
  const Original& original = *made;
  Random random(5);
  const PickNumber pick = [&](size_t n) { return static_cast<size_t>(random.Below(n)); };
  size_t shrunk_fragments = 0, lost_arguments = 0;
  for (int i = 0; i < 4000 && shrunk_fragments < 40; ++i) {
    const auto& functions = AllDonors().donors.functions;
    std::optional<AddFunction> body =
        CutFragment(functions[pick(functions.size())].As<AddFunction>(), pick);
    if (!body) continue;
    body->live_safe = true;
    body->loop_limit = 3;
    const AddFragment message = Bound(original.context.module, std::move(*body));
    Context context = original.context;
    if (!ApplyStep(context, 1, message).check_result) continue;
    const spv::Op wanted = i % 2 == 0 ? spv::Op::OpSelectionMerge : spv::Op::OpExtInst;
    if (Count(context.module, wanted) == 0) continue;
    message::Recording recording;
    recording.module_hash = original.module_hash;
    recording.inputs_hash = original.inputs_hash;
    recording.target_env = std::string(NameOf(original.environment));
    recording.steps.push_back({1, AnyMessage(message), {}});
    const Result<ShrunkRecording> shrunk = ShrinkDonatedFunctions(
        original, recording, [&](const ReplayedRecording& played, const IdleWork&) {
          return Count(played.context().module, wanted) != 0;
        });
    ASSERT_TRUE(shrunk);
    ASSERT_EQ(shrunk->recording.steps.size(), 1u);
    const auto& smaller = shrunk->recording.steps[0].transformation.As<AddFragment>();
    // A selection that only continues a loop keeps the loop.
    EXPECT_LE(InstructionsOf(smaller.body), 16u);
    EXPECT_EQ(smaller.body.origin, message.body.origin);
    EXPECT_EQ(smaller.arguments.size(), smaller.body.parameters.size());
    for (size_t p = 0; p < smaller.arguments.size(); ++p) {
      const auto& parameters = message.body.parameters;
      const auto was = std::find_if(parameters.begin(), parameters.end(), [&](const auto& each) {
        return each.local == smaller.body.parameters[p].local;
      });
      ASSERT_NE(was, parameters.end());
      EXPECT_EQ(smaller.arguments[p],
                message.arguments[static_cast<size_t>(was - parameters.begin())]);
    }
    lost_arguments += message.arguments.size() - smaller.arguments.size();
    const auto fault =
        FindValidityError(shrunk->replayed.context.module, shrunk->replayed.words, original);
    EXPECT_FALSE(fault) << fault->message;
    ++shrunk_fragments;
  }
  EXPECT_EQ(shrunk_fragments, 40u);
  EXPECT_GT(lost_arguments, 10u);
}

}  // namespace
}  // namespace refract
