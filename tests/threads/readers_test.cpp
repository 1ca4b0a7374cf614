// SPDX-License-Identifier: Apache-2.0
// Several threads may read a const Context while others read and change copies of it (design of
// CowVector and LazyShared). Every test compares with the answers of one thread. `make tsan` runs
// the tests with the thread sanitiser, which detects races that do not change the answers.
#include <gtest/gtest.h>

#include <barrier>
#include <functional>
#include <thread>

#include "base/random.h"
#include "ir/binary.h"
#include "ir/tools.h"
#include "ir/validity/consistency.h"
#include "rules/context_editor.h"
#include "transform/registry.h"

namespace refract {
namespace {

constexpr size_t kThreads = 4;

constexpr std::string_view kText = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %color Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%vec = OpTypeVector %float 4
%out = OpTypePointer Output %vec
%local = OpTypePointer Function %int
%color = OpVariable %out Output
%zero = OpConstant %int 0
%one = OpConstant %int 1
%ten = OpConstant %int 10
%true = OpConstantTrue %bool
%half = OpConstant %float 0.5
%grey = OpConstantComposite %vec %half %half %half %half
%ii = OpTypeFunction %int %int
%sum = OpFunction %int None %ii
%n = OpFunctionParameter %int
%s0 = OpLabel
OpBranch %s1
%s1 = OpLabel
%i = OpPhi %int %zero %s0 %j %s4
%t = OpPhi %int %zero %s0 %u %s4
OpLoopMerge %s5 %s4 None
OpBranch %s2
%s2 = OpLabel
%c = OpSLessThan %bool %i %n
OpBranchConditional %c %s3 %s5
%s3 = OpLabel
%d = OpSGreaterThan %bool %t %ten
OpSelectionMerge %s6 None
OpSwitch %i %s6 1 %s7 2 %s8
%s7 = OpLabel
%e = OpIAdd %int %t %one
OpBranch %s8
%s8 = OpLabel
%f = OpIMul %int %i %ten
OpBranch %s6
%s6 = OpLabel
%g = OpIAdd %int %t %i
OpBranch %s4
%s4 = OpLabel
%u = OpIAdd %int %g %one
%j = OpIAdd %int %i %one
OpBranch %s1
%s5 = OpLabel
OpReturnValue %t
OpFunctionEnd
%main = OpFunction %void None %fn
%m0 = OpLabel
%v = OpVariable %local Function
OpStore %v %ten
%x = OpLoad %int %v
%y = OpFunctionCall %int %sum %x
%z = OpSGreaterThan %bool %y %one
OpSelectionMerge %m2 None
OpBranchConditional %z %m1 %m2
%m1 = OpLabel
OpStore %color %grey
OpBranch %m2
%m2 = OpLabel
OpReturn
OpFunctionEnd
)";

class Offers : public Proposer {
 public:
  Offers(const View& view, Random& random) : Proposer(view), random_(random) {}
  bool ShouldTry() override { return random_.Percent(30); }
  size_t Pick(size_t n) override { return random_.Below(n); }
  bool Full() const override { return offers.size() >= 6; }
  void Offer(AnyMessage message) override {
    if (!Full()) offers.push_back(std::move(message));
  }
  std::vector<AnyMessage> offers;

