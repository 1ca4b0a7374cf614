// SPDX-License-Identifier: Apache-2.0
// Transformations of control flow on small graphs of every kind: all possible messages, and random
// sequences. The result of an accepted message must be valid and must execute the same instructions
// as before.
#include <gtest/gtest.h>

#include "message/add_dead_block.h"
#include "message/add_dead_break.h"
#include "message/add_dead_continue.h"
#include "message/add_dead_fall_through.h"
#include "message/merge_blocks.h"
#include "message/merge_returns.h"
#include "message/move_block_down.h"
#include "message/permute_phi_operands.h"
#include "message/set_loop_control.h"
#include "message/split_block.h"
#include "message/swap_conditional_branch_operands.h"
#include "message/wrap_region_in_selection.h"
#include "rules/context_editor.h"
#include "transform/registry.h"
#include "unit/shared/cfg_text.h"
#include "unit/shared/cfg_walk.h"

namespace refract {
namespace {

using test::Cfg;
using test::CfgBlock;

const char* const kNames[] = {
    "split_block",           "set_function_control",     "move_block_down",
    "add_dead_block",        "add_dead_break",           "add_dead_continue",
    "add_dead_fall_through", "wrap_region_in_selection", "permute_phi_operands",
    "set_loop_control",      "set_selection_control",    "swap_conditional_branch_operands",
    "merge_blocks",          "set_branch_weights"};

// Every third block has a phi of the values of its predecessors; the others start with zero.
std::string Body(const std::map<int, CfgBlock>& blocks, int b) {
  std::string inputs;
  for (const auto& [p, block] : blocks) {
    if (std::count(block.targets.begin(), block.targets.end(), b) != 0) {
      inputs += format(" %v{} %b{}", p, p);
    }
  }
  const bool has_phi = b % 3 == 0 && !inputs.empty();
  std::string text = has_phi ? format("%p{} = OpPhi %int{}\n", b, inputs) : "";
  return text +
         format("%v{} = OpIAdd %int {} %c{}\n", b, has_phi ? "%p" + std::to_string(b) : "%zero", b);
}

Cfg MakeGraph(const std::string& text, TargetEnvironment environment) {
  const auto blocks = test::ParseCfg(text);
  return test::MakeCfg(
      blocks, [&](int b) { return Body(blocks, b); }, environment);
}

// What the graphs execute, for a few seeds.
std::vector<test::CfgWalk::Trace> Traces(const Module& module) {
  std::vector<test::CfgWalk::Trace> traces;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    traces.push_back(test::CfgWalk(module, seed).Run(module.first_function(), 50));
  }
  return traces;
}

// All messages of those transformations for the blocks, instructions and edges of the module.
std::vector<AnyMessage> AllMessages(const Module& module) {
  std::vector<AnyMessage> all;
  const ControlFlow& flow = module.Flow(module.first_function());
  all.push_back(message::MergeReturns{module.NameOf(module[module.first_function()].definition)});
  for (Block block : flow.order) {
    const Name label = module.NameOf(module.Label(block));
    const Name end = module.NameOf(module.Terminator(block));
    ForEachInstruction(module, block, [&](Inst inst) {
      all.push_back(message::SplitBlock{module.NameOf(inst)});
      for (Block other : flow.order) {
        if (module.Opcode(inst) != spv::Op::OpPhi) break;
        all.push_back(message::PermutePhiOperands{
            {module.NameOf(inst), module.NameOf(module.Terminator(other))}});
      }
    });
    all.push_back(message::AddDeadBlock{end, {}});
    all.push_back(message::AddDeadContinue{end, {}});
    for (Block past : flow.order) {
      all.push_back(message::MoveBlockDown{label, module.NameOf(module.Label(past))});
    }
    all.push_back(message::SwapConditionalBranchOperands{end});
    all.push_back(message::MergeBlocks{end});
    for (Block other : flow.order) {
      all.push_back(message::AddDeadBreak{end, module.NameOf(module.Label(other)), {}});
      all.push_back(message::AddDeadFallThrough{end, module.NameOf(module.Label(other)), {}});
      for (const bool on_false : {false, true}) {
        all.push_back(message::WrapRegionInSelection{
            label, module.NameOf(module.Terminator(other)), {}, on_false});
      }
    }
  }
  return all;
}

struct Tally {
  std::map<std::string, int> applied;
  std::set<std::string> reasons;
};

// Applies the message if it is accepted; false if the result is wrong.
bool Step(const AnyMessage& message, Context* context, uint32_t step, TargetEnvironment environment,
          const std::vector<test::CfgWalk::Trace>& expected, Tally* tally) {
  const Rule* rule = RuleOf(message);
  const CheckResult check_result = rule->check(message, View(*context));
  if (!check_result) {
    tally->reasons.insert(check_result.reason());
    return true;
  }
  ++tally->applied[std::string(message::KindName(message.kind))];
  ContextEditor editor(*context, step);
  rule->apply(message, editor);
  const std::vector<uint32_t> words = WriteModule(context->module);
  const auto invalid = FindInvalid(words, environment);
  const bool is_same = Traces(context->module) == expected;
  EXPECT_FALSE(invalid) << message::KindName(message.kind) << ": " << invalid->message;
  EXPECT_TRUE(is_same) << message::KindName(message.kind) << " changed what is executed";
  EXPECT_EQ(words.size(), context->module.word_count());
  return !invalid && is_same;
}

class RandomProposer : public Proposer {
 public:
  RandomProposer(const View& view, Random& random) : Proposer(view), random_(random) {}
  bool ShouldTry() override { return random_.Percent(25); }
  size_t Pick(size_t n) override { return random_.Below(n); }
  bool Full() const override { return false; }
  void Offer(AnyMessage message) override { offers.push_back(std::move(message)); }
  std::vector<AnyMessage> offers;

