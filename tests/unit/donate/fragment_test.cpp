// SPDX-License-Identifier: Apache-2.0
// Fragments of all donors, cut at random and also changed, are added to a module at random places.
#include "donate/fragment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "donate/donated_function.h"
#include "engine/apply_step.h"
#include "engine/original.h"
#include "engine/replay.h"
#include "ir/binary.h"
#include "ir/tools.h"
#include "message/add_fragment.h"
#include "unit/shared/all_donors.h"

namespace refract {
namespace {

using message::AddFragment;
using message::AddFunction;
using message::DonatedOperand;

// Has values and variables of several types, a loop, a switch, and a dead block (%30).
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
%9 = OpTypeBool
%10 = OpConstantTrue %9
%11 = OpTypePointer Function %5
%12 = OpTypePointer Function %7
%13 = OpTypeVector %7 3
%14 = OpTypeInt 32 0
%15 = OpConstant %14 3
%2 = OpFunction %3 None %4
%20 = OpLabel
%21 = OpVariable %11 Function %6
%22 = OpVariable %12 Function %8
%23 = OpIAdd %5 %6 %6
%24 = OpFAdd %7 %8 %8
%25 = OpCompositeConstruct %13 %8 %24 %24
%26 = OpSLessThan %9 %23 %6
%27 = OpUMod %14 %15 %15
OpSelectionMerge %31 None
OpBranchConditional %10 %31 %30
%30 = OpLabel
%37 = OpISub %5 %23 %6
OpBranch %31
%31 = OpLabel
OpBranch %32
%32 = OpLabel
%33 = OpPhi %5 %6 %31 %34 %35
%36 = OpSLessThan %9 %33 %6
OpLoopMerge %38 %35 None
OpBranchConditional %36 %39 %38
%39 = OpLabel
OpSelectionMerge %45 None
OpSwitch %33 %40 1 %41
%40 = OpLabel
%42 = OpIAdd %5 %33 %23
OpBranch %41
%41 = OpLabel
%43 = OpISub %5 %33 %23
OpBranch %45
%45 = OpLabel
OpBranch %35
%35 = OpLabel
%34 = OpIAdd %5 %33 %6
OpBranch %32
%38 = OpLabel
%44 = OpIMul %5 %23 %23
OpReturn
OpFunctionEnd
)";

Original Recipient(TargetEnvironment environment) {
  const auto words = Assemble(kRecipient, environment);
  CHECK(words);
  auto original = MakeOriginal(*words, "recipient", nullptr, {});
  CHECK(original);
  for (size_t i = 1; i < original->context.module.id_slots(); ++i) {
    const Id id = static_cast<Id>(i);
    const Module& module = original->context.module;
    if (module.Definition(id) == Inst::kNone) continue;
    if (module.FileId(id) == 30) original->context.facts.SetDead(id, {});
    if (module.OpcodeOf(id) == spv::Op::OpVariable) {
      original->context.facts.SetIrrelevantPointee(id, {});
    }
  }
  return std::move(*original);
}

std::optional<AddFunction> RandomFragment(Random* random) {
  const auto& donors = AllDonors().donors.functions;
  return CutFragment(donors[random->Below(donors.size())].As<AddFunction>(),
                     [&](size_t n) { return static_cast<size_t>(random->Below(n)); });
}

// Names of all instructions in blocks, and of all values.
struct Names {
  std::vector<Name> instructions, values;
};

Names NamesOf(const Module& module) {
  Names names;
  for (size_t i = 1; i < module.instruction_slots(); ++i) {
    const Inst inst = static_cast<Inst>(i);
    if (module[inst].removed) continue;
    if (module.IsBasicBlock(module.BlockOf(inst)))
      names.instructions.push_back(module.NameOf(inst));
    if (module.Type(inst) != Id::kNone) names.values.push_back(module.NameOf(inst));
  }
  return names;
}

AddFragment At(const Names& names, const Module& module, AddFunction body, Random* random) {
  AddFragment message;
  message.before = names.instructions[random->Below(names.instructions.size())];
  for (const message::DonatedParameter& parameter : body.parameters) {
    message.arguments.push_back({});
    // Mostly of the right type, because few other messages are accepted.
    for (int tries = 0; tries < 8; ++tries) {
      const Name value = names.values[random->Below(names.values.size())];
      const spv::Op type = module.OpcodeOf(module.TypeOf(module.FindId(value)));
      if (static_cast<spv::Op>(parameter.type.kind) != type) continue;
      message.arguments.back() = value;
      break;
    }
  }
  if (random->Percent(70)) {
    body.live_safe = true;
    body.loop_limit = 1 + static_cast<uint32_t>(random->Below(12));
  }
  message.body = std::move(body);
  return message;
}

// Other labels in branches, another terminator, or an instruction less.
void Change(AddFunction* body, Random* random) {
  auto& blocks = body->blocks;
  auto& instructions = blocks[random->Below(blocks.size())].instructions;
  const uint64_t what = random->Below(3);
  if (what == 0 && instructions.size() > 1) {
    instructions.erase(instructions.begin() +
                       static_cast<std::ptrdiff_t>(random->Below(instructions.size())));
  } else if (what == 1 && !instructions.empty()) {
    const auto& other = blocks[random->Below(blocks.size())].instructions;
    if (other.empty()) return;
    const message::DonatedInstruction end = other.back();
    instructions.back().opcode = end.opcode;
    instructions.back().operands = end.operands;
  } else {
    for (message::DonatedInstruction& instruction : instructions) {
      for (DonatedOperand& operand : instruction.operands) {
        if (operand.kind != DonatedOperand::Kind::kLocal || !random->Percent(20)) continue;
        operand.word = blocks[random->Below(blocks.size())].local;
      }
    }
  }
}

TEST(Fragments, HaveFreshNumbersAndTheOriginOfTheirFunction) {
  Random random(1);
  size_t cut = 0, with_constructs = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::optional<AddFunction> fragment = RandomFragment(&random);
    if (!fragment) continue;
    ++cut;
    with_constructs += fragment->blocks.size() > 1;
    std::set<uint32_t> locals;
    for (const auto& parameter : fragment->parameters) {
      EXPECT_TRUE(locals.insert(parameter.local).second);
    }
    for (const auto& block : fragment->blocks) {
      EXPECT_TRUE(locals.insert(block.local).second);
      for (const auto& each : block.instructions) EXPECT_TRUE(locals.insert(each.local).second);
    }
    const auto& donors = AllDonors().donors.functions;
    EXPECT_TRUE(std::any_of(donors.begin(), donors.end(), [&](const AnyMessage& any) {
      return any.As<AddFunction>().origin == fragment->origin;
    }));
    EXPECT_FALSE(fragment->live_safe);
    EXPECT_GT(CostOfFragment(*fragment), 0.0);
  }
  EXPECT_GT(cut, 1500u);
  EXPECT_GT(with_constructs, 500u);
}

