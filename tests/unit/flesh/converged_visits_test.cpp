// SPDX-License-Identifier: Apache-2.0
// Where invocations meet, according to plans: what SPIR-V promises in cases worked out by hand, and
// what the interpreter finds for programs whose invocations take the paths, with late and early
// reconvergence.
#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "cfg/sampler.h"
#include "flesh/plan.h"
#include "unit/shared/interp_run.h"

namespace refract::flesh {
namespace {

using cfg::Graph;

Graph Read(const std::string& text) {
  auto graph = cfg::ReadGraphText(text);
  EXPECT_TRUE(graph) << graph.error().message;
  return *graph;
}

// The path with these choices at blocks with several successors.
Path MakePath(const Graph& graph, const std::vector<uint16_t>& choices) {
  Path path;
  size_t next = 0;
  for (uint32_t block = 0;;) {
    const auto targets = graph.Targets(block);
    path.blocks.push_back(block);
    path.choices.push_back(targets.size() > 1 ? choices.at(next++) : uint16_t{0});
    if (targets.empty()) break;
    block = targets[path.choices.back()];
  }
  EXPECT_EQ(next, choices.size());
  return path;
}

// The blocks of the path, with converged visits in brackets: "[0] 1 [2]".
std::string Text(const Path& path, const std::vector<bool>& converged_visits) {
  std::string text;
  for (size_t i = 0; i < path.blocks.size(); ++i) {
    const std::string block = std::to_string(path.blocks[i]);
    text += (i == 0 ? "" : " ") + (converged_visits.at(i) ? "[" + block + "]" : block);
  }
  return text;
}

struct Case {
  const char* graph;
  std::vector<std::vector<uint16_t>> paths;
  std::vector<std::string> expected;
};

TEST(ConvergedVisits, AreWhereSpirvPromisesThem) {
  const std::vector<Case> cases = {
      // All take the same path.
      {"0S[m1]>2,1 1>ret 2>1", {{0}}, {"[0] [2] [1]"}},
      // Arms meet in the merge block.
      {"0S[m1]>2,3 1>ret 2>1 3>1", {{0}, {1}}, {"[0] 2 [1]", "[0] 3 [1]"}},
      {"0S[m1]>2,1 1>ret 2>1", {{0}, {1}}, {"[0] 2 [1]", "[0] [1]"}},
      // They do not meet where the arms join earlier, nor where one arm continues into the other.
      {"0S[m1]>2,3 1>ret 2>4 3>4 4>1", {{0}, {1}}, {"[0] 2 4 [1]", "[0] 3 4 [1]"}},
      {"0S[m1]>2,3 1>ret 2>3 3>1", {{0}, {1}}, {"[0] 2 3 [1]", "[0] 3 [1]"}},
      // They do not meet in a case that another falls through to.
      {"0W[m1]>2,3,1 1>ret 2>3 3>1", {{0}, {1}, {2}}, {"[0] 2 3 [1]", "[0] 3 [1]", "[0] [1]"}},
      // They do not meet at a label of two literals: the specification does not say that these go
      // together.
      {"0W[m1]>1,2,2 1>ret 2>1", {{1}, {2}}, {"[0] 2 [1]", "[0] 2 [1]"}},
      // An invocation that returns, or leaves the outer construct, never reaches the merge block.
      {"0S[m1]>2,3 1>ret 2>1 3>ret", {{0}, {1}}, {"[0] 2 1", "[0] 3"}},
      {"0>1 1L[m2c3]>4 2>ret 3>1,2 4S[m5]>6,5 5>3 6>2",
       {{0}, {1, 1}},
       {"[0] [1] [4] 6 [2]", "[0] [1] [4] 5 3 [2]"}},
      // Some end an iteration by a continue: all meet where the loop ends, not before.
      {"0>1 1L[m2c3]>4 2>ret 3>1,2 4S[m5]>3,5 5>3",
       {{0, 1}, {1, 1}},
       {"[0] [1] [4] 3 [2]", "[0] [1] [4] 5 3 [2]"}},
      // Different numbers of iterations.
      {"0>1 1L[m2c3]>3 2>ret 3>1,2", {{1}, {0, 1}}, {"[0] [1] [3] [2]", "[0] [1] [3] 1 3 [2]"}},
      {"0>1 1L[m2c1]>1,2 2>ret", {{0, 1}, {0, 0, 1}}, {"[0] [1] [1] [2]", "[0] [1] [1] 1 [2]"}},
      // A selection in the second iteration, which all reach together.
      {"0>1 1L[m2c3]>4 2>ret 3>1,2 4S[m5]>6,5 5>3 6>5",
       {{0, 0, 0, 1}, {0, 0, 1, 1}},
       {"[0] [1] [4] [6] [5] [3] [1] [4] 6 [5] [3] [2]",
        "[0] [1] [4] [6] [5] [3] [1] [4] [5] [3] [2]"}},
      // A branch without merge instruction: they meet in the merge block of the outer construct.
      {"0S[m1]>2,1 1>ret 2>3,1 3>1", {{0, 0}, {0, 1}}, {"[0] [2] 3 [1]", "[0] [2] [1]"}},
      // A header that only some reach does not help.
      {"0S[m1]>2,3 1>ret 2>4 3>4 4S[m5]>6,5 5>ret 6>5",
       {{0, 0}, {1, 1}},
       {"[0] 2 4 6 5", "[0] 3 4 5"}},
  };
  for (const Case& a_case : cases) {
    SCOPED_TRACE(a_case.graph);
    const Graph graph = Read(a_case.graph);
    Plan plan;
    for (const auto& choices : a_case.paths) plan.paths.push_back(MakePath(graph, choices));
    const uint32_t count = static_cast<uint32_t>(plan.paths.size());
    for (uint32_t i = 0; i < count; ++i) plan.path_of.push_back(i);
    for (Reconvergence how : {Reconvergence::kWorkgroup, Reconvergence::kGroup}) {
      const ConvergedVisits converged_visits =
          FindConvergedVisits(graph, plan, count, 0, count, how);
      for (uint32_t i = 0; i < count; ++i) {
        EXPECT_EQ(Text(plan.paths[i], converged_visits[i]), a_case.expected[i]);
      }
    }
  }
}

TEST(ConvergedVisits, MeetingsOfAGroupDependOnlyOnItsOwnDivergence) {
  // Two nested selections. A workgroup of four has two pairs.
  const Graph graph = Read("0S[m1]>2,1 1>ret 2S[m3]>4,3 3>1 4>3");
  Plan plan;
  plan.paths = {MakePath(graph, {0, 0}), MakePath(graph, {0, 1}), MakePath(graph, {1})};
  plan.path_of = {0, 1, 2, 2};
  const auto text = [&](uint32_t first, uint32_t path, Reconvergence how) {
    return Text(plan.paths[path], FindConvergedVisits(graph, plan, 4, first, 2, how)[path]);
  };
  // The first pair reaches block 3 together, but the workgroup did not reach block 2 together.
  EXPECT_EQ(text(0, 0, Reconvergence::kWorkgroup), "[0] [2] 4 3 [1]");
  EXPECT_EQ(text(0, 1, Reconvergence::kWorkgroup), "[0] [2] 3 [1]");
  EXPECT_EQ(text(0, 0, Reconvergence::kGroup), "[0] [2] 4 [3] [1]");
  EXPECT_EQ(text(0, 1, Reconvergence::kGroup), "[0] [2] [3] [1]");
  EXPECT_EQ(text(2, 2, Reconvergence::kWorkgroup), "[0] [1]");
  const auto blocks = [&](uint32_t group, Reconvergence how) {
    std::string list;
    const std::vector<bool> meet = ConvergedBlocks(graph, plan, 4, group, how);
    for (size_t i = 0; i < meet.size(); ++i) list += meet[i] ? " " + std::to_string(i) : "";
    return list;
  };
  EXPECT_EQ(blocks(4, Reconvergence::kWorkgroup), " 0 1");
  EXPECT_EQ(blocks(2, Reconvergence::kWorkgroup), " 0 1 2");
  EXPECT_EQ(blocks(2, Reconvergence::kGroup), " 0 1 2 3");
  EXPECT_EQ(blocks(1, Reconvergence::kWorkgroup), " 0 1 2 3 4");
}

constexpr uint32_t kWorkgroup = 8, kInvocations = 2 * kWorkgroup;

// A program whose invocations follow the words of their part of the buffer: for each visit the
// choice, and a word for the ballot. `barriers` names the blocks that have a barrier.
std::string ProgramOf(const Graph& graph, uint32_t stride, const std::vector<bool>& barriers) {
  std::string text = R"(OpCapability Shader
OpCapability GroupNonUniformBallot
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index %group
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %group BuiltIn WorkgroupId
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%true = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%uint3 = OpTypeVector %uint 3
%uint4 = OpTypeVector %uint 4
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%three = OpConstant %uint 3
%size = OpConstant %uint 8
%order = OpConstant %uint 264
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%to_block = OpTypePointer StorageBuffer %block
%to_word = OpTypePointer StorageBuffer %uint
%to_uint = OpTypePointer Input %uint
%to_uint3 = OpTypePointer Input %uint3
%to_place = OpTypePointer Function %uint
%data = OpVariable %to_block StorageBuffer
%index = OpVariable %to_uint Input
%group = OpVariable %to_uint3 Input
)" + format("%stride = OpConstant %uint {}\n", stride) +
                     "%main = OpFunction %void None %function\n";
  for (uint32_t block = 0; block < graph.size(); ++block) {
    const cfg::GraphBlock& at = graph.blocks[block];
    text += format("%b{} = OpLabel\n", block);
    if (block == 0) {
      text += R"(%place = OpVariable %to_place Function
%in_group = OpLoad %uint %index
%groups = OpLoad %uint3 %group
%group_x = OpCompositeExtract %uint %groups 0
%before = OpIMul %uint %group_x %size
%number = OpIAdd %uint %before %in_group
%start = OpIMul %uint %number %stride
OpStore %place %start
)";
    }
    if (barriers[block]) text += "OpControlBarrier %two %two %order\n";
    std::string body = R"(%k# = OpLoad %uint %place
%from# = OpAccessChain %to_word %data %zero %k#
%choice# = OpLoad %uint %from#
%ballot# = OpGroupNonUniformBallot %uint4 %three %true
%low# = OpCompositeExtract %uint %ballot# 0
%l# = OpIAdd %uint %k# %one
%to# = OpAccessChain %to_word %data %zero %l#
OpStore %to# %low#
%m# = OpIAdd %uint %k# %two
OpStore %place %m#
%first# = OpIEqual %bool %choice# %zero
)";
    for (size_t i; (i = body.find('#')) != std::string::npos;) {
      body.replace(i, 1, std::to_string(block));
    }
    text += body;
    if (at.is_loop()) {
      text += format("OpLoopMerge %b{} %b{} None\n", at.merge, at.continue_target);
    } else if (at.is_header()) {
      text += format("OpSelectionMerge %b{} None\n", at.merge);
    }
    const auto to = graph.Targets(block);
    if (to.empty()) {
      text += "OpReturn\n";
    } else if (at.is_switch) {
      text += format("OpSwitch %choice{} %b{}", block, to[0]);
      for (size_t i = 1; i < to.size(); ++i) text += format(" {} %b{}", i, to[i]);
      text += "\n";
    } else if (to.size() == 1) {
      text += format("OpBranch %b{}\n", to[0]);
    } else {
      text += format("OpBranchConditional %first{} %b{} %b{}\n", block, to[0], to[1]);
    }
  }
  return text + "OpFunctionEnd\n";
}

