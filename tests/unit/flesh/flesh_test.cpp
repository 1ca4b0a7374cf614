// SPDX-License-Identifier: Apache-2.0
// Control-flow programs that record their path: the interpreter writes the expected output, a
// compiler's mistake shows, and wrong branches never cause reads out of bounds.
#include <gtest/gtest.h>

#include "base/text.h"
#include "cfg/sampler.h"
#include "flesh/program.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "ir/tools.h"
#include "target/expected.h"
#include "target/interpreted.h"

namespace refract::flesh {
namespace {

cfg::Graph Read(const std::string& text) {
  auto graph = cfg::ReadGraphText(text);
  EXPECT_TRUE(graph) << graph.error().message;
  return *graph;
}

const char* const kLoop =
    "0>1 1L[m7c6]>2,7 2S[m4]>3,4 3>7 4W[m5]>5,8,5 8>5 5>6 6>1 7>ret";  // break, switch, back edge

cfg::Graph LoopGraph() {
  return cfg::InModuleOrder(Read(kLoop));
}

RunResult RunOnInterpreter(const std::vector<uint32_t>& words, const Inputs& inputs) {
  const Result<Module> module = ReadModule(words, "program");
  EXPECT_TRUE(module) << module.error().message;
  const Result<EntryPoint> entry = FindEntryPoint(*module, "main", "program");
  EXPECT_TRUE(entry) << entry.error().message;
  const Result<ResolvedInputs> resolved = Resolve(*module, *entry, inputs, "program");
  EXPECT_TRUE(resolved) << resolved.error().message;
  EXPECT_TRUE(resolved->unused.empty());
  Job job;
  job.spirv = words;
  job.bindings = resolved->bindings;
  Result<RunResult> ran = RunInterpreted(job);
  EXPECT_TRUE(ran) << ran.error().message;
  CompareWithExpected(*inputs.expected, &*ran);
  return *ran;
}

Program Make(const cfg::Graph& graph, const FleshOptions& options, uint64_t seed) {
  Random random(seed);
  Result<Program> program = Flesh(graph, options, &random);
  EXPECT_TRUE(program) << program.error().message;
  const Status valid = Validate(program->words, TargetEnvironment::kVulkan11);
  EXPECT_TRUE(valid) << valid.error().message;
  return std::move(*program);
}

void ForModesAndStages(const std::function<void(const FleshOptions&)>& test) {
  for (uint8_t mode = 0; mode < static_cast<uint8_t>(Mode::kCount); ++mode) {
    for (uint8_t stage = 0; stage < static_cast<uint8_t>(Stage::kCount); ++stage) {
      FleshOptions options;
      options.mode = static_cast<Mode>(mode);
      options.stage = static_cast<Stage>(stage);
      SCOPED_TRACE(format("{} {}", ModeName(options.mode), StageName(options.stage)));
      test(options);
    }
  }
}

TEST(Flesh, WritesTheExpectedOutput) {
  ForModesAndStages([](const FleshOptions& options) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const Program program = Make(LoopGraph(), options, seed);
      const RunResult ran = RunOnInterpreter(program.words, program.inputs);
      EXPECT_EQ(RunOutcomeName(ran.verdict), "ok") << ran.detail;
    }
  });
}

TEST(Flesh, IsTheSameForTheSameSeed) {
  ForModesAndStages([](const FleshOptions& options) {
    const Program a = Make(LoopGraph(), options, 7), b = Make(LoopGraph(), options, 7);
    EXPECT_EQ(a.words, b.words);
    EXPECT_EQ(a.inputs, b.inputs);
    EXPECT_NE(a.words, Make(LoopGraph(), options, 8).words);
  });
}

TEST(Flesh, WritesTheBlocksOfItsWalk) {
  FleshOptions options;
  options.paths = 1;
  options.workgroup = 2;
  const Program program = Make(Read("0>1 1>2 2>ret"), options, 1);
  const std::vector<uint32_t>& words = program.inputs.expected->buffers.at(0).words;
  ASSERT_EQ(words.size(), 8u);  // a row of four for each invocation
  for (const size_t row : {0, 4}) {
    EXPECT_EQ(words[row], 1u);
    EXPECT_EQ(words[row + 1], 2u);
    EXPECT_EQ(words[row + 2], 3u);
    EXPECT_NE(words[row + 3], 0u);  // the hash
  }
}