 private:
  Random& random_;
};

constexpr TargetEnvironment kEnvironments[] = {TargetEnvironment::kVulkan10,
                                               TargetEnvironment::kVulkan11Spirv14,
                                               TargetEnvironment::kVulkan13};

TEST(ControlTransformations, EveryAcceptedMessageIsRight) {
  Tally tally;
  for (const std::string& text : test::ValidCfgs()) {
    for (const TargetEnvironment environment : kEnvironments) {
      const Cfg cfg = MakeGraph(text, environment);
      const auto expected = Traces(cfg.module);
      for (const AnyMessage& message : AllMessages(cfg.module)) {
        Context context;
        context.module = cfg.module;
        ASSERT_TRUE(Step(message, &context, 1, environment, expected, &tally)) << text;
      }
    }
  }
  for (const char* name : {"split_block", "add_dead_block", "add_dead_break", "add_dead_continue",
                           "add_dead_fall_through", "move_block_down", "permute_phi_operands",
                           "swap_conditional_branch_operands", "wrap_region_in_selection",
                           "merge_blocks", "merge_returns"}) {
    EXPECT_GT(tally.applied[name], 5) << name;
  }
  for (const char* reason :
       {"the successor has more than one predecessor",
        "the successor is already a merge block or continue target", "the block is unreachable",
        "the block cannot break to this merge block", "the block already branches to the target",
        "the block is not in the body of a loop", "the block is the entry block",
        "the two blocks are the same", "the phi has no operand for this predecessor",
        "the instruction is not an OpBranchConditional", "the region is unreachable",
        "the exit block of the region does not end with OpBranch",
        "the entry block of the region is a loop header",
        "the entry block and the exit block of the region are not in the same construct",
        "the exit block of the region cannot be reached from its entry block",
        "the exit block of the region branches back into the region",
        "control flow must enter the region only at its entry block and only from outside the "
        "region"}) {
    EXPECT_TRUE(tally.reasons.count(reason) != 0) << reason;
  }
}

TEST(ControlTransformations, RandomSequencesAreRight) {
  Tally tally;
  for (const std::string& text : test::ValidCfgs()) {
    for (const TargetEnvironment environment : kEnvironments) {
      const Cfg cfg = MakeGraph(text, environment);
      const auto expected = Traces(cfg.module);
      Random random(Mix(static_cast<uint64_t>(environment), text.size()));
      Context context;
      context.module = cfg.module;
      uint32_t step = 0;
      for (int round = 0; round < 60; ++round) {
        const char* name = kNames[random.Below(std::size(kNames))];
        RandomProposer proposer(View(context), random);
        Registry()[static_cast<size_t>(RegistryIndex(name))].rule->propose(proposer);
        for (const AnyMessage& message : proposer.offers) {
          ASSERT_TRUE(Step(message, &context, ++step, environment, expected, &tally)) << text;
        }
        if (context.module.block_slots() > 150) break;
      }
    }
  }
  for (const std::string name : kNames) {
    // Few of the graphs have a switch.
    EXPECT_GT(tally.applied[name], name == "add_dead_fall_through" ? 5 : 30) << name;
  }
}

TEST(ControlTransformations, LoopControlsKeepTheirPromises) {
  const auto check = [](uint32_t old_mask, uint32_t old_parameter, TargetEnvironment environment,
                        uint32_t mask, std::vector<uint32_t> parameters) {
    Cfg cfg = test::MakeCfg("0>1 1L[m3c2]>3 2>1 3>ret", environment);
    const Inst merge = cfg.module.MergeInstruction(cfg.block.at(1));
    Editor editor(cfg.module, 0);
    Args args{cfg.module.IdAt(merge, 0), cfg.module.IdAt(merge, 1), old_mask};
    if (old_parameter != 0) args.push_back(old_parameter);
    editor.SetOperands(merge, args);
    Context context;
    context.module = cfg.module;
    const AnyMessage message =
        message::SetLoopControl{context.module.NameOf(merge), mask, std::move(parameters)};
    const CheckResult check_result = RuleOf(message)->check(message, View(context));
    if (!check_result) return std::string(check_result.reason());
    ContextEditor context_editor(context, 1);
    RuleOf(message)->apply(message, context_editor);
    EXPECT_FALSE(FindInvalid(WriteModule(context.module), environment));
    return std::string();
  };
  const auto v10 = TargetEnvironment::kUniversal10, v16 = TargetEnvironment::kUniversal16;
  EXPECT_EQ(check(0, 0, v10, 1, {}), "");
  EXPECT_EQ(check(0, 0, v10, 0, {}), "");
  EXPECT_EQ(check(0, 0, v10, 3, {}),
            "DontUnroll cannot be combined with the other unroll controls");
  EXPECT_EQ(check(0, 0, v10, 0x80, {4}), "the SPIR-V version does not support the loop control");
  EXPECT_EQ(check(0, 0, v16, 0x180, {4, 64}), "");
  EXPECT_EQ(check(0, 0, v16, 0x180, {4}),
            "the number of parameters does not match the loop control");
  EXPECT_EQ(check(0, 0, v16, 0x80, {0}),
            "an iteration count of the loop control is not between 1 and 64");
  EXPECT_EQ(check(0, 0, v16, 0x100, {65}),
            "an iteration count of the loop control is not between 1 and 64");
  EXPECT_EQ(check(0, 0, v16, 0x82, {1}),
            "DontUnroll cannot be combined with the other unroll controls");
  EXPECT_EQ(check(0, 0, v16, 0x4, {}),
            "the loop control promises something that the old loop control does not promise");
  EXPECT_EQ(check(0, 0, v16, 0x200, {}), "the loop control has an unknown bit");
  EXPECT_EQ(check(0x10000, 1, v16, 0, {}), "the loop has a loop control that an extension defines");
  // Promises of the original may stay, become weaker or be removed.
  EXPECT_EQ(check(0x20, 9, v16, 0x21, {9}), "");
  EXPECT_EQ(check(0x20, 9, v16, 0x2, {}), "");
  EXPECT_EQ(check(0x20, 9, v16, 0x20, {10}), "");
  EXPECT_EQ(check(0x20, 9, v16, 0x20, {8}),
            "the loop control promises something that the old loop control does not promise");
}

}  // namespace
}  // namespace refract