class MeetingsInterp : public testing::Test {
 protected:
  void Draw(uint64_t seed) {
    random_ = Random(seed);
    cfg::Tree tree;
    do {
      sampler_.Draw(static_cast<uint32_t>(random_.Between(1, 24)), &random_, &tree);
      graph_ = cfg::MakeGraph(tree);
      PlanOptions options;
      options.paths = static_cast<uint32_t>(random_.Between(1, 4));
      options.most_visits = 60;
      options.invocations = kInvocations;
      options.workgroup = kWorkgroup;
      options.invocations_per_path = static_cast<uint32_t>(1 << random_.Below(4));
      auto plan = MakePlan(graph_, options, &random_);
      plan_ = plan ? std::move(*plan) : Plan();
    } while (plan_.paths.empty());
    stride_ = 0;
    for (const Path& path : plan_.paths) {
      stride_ = std::max(stride_, static_cast<uint32_t>(2 * path.blocks.size()));
    }
  }

  // Runs the program; Ballot then reads its ballots.
  void Run(const std::vector<bool>& barriers, uint32_t subgroup, bool late) {
    const auto words = Assemble(ProgramOf(graph_, stride_, barriers), TargetEnvironment::kVulkan13);
    ASSERT_TRUE(words) << words.error().message;
    Bindings bindings = ComputeBindings(stride_ * kInvocations, 2);
    for (uint32_t i = 0; i < kInvocations; ++i) {
      const Path& path = plan_.paths[plan_.path_of[i]];
      for (size_t visit = 0; visit < path.blocks.size(); ++visit) {
        const uint32_t choice = path.choices[visit];
        std::memcpy(&bindings.buffers[0].bytes[4 * (i * stride_ + 2 * visit)], &choice, 4);
      }
    }
    RunOptions options;
    options.schedule.subgroup_size = subgroup;
    options.schedule.late_reconvergence = late;
    run_ = InterpretWords(*words, bindings, options);
    ASSERT_EQ(run_.error, "");
    ASSERT_EQ(run_.trap(), "") << (late ? "late" : "early");
  }
  uint32_t Ballot(uint32_t invocation, size_t visit) const {
    return run_.word(invocation * stride_ + 2 * visit + 1);
  }
  // Calls visit(meets, all) for each visit of each invocation.
  template <class Visit>
  void ForVisits(uint32_t group, Reconvergence how, Visit visit) const {
    for (uint32_t i = 0; i < kInvocations; ++i) {
      const ConvergedVisits converged_visits =
          FindConvergedVisits(graph_, plan_, kWorkgroup, i / group * group, group, how);
      const std::vector<bool>& meets = converged_visits[plan_.path_of[i]];
      for (size_t at = 0; at < meets.size(); ++at) {
        visit(meets[at], Ballot(i, at) == (1u << group) - 1);
      }
    }
  }