TEST(Flesh, EachSourceOfDirectionsWorksAlone) {
  ForModesAndStages([](FleshOptions options) {
    for (uint32_t source = 0; source < static_cast<uint32_t>(DirectionSource::kCount); ++source) {
      SCOPED_TRACE(source);
      options.sources = 1u << source;
      const Program program = Make(LoopGraph(), options, source + 1);
      const RunResult ran = RunOnInterpreter(program.words, program.inputs);
      EXPECT_EQ(RunOutcomeName(ran.verdict), "ok") << ran.detail;
    }
  });
}

TEST(Flesh, AGraphWithoutAnEndIsRefused) {
  Random random(1);
  const Result<Program> program = Flesh(Read("0>1 1L[m2c1]>1 2>ret"), FleshOptions(), &random);
  ASSERT_FALSE(program);
  EXPECT_NE(program.error().message.find("end"), std::string::npos) << program.error().message;
}

TEST(Flesh, OptionsOutOfRangeAreRefused) {
  Random random(1);
  FleshOptions options;
  options.workgroup = 129;
  const Result<Program> program = Flesh(LoopGraph(), options, &random);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(program.error().message, "129 invocations of a workgroup: must be 1 to 128");
}

// Swaps the labels of one conditional branch after another, as a faulty compiler might.
TEST(Flesh, WrongBranchesShowAndReadNothingOutOfBounds) {
  ForModesAndStages([](FleshOptions options) {
    options.workgroup = 2;  // if one invocation hangs, all do
    options.tiles = 1;
    uint32_t wrong = 0;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      const Program program = Make(LoopGraph(), options, seed);
      for (size_t at = 5; at < program.words.size(); at += program.words[at] >> 16) {
        if ((program.words[at] & 0xffff) != static_cast<uint32_t>(spv::Op::OpBranchConditional)) {
          continue;
        }
        std::vector<uint32_t> changed = program.words;
        std::swap(changed[at + 2], changed[at + 3]);
        const RunResult ran = RunOnInterpreter(changed, program.inputs);
        EXPECT_NE(ran.verdict, RunOutcome::kUndefined) << ran.detail;
        wrong += ran.verdict == RunOutcome::kUnexpected || ran.verdict == RunOutcome::kHang;
      }
    }
    EXPECT_GE(wrong, 4u);  // of 6; a wrong branch outside of all paths is not noticed
  });
}

size_t CountOf(spv::Op opcode, const Program& program) {
  size_t count = 0;
  for (size_t at = 5; at < program.words.size(); at += program.words[at] >> 16) {
    count += (program.words[at] & 0xffff) == static_cast<uint32_t>(opcode);
  }
  return count;
}

// Makes one conditional branch after another always go one way, except those that check the fuel: a
// program that hangs without fuel ends with it.
TEST(Flesh, FuelEndsProgramsThatWouldHang) {
  constexpr uint32_t kHeader = kFirstLabel + 1;  // of the graph's loop
  FleshOptions options;
  options.workgroup = 1;
  for (const bool fuel : {false, true}) {
    options.fuel = fuel;
    const Program program = Make(Read("0>1 1L[m3c2]>2,3 2>1 3>ret"), options, 1);
    EXPECT_EQ(RunOnInterpreter(program.words, program.inputs).verdict, RunOutcome::kOk);
    uint32_t hanging = 0;
    for (size_t at = 5; at < program.words.size(); at += program.words[at] >> 16) {
      const bool is_branch =
          (program.words[at] & 0xffff) == static_cast<uint32_t>(spv::Op::OpBranchConditional);
      if (!is_branch || program.words[at + 2] == kHeader || program.words[at + 3] == kHeader) {
        continue;
      }
      std::vector<uint32_t> changed = program.words;
      for (const size_t to : {2, 3}) {
        changed[at + 2] = changed[at + 3] = program.words[at + to];
        hanging += RunOnInterpreter(changed, program.inputs).verdict == RunOutcome::kHang;
      }
    }
    EXPECT_EQ(hanging > 0, !fuel);
  }
}

