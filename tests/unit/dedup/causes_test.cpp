// SPDX-License-Identifier: Apache-2.0
// --order causes: features of tests, their similarity, and groups of similar tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/random.h"
#include "base/text.h"
#include "dedup/grouping.h"
#include "dedup/recommend.h"
#include "dedup/similarity.h"

namespace refract {
namespace {

DedupTest Made(std::string path, std::string signature, std::vector<std::string> types) {
  DedupTest test;
  test.path = std::move(path);
  test.signature = std::move(signature);
  test.types = std::move(types);
  test.steps = test.types.size();
  return test;
}

uint32_t Similar(DedupFeature feature, const DedupTest& a, const DedupTest& b) {
  return TestSimilarity({a, b}, {"split_block"}).Of(feature, 0, 1);
}

TEST(Shape, HasNeitherNamesNorNumbers) {
  EXPECT_EQ(ShapeOf("move_instruction_down { instruction { local: 7 } past { step: 2 local: 3 } }"),
            "move_instruction_down instruction local past step");
  EXPECT_EQ(ShapeOf("split_block { }"), "split_block");
  EXPECT_EQ(ShapeOf(""), "");
}

TEST(LineWithoutIds, KeepsOpcodesAndWords) {
  EXPECT_EQ(LineWithoutIds("%7 = OpIMul %4 %5 %6"), "OpIMul");
  EXPECT_EQ(LineWithoutIds("OpLoopMerge %8 %9 Unroll"), "OpLoopMerge Unroll");
  EXPECT_EQ(LineWithoutIds("      %7 = OpExtInst %4 %1 SMin %5 %6"), "OpExtInst SMin");
  EXPECT_EQ(LineWithoutIds("OpStore %8 %9 Aligned 16"), "OpStore Aligned");
  for (const char* none : {"", "; a comment", "%4 = OpTypeInt 32 0", "%5 = OpConstant %4 1",
                           "%6 = OpLabel", "OpBranch %6", "OpName %4 \"x\""}) {
    EXPECT_EQ(LineWithoutIds(none), "") << none;
  }
}

TEST(Similarity, IsTheShareOfCommonTexts) {
  const DedupTest a = Made("a", "crash opt: SIGSEGV opt+0x1", {"load", "store"});
  const DedupTest b = Made("b", "crash opt: SIGSEGV opt+0x2", {"load", "peel", "split_block"});
  EXPECT_EQ(Similar(DedupFeature::kKind, a, b), 1000u);
  EXPECT_EQ(Similar(DedupFeature::kPlace, a, b), 1000u);
  EXPECT_EQ(Similar(DedupFeature::kSignature, a, b), 333u);
  EXPECT_EQ(Similar(DedupFeature::kTypes, a, b), 333u);
  EXPECT_EQ(Similar(DedupFeature::kLines, a, b), TestSimilarity::kNeither);
  EXPECT_EQ(Similar(DedupFeature::kTypes, a, a), 1000u);
}

TEST(Similarity, WrongImagesAndBuffersAreOneKind) {
  DedupTest image = Made("a", "wrong_image spirv-opt-O", {"load"});
  DedupTest buffer = Made("b", "wrong_buffer spirv-opt-Os", {"load"});
  EXPECT_EQ(Similar(DedupFeature::kKind, image, buffer), 1000u);
  EXPECT_EQ(Similar(DedupFeature::kSignature, image, buffer), TestSimilarity::kNeither);
  EXPECT_EQ(Similar(DedupFeature::kPlace, image, buffer), 0u);
  // What is to blame counts more than the target.
  image.blamed = buffer.blamed = "spirv-opt";
  EXPECT_EQ(Similar(DedupFeature::kPlace, image, buffer), 1000u);
  image.pass = buffer.pass = "--ccp";
  EXPECT_EQ(Similar(DedupFeature::kPlace, image, buffer), 1000u);
  buffer.pass = "--loop-peeling";
  EXPECT_EQ(Similar(DedupFeature::kPlace, image, buffer), 333u);
}

TEST(Similarity, TheMeanLeavesOutFeaturesThatNeitherTestHas) {
  DedupTuning tuning;
  tuning.weights[static_cast<size_t>(DedupFeature::kTypes)] = 3;
  tuning.weights[static_cast<size_t>(DedupFeature::kKind)] = 1;
  tuning.weights[static_cast<size_t>(DedupFeature::kProgram)] = 8;
  const std::vector<DedupTest> tests = {Made("a", "crash opt", {"load"}),
                                        Made("b", "hang opt", {"load"}), Made("c", "", {})};
  const TestSimilarity similarity(tests, {});
  EXPECT_EQ(TestSimilarity::Mean(tuning, similarity.All(0, 1)), 750u);
  EXPECT_EQ(TestSimilarity::Mean(tuning, similarity.All(0, 2)), 0u);
  EXPECT_EQ(TestSimilarity::Mean(tuning, similarity.All(2, 2)), 0u) << "no feature at all";
}

std::string GroupsOf(const std::vector<std::vector<uint32_t>>& similar, uint32_t same) {
  std::string text;
  for (const std::vector<size_t>&group : GroupsOfSimilar(
           similar.size(), [&](size_t a, size_t b) { return similar[a][b]; }, same)) {
    for (const size_t i : group) text += std::to_string(i);
    text += ' ';
  }
  return text;
}

TEST(Grouping, JoinsTheMostSimilarFirst) {
  // 1 is between 0 and 2, and 2 is between 1 and 3.
  const std::vector<std::vector<uint32_t>> chain = {
      {1000, 800, 100, 0}, {800, 1000, 700, 100}, {100, 700, 1000, 800}, {0, 100, 800, 1000}};
  EXPECT_EQ(GroupsOf(chain, 801), "0 1 2 3 ");
  EXPECT_EQ(GroupsOf(chain, 800), "01 23 ");
  // The average of the four pairs between the two groups is (100 + 0 + 700 + 100) / 4 = 225.
  EXPECT_EQ(GroupsOf(chain, 226), "01 23 ");
  EXPECT_EQ(GroupsOf(chain, 225), "0123 ");
  EXPECT_EQ(GroupsOf({}, 1), "");
  EXPECT_EQ(GroupsOf({{1000}}, 1), "0 ");
}

// The definition, without the bookkeeping of nearest groups.
std::string SlowGroups(const std::vector<std::vector<uint32_t>>& similar, uint32_t same) {
  std::vector<std::vector<size_t>> groups;
  for (size_t i = 0; i < similar.size(); ++i) groups.push_back({i});
  while (true) {
    size_t best_a = 0, best_b = 0;
    uint64_t best_sum = 0, best_pairs = 1;
    for (size_t a = 0; a < groups.size(); ++a) {
      for (size_t b = a + 1; b < groups.size(); ++b) {
        uint64_t sum = 0;
        for (const size_t i : groups[a]) {
          for (const size_t j : groups[b]) sum += similar[i][j];
        }
        const uint64_t pairs = groups[a].size() * groups[b].size();
        if (sum < same * pairs || (best_b > 0 && sum * best_pairs <= best_sum * pairs)) continue;
        std::tie(best_a, best_b, best_sum, best_pairs) = std::tuple(a, b, sum, pairs);
      }
    }
    if (best_b == 0) break;
    groups[best_a].insert(groups[best_a].end(), groups[best_b].begin(), groups[best_b].end());
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(best_b));
  }
  for (auto& group : groups) std::sort(group.begin(), group.end());
  std::sort(groups.begin(), groups.end());
  std::string text;
  for (const auto& group : groups) {
    for (const size_t i : group) text += std::to_string(i);
    text += ' ';
  }
  return text;
}

TEST(Grouping, IsAverageLinkage) {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    const size_t count = 1 + random.Below(10);
    std::vector<std::vector<uint32_t>> similar(count, std::vector<uint32_t>(count, 1000));
    for (size_t i = 0; i < count; ++i) {
      // All different, so that no tie decides.
      for (size_t j = 0; j < i; ++j) {
        similar[i][j] = similar[j][i] = static_cast<uint32_t>(random.Below(1000000));
      }
    }
    const auto same = static_cast<uint32_t>(random.Below(1000000));
    EXPECT_EQ(GroupsOf(similar, same), SlowGroups(similar, same));
  }
}