 private:
  Random& random_;
};

/// Applies random steps of all transformations; the same steps for the same seed.
void ApplySteps(Context& context, uint64_t seed, uint32_t first, int rounds) {
  Random random(seed);
  uint32_t step = first;
  for (int round = 0; round < rounds; ++round) {
    const Rule& rule = *Registry()[random.Below(Registry().size())].rule;
    Offers offers(View(context), random);
    rule.propose(offers);
    for (const AnyMessage& message : offers.offers) {
      if (!rule.check(message, View(context))) continue;
      ContextEditor editor(context, step++);
      rule.apply(message, editor);
    }
  }
}

/// A context with facts whose control flow has not been computed yet.
Context Fresh(uint64_t seed) {
  static const std::vector<uint32_t> words =
      Assemble(kText, TargetEnvironment::kUniversal13).value();
  Context context;
  context.module = ReadModule(words, "readers").value();
  context.entry = "main";
  ApplySteps(context, seed, 1, 30);
  // The steps computed it and patched it; this edit drops it.
  ForEachFunction(context.module, [&](Function function) {
    Editor editor(context.module, 1000000 + Index(function));
    editor.AddBlockAfter(context.module[function].last, editor.Made(1));
    editor.AppendPlain(context.module[function].last, spv::Op::OpUnreachable, editor.Made(2), {});
    EXPECT_FALSE(context.module.HasFlow(function));
  });
  return context;
}

/// A hash of the answers to all queries.
uint64_t ReadAll(const Context& context) {
  const Module& module = context.module;
  uint64_t hash = module.word_count();
  const auto add = [&](uint64_t value) { hash = Mix(hash, value); };
  ForEachFunction(module, [&](Function function) {
    const ControlFlow& flow = module.Flow(function);
    for (Block a : flow.order) {
      add(flow.Successors(a).size() + 8 * flow.Predecessors(a).size());
      add(flow.InnermostConstruct(a));
      for (Block b : flow.order) {
        add(flow.Dominates(a, b) + 2u * flow.StructurallyDominates(a, b) +
            4u * flow.PostDominates(a, b));
      }
      ForEachInstruction(module, a, [&](Inst inst) {
        add(Index(module.Find(module.NameOf(inst))));
        const Id result = module.Result(inst);
        if (result == Id::kNone) return;
        for (const Facts::Synonym& synonym : context.facts.SynonymsOf(module, Part(result), 8)) {
          add(synonym.why.size());
          add(context.facts.Synonymous(module, Part(result), synonym.part).has_value());
        }
        add(context.facts.Irrelevant(result) != nullptr);
      });
    }
  });
  for (uint32_t word : WriteModule(module)) add(word);
  return hash;
}

/// Runs `work(thread)` in all threads at the same time.
void InThreads(const std::function<void(size_t)>& work) {
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Readers, AllThreadsReadOneContext) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const uint64_t expected = ReadAll(Fresh(seed));
    // The first query computes an analysis; here several threads query at the same time.
    const Context context = Fresh(seed);
    std::vector<uint64_t> answers(kThreads);
    InThreads([&](size_t thread) { answers[thread] = ReadAll(context); });
    for (uint64_t answer : answers) EXPECT_EQ(answer, expected) << "seed " << seed;
  }
}

TEST(Readers, CopiesAreChangedWhileTheirOriginalIsRead) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const Context context = Fresh(seed);
    const uint64_t before = ReadAll(Fresh(seed));
    const auto change = [&](size_t thread) {
      // Copies of copies, each kept while the next is changed; some are copies of what others read.
      std::vector<Context> kept{context};
      for (uint32_t i = 0; i < 4; ++i) {
        Context copy = i % 2 == 0 ? kept.back() : context;
        ApplySteps(copy, Mix(seed, thread), 100 + 1000 * i, 15);
        kept.push_back(std::move(copy));
      }
      uint64_t hash = 0;
      for (const Context& copy : kept) hash = Mix(hash, ReadAll(copy));
      return hash;
    };
    std::vector<uint64_t> expected, changed(kThreads), read(kThreads);
    for (size_t thread = 0; thread < kThreads; ++thread) expected.push_back(change(thread));
    InThreads([&](size_t thread) {
      changed[thread] = change(thread);
      read[thread] = ReadAll(context);
    });
    EXPECT_EQ(changed, expected) << "seed " << seed;
    EXPECT_EQ(read, std::vector<uint64_t>(kThreads, before)) << "seed " << seed;
    const Status consistent = CheckConsistency(context.module);
    EXPECT_TRUE(consistent) << consistent.error().message;
  }
}

TEST(Readers, ThreadsApplyStepsToTheirOwnCopies) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const Context context = Fresh(seed);
    std::vector<std::vector<uint32_t>> words(kThreads);
    InThreads([&](size_t thread) {
      Context copy = context;
      ApplySteps(copy, Mix(seed, thread / 2), 100, 40);
      words[thread] = WriteModule(copy.module);
    });
    for (size_t thread = 0; thread < kThreads; thread += 2) {
      EXPECT_EQ(words[thread], words[thread + 1]);
    }
    EXPECT_NE(words[0], words[2]);
  }
}

TEST(Readers, TheLastOwnerOfAPageWritesInPlace) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const auto change = [&](Context* own, size_t thread) {
      const uint64_t before = ReadAll(*own);
      ApplySteps(*own, Mix(seed, thread), 100, 15);
      return Mix(before, ReadAll(*own));
    };
    std::vector<uint64_t> expected, changed(kThreads);
    for (size_t thread = 0; thread < kThreads; ++thread) {
      Context context = Fresh(seed);
      expected.push_back(change(&context, thread));
    }
    // Only these contexts share the pages: the last one to write a page keeps it.
    std::vector<Context> own(kThreads, Fresh(seed));
    InThreads([&](size_t thread) { changed[thread] = change(&own[thread], thread); });
    EXPECT_EQ(changed, expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace refract