// Makes back edges depend only on fuel. The inner loop uses it up; the counter must not go below
// zero and so keep the outer loop running.
TEST(Flesh, AllLoopsShareTheFuel) {
  FleshOptions options;
  options.workgroup = 1;
  options.fuel = true;
  for (const bool header_first : {false, true}) {
    const char* text = header_first ? "0>1 1L[m6c5]>2 2L[m4c3]>3 3>2,4 4>5 5>1,6 6>ret"
                                    : "0>1 1L[m6c5]>2 2L[m4c3]>3 3>4,2 4>5 5>6,1 6>ret";
    const spv::Op both = header_first ? spv::Op::OpLogicalAnd : spv::Op::OpLogicalOr;
    Program program = Make(Read(text), options, 1);
    size_t changed = 0;
    for (size_t at = 5; at < program.words.size(); at += program.words[at] >> 16) {
      if ((program.words[at] & 0xffff) != static_cast<uint32_t>(both)) continue;
      program.words[at + 3] = program.words[at + 4];
      ++changed;
    }
    EXPECT_EQ(changed, 2u);
    const RunResult ran = RunOnInterpreter(program.words, program.inputs);
    EXPECT_EQ(ran.verdict, RunOutcome::kUnexpected) << ran.detail;  // it ends, but on another path
  }
}

TEST(Flesh, ConstructsBecomeFunctions) {
  FleshOptions options;
  options.functions = true;
  size_t most = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Program program = Make(LoopGraph(), options, seed);
    const size_t functions = CountOf(spv::Op::OpFunction, program);
    EXPECT_EQ(CountOf(spv::Op::OpFunctionCall, program), functions - 1);
    EXPECT_EQ(RunOnInterpreter(program.words, program.inputs).verdict, RunOutcome::kOk);
    most = std::max(most, functions);
  }
  EXPECT_GT(most, 1u);
  options.mode = Mode::kPhi;  // phis cannot carry values into a function
  EXPECT_EQ(CountOf(spv::Op::OpFunction, Make(LoopGraph(), options, 1)), 1u);
}

TEST(Flesh, BarriersAndSubgroupOperationsAreEmittedIfEnabled) {
  FleshOptions options;
  options.paths = 3;
  options.groups = 2;
  for (const bool barriers : {false, true}) {
    for (const bool subgroups : {false, true}) {
      options.payload.barriers = barriers;
      options.payload.subgroups = subgroups;
      size_t with_barriers = 0, with_subgroups = 0;
      for (uint64_t seed = 1; seed <= 10; ++seed) {
        const Program program = Make(LoopGraph(), options, seed);
        EXPECT_EQ(RunOnInterpreter(program.words, program.inputs).verdict, RunOutcome::kOk);
        with_barriers += CountOf(spv::Op::OpControlBarrier, program) > 0;
        with_subgroups += CountOf(spv::Op::OpGroupNonUniformBroadcastFirst, program) +
                              CountOf(spv::Op::OpGroupNonUniformIAdd, program) >
                          0;
      }
      EXPECT_EQ(with_barriers > 0, barriers);
      EXPECT_EQ(with_subgroups > 0, subgroups);
    }
  }
}

TEST(CompareWithExpected, ReportsTheFirstWrongPlace) {
  FleshOptions options;
  Program program = Make(LoopGraph(), options, 1);
  std::vector<uint32_t>& words = program.inputs.expected->buffers[0].words;
  words[3] += 1;
  RunResult ran = RunOnInterpreter(program.words, program.inputs);
  EXPECT_EQ(RunOutcomeName(ran.verdict), "unexpected_output");
  EXPECT_EQ(ran.detail, format("buffer at set 0, binding 0: 1 words are not as expected; the "
                               "first is word 3: {} instead of {}",
                               words[3] - 1, words[3]));
  EXPECT_EQ(Signature(ran), "wrong_buffer interp");
  words.pop_back();
  ran = RunOnInterpreter(program.words, program.inputs);
  EXPECT_EQ(ran.verdict, RunOutcome::kUnexpected);

  options.stage = Stage::kFragment;
  program = Make(LoopGraph(), options, 1);
  program.inputs.expected->picture->colours.back() ^= 0xff;
  ran = RunOnInterpreter(program.words, program.inputs);
  EXPECT_EQ(Signature(ran), "wrong_image interp");
  EXPECT_EQ(ran.detail.substr(0, 36), "image: component 0 of pixel (24, 24)");
}

}  // namespace
}  // namespace refract::flesh