DedupOptions Causes() {
  return {.order = DedupOrder::kCauses, .ignored = {"split_block", "add_function"}};
}

TEST(Causes, OneBugMayHaveSeveralSignatures) {
  std::vector<DedupTest> tests = {
      Made("a", "rejected glslang: 'x' : undeclared identifier", {"access", "outline_function"}),
      Made("b", "rejected glslang: '' : syntax error", {"access", "outline_function"}),
      Made("c", "crash opt: SIGSEGV opt+0x1", {"wrap_region_in_loop"}),
      Made("d", "crash opt: SIGSEGV opt+0x1", {"wrap_region_in_loop"})};
  for (DedupTest& test : tests)
    test.lines = {test.types[0] == "access" ? "+OpFunctionParameter" : "+OpLoopMerge"};
  for (DedupTest& test : tests) {
    test.opcodes = test.lines;
    test.shapes = test.types;
  }
  const std::vector<Recommendation> chosen = Recommend(tests, Causes());
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_EQ(chosen[0].stands_for.size(), 1u);
  EXPECT_EQ(chosen[1].stands_for.size(), 1u);
}

TEST(Causes, EveryTestIsCoveredOnceInAnyOrder) {
  const char* types[] = {"a", "b", "c", "d", "split_block"};
  const char* signatures[] = {"", "crash opt: x", "crash opt: y z", "hang opt", "wrong_image opt"};
  Random random(31);
  for (int round = 0; round < 100; ++round) {
    std::vector<DedupTest> tests;
    const size_t count = 1 + random.Below(30);
    for (size_t i = 0; i < count; ++i) {
      std::vector<std::string> own;
      for (const char* type : types) {
        if (random.Percent(30)) own.emplace_back(type);
      }
      tests.push_back(Made(format("t{:02}", i), signatures[random.Below(5)], own));
    }
    std::map<std::string, std::vector<std::string>> groups;
    std::vector<int> covered(tests.size());
    for (const Recommendation& each : Recommend(tests, Causes())) {
      ++covered[each.test];
      for (const size_t other : each.stands_for) {
        ++covered[other];
        groups[tests[each.test].path].push_back(tests[other].path);
      }
    }
    EXPECT_EQ(covered, std::vector<int>(tests.size(), 1));
    for (size_t i = tests.size(); i > 1; --i) std::swap(tests[i - 1], tests[random.Below(i)]);
    std::map<std::string, std::vector<std::string>> again;
    for (const Recommendation& each : Recommend(tests, Causes())) {
      for (const size_t other : each.stands_for) {
        again[tests[each.test].path].push_back(tests[other].path);
      }
    }
    EXPECT_EQ(again, groups);
  }
}

}  // namespace
}  // namespace refract