// spirv-val must accept every module with fragments that our checks accept.
TEST(Fragments, SpirvValAcceptsWhateverOurChecksAccept) {
  Random random(20261126);
  std::vector<Original> recipients;
  for (const TargetEnvironment environment :
       {TargetEnvironment::kVulkan10, TargetEnvironment::kVulkan11Spirv14,
        TargetEnvironment::kVulkan13}) {
    recipients.push_back(Recipient(environment));
  }
  size_t yes = 0, changed_yes = 0, bound = 0, dead = 0;
  for (int i = 0; i < 2500; ++i) {
    const Original& recipient = recipients[random.Below(recipients.size())];
    Context context = recipient.context;
    size_t applied = 0;
    // Fragments inside fragments, too.
    for (uint32_t step = 1; step <= 6; ++step) {
      std::optional<AddFunction> body = RandomFragment(&random);
      if (!body) continue;
      const AddFunction whole = *body;
      if (random.Percent(30)) Change(&*body, &random);
      const AddFragment message =
          At(NamesOf(context.module), context.module, std::move(*body), &random);
      if (!ApplyStep(context, step, message).check_result) continue;
      ++applied;
      changed_yes += !(message.body.blocks == whole.blocks);
      bound += static_cast<size_t>(std::count_if(message.arguments.begin(), message.arguments.end(),
                                                 [](const Name& name) { return bool(name); }));
      dead += !message.body.live_safe;
    }
    if (applied == 0) continue;
    yes += applied;
    const auto invalid = FindInvalid(WriteModule(context.module), recipient.environment);
    ASSERT_FALSE(invalid) << invalid->message << "\n"
                          << i << "\n"
                          << Disassemble(WriteModule(context.module)).value();
  }
  EXPECT_GT(yes, 500u);
  EXPECT_GT(changed_yes, 10u);
  EXPECT_GT(bound, 200u);
  EXPECT_GT(dead, 20u);
}

}  // namespace
}  // namespace refract