  cfg::Sampler sampler_{{}, 24};
  Random random_{0};
  Graph graph_;
  Plan plan_;
  uint32_t stride_ = 0;
  InterpRun run_;
};

TEST_F(MeetingsInterp, MatchTheInterpreter) {
  uint64_t converged_visits = 0, others = 0, early = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    Draw(seed);
    SCOPED_TRACE(format("seed {}: {}", seed, cfg::GraphText(graph_)));
    const std::vector<bool> barriers =
        ConvergedBlocks(graph_, plan_, kWorkgroup, kWorkgroup, Reconvergence::kWorkgroup);
    for (uint32_t group : {4u, 8u}) {
      Run(barriers, group, true);
      if (HasFatalFailure()) return;
      ForVisits(group, Reconvergence::kWorkgroup, [&](bool meets, bool all) {
        EXPECT_EQ(meets, all);
        ++(meets ? converged_visits : others);
      });
      Run(barriers, group, false);
      if (HasFatalFailure()) return;
      for (Reconvergence how : {Reconvergence::kWorkgroup, Reconvergence::kGroup}) {
        ForVisits(group, how, [&](bool meets, bool all) {
          EXPECT_TRUE(all || !meets);
          early += all && !meets ? 1 : 0;
        });
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(converged_visits, 1000u);
  EXPECT_GT(others, 1000u);
  EXPECT_GT(early, 100u);  // converged visits that no rule promises
}

}  // namespace
}  // namespace refract::flesh
