// SPDX-License-Identifier: Apache-2.0
#include "facts/facts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "base/text.h"
#include "ir/binary.h"
#include "ir/tools.h"

namespace refract {
namespace {

// Vectors 10 to 12, structs of two vectors 20 and 21, and scalars from 100 on.
std::string Shader() {
  std::string text = R"(OpCapability Shader
OpMemoryModel Logical GLSL450
%1 = OpTypeFloat 32
%2 = OpTypeVector %1 3
%3 = OpTypeStruct %2 %2
%10 = OpUndef %2
%11 = OpUndef %2
%12 = OpUndef %2
%20 = OpUndef %3
%21 = OpUndef %3
)";
  for (int i = 100; i < 2000; ++i) text += format("%{} = OpUndef %1\n", i);
  return text;
}

class FactsTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto words = Assemble(Shader(), TargetEnvironment::kUniversal13);
    ASSERT_TRUE(words) << words.error().message;
    auto module = ReadModule(*words, "facts");
    ASSERT_TRUE(module) << module.error().message;
    module_ = std::move(*module);
  }

  Id At(uint64_t number) const { return module_.FindId(Name{0, number}); }
  Part Of(uint64_t number, std::initializer_list<uint32_t> path = {}) const {
    Part part(At(number));
    for (uint32_t index : path) part = *part.Component(index);
    return part;
  }
  std::optional<Steps> Ask(const Part& a, const Part& b) const {
    return facts_.Synonymous(module_, a, b);
  }

  Module module_;
  Facts facts_;
};

TEST_F(FactsTest, FactsOfIdsKeepTheShortestListOfSteps) {
  EXPECT_EQ(facts_.Irrelevant(At(100)), nullptr);
  facts_.SetIrrelevant(At(100), {1, 2});
  facts_.SetIrrelevant(At(100), {3});
  facts_.SetIrrelevant(At(100), {4, 5, 6});
  ASSERT_NE(facts_.Irrelevant(At(100)), nullptr);
  EXPECT_EQ(*facts_.Irrelevant(At(100)), Steps{3});
  EXPECT_EQ(facts_.Irrelevant(At(101)), nullptr);
  EXPECT_EQ(facts_.IrrelevantPointee(At(100)), nullptr);
}

TEST_F(FactsTest, EqualityIsReflexiveSymmetricTransitive) {
  facts_.AddSynonym(Of(100), Of(101), {1});
  facts_.AddSynonym(Of(102), Of(101), {2, 3});
  EXPECT_EQ(Ask(Of(100), Of(100)), Steps{});
  EXPECT_EQ(Ask(Of(101), Of(100)), Steps{1});
  EXPECT_EQ(Ask(Of(100), Of(102)), (Steps{1, 2, 3}));
  EXPECT_EQ(Ask(Of(100), Of(103)), std::nullopt);
  EXPECT_TRUE(facts_.MayHaveSynonyms(At(101)));
  EXPECT_FALSE(facts_.MayHaveSynonyms(At(103)));
}

TEST_F(FactsTest, PartsOfEqualValuesAreEqual) {
  facts_.AddSynonym(Of(10), Of(11), {1});
  facts_.AddSynonym(Of(20, {1}), Of(10), {2});
  facts_.AddSynonym(Of(100), Of(11, {2}), {3});
  EXPECT_EQ(Ask(Of(10, {2}), Of(11, {2})), Steps{1});
  EXPECT_EQ(Ask(Of(10, {2}), Of(11, {1})), std::nullopt);
  EXPECT_EQ(Ask(Of(20, {1, 2}), Of(100)), (Steps{1, 2, 3}));
}

TEST_F(FactsTest, WholesOfEqualPartsAreEqual) {
  for (uint32_t i = 0; i < 3; ++i) {
    facts_.AddSynonym(Of(10, {i}), Of(100 + i), {1 + i});
    if (i < 2) facts_.AddSynonym(Of(11, {i}), Of(100 + i), {10 + i});
  }
  EXPECT_EQ(Ask(Of(10), Of(11)), std::nullopt);
  facts_.AddSynonym(Of(102), Of(11, {2}), {20});
  EXPECT_EQ(Ask(Of(10), Of(11)), (Steps{1, 2, 3, 10, 11, 20}));
  // One level deeper: structs of these vectors.
  facts_.AddSynonym(Of(20, {0}), Of(10), {30});
  facts_.AddSynonym(Of(20, {1}), Of(12), {31});
  facts_.AddSynonym(Of(21, {0}), Of(11), {32});
  facts_.AddSynonym(Of(21, {1}), Of(12), {33});
  EXPECT_EQ(Ask(Of(21), Of(20)), (Steps{1, 2, 3, 10, 11, 20, 30, 31, 32, 33}));
}

TEST_F(FactsTest, PartsInAnotherOrderMakeAnotherWhole) {
  for (uint32_t i = 0; i < 3; ++i) {
    facts_.AddSynonym(Of(10, {i}), Of(100 + i), {1});
    facts_.AddSynonym(Of(11, {i}), Of(100 + (i + 1) % 3), {1});
  }
  EXPECT_EQ(Ask(Of(10), Of(11)), std::nullopt);
}

// Random equalities of scalars, vectors, structs and their parts, one per step.
TEST_F(FactsTest, TheClosureDoesNotDependOnTheOrderAndItsStepsSuffice) {
  std::vector<std::vector<Part>> sorts(3);
  for (uint32_t n : {100u, 101u, 102u, 103u}) sorts[0].push_back(Of(n));
  for (uint32_t v : {10u, 11u, 12u}) {
    sorts[1].push_back(Of(v));
    for (uint32_t i = 0; i < 3; ++i) sorts[0].push_back(Of(v, {i}));
  }
  for (uint32_t s : {20u, 21u}) {
    sorts[2].push_back(Of(s));
    for (uint32_t i = 0; i < 2; ++i) sorts[1].push_back(Of(s, {i}));
  }
  struct Equality {
    Part a, b;
    uint32_t step;
  };
  const auto with = [](const std::vector<Equality>& list, const Steps* steps) {
    Facts facts;
    for (const Equality& e : list) {
      const bool in = steps == nullptr || std::count(steps->begin(), steps->end(), e.step) != 0;
      if (in) facts.AddSynonym(e.a, e.b, {e.step});
    }
    return facts;
  };
  size_t derived = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    Random random(seed);
    std::vector<Equality> list;
    for (uint32_t step = 1; step <= 9; ++step) {
      const auto& sort = sorts[random.Below(8) < 5 ? 0 : 1 + random.Below(2)];
      list.push_back({sort[random.Below(sort.size())], sort[random.Below(sort.size())], step});
    }
    std::vector<Equality> other = list;
    for (size_t i = other.size() - 1; i > 0; --i) {
      std::swap(other[i], other[random.Below(i + 1)]);
      if (random.Percent(50)) std::swap(other[i].a, other[i].b);
    }
    const Facts one = with(list, nullptr), two = with(other, nullptr);
    for (const auto& sort : sorts) {
      for (const Part& a : sort) {
        for (const Part& b : sort) {
          const std::optional<Steps> first = one.Synonymous(module_, a, b);
          const std::optional<Steps> second = two.Synonymous(module_, a, b);
          ASSERT_EQ(first.has_value(), second.has_value()) << "seed " << seed;
          if (!first) continue;
          EXPECT_TRUE(with(list, &*first).Synonymous(module_, a, b)) << "seed " << seed;
          EXPECT_TRUE(with(list, &*second).Synonymous(module_, a, b)) << "seed " << seed;
          derived += first->size() > 1;
        }
      }
    }
  }
  EXPECT_GT(derived, 1000u);
}

TEST_F(FactsTest, AValueWithManySynonymsIsFoundFromEitherSide) {
  for (uint32_t i = 101; i < 2000; ++i) facts_.AddSynonym(Of(100), Of(i), {i});
  for (const uint32_t i : {101u, 900u, 1999u}) {
    EXPECT_EQ(Ask(Of(100), Of(i)), Steps{i});
    EXPECT_EQ(Ask(Of(i), Of(100)), Steps{i});
  }
}

TEST_F(FactsTest, SynonymsAreListedNearestFirst) {
  facts_.AddSynonym(Of(100), Of(101), {1});
  facts_.AddSynonym(Of(101), Of(102), {2});
  facts_.AddSynonym(Of(102), Of(10, {1}), {3});
  const std::vector<Facts::Synonym> all = facts_.SynonymsOf(module_, Of(100), 10);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].part, Of(101));
  EXPECT_EQ(all[1].part, Of(102));
  EXPECT_EQ(all[1].why, (Steps{1, 2}));
  EXPECT_EQ(all[2].part, Of(10, {1}));
  EXPECT_EQ(facts_.SynonymsOf(module_, Of(100), 2).size(), 2u);
  EXPECT_TRUE(facts_.SynonymsOf(module_, Of(103), 2).empty());
}

TEST_F(FactsTest, CopiesAreIndependent) {
  facts_.AddSynonym(Of(100), Of(101), {1});
  Facts copy = facts_;
  copy.AddSynonym(Of(101), Of(102), {2});
  EXPECT_EQ(copy.Synonymous(module_, Of(100), Of(102)), (Steps{1, 2}));
  EXPECT_EQ(Ask(Of(100), Of(102)), std::nullopt);
}

TEST(Parts, DepthAndWidthAreLimited) {
  Part part(static_cast<Id>(1));
  EXPECT_FALSE(part.Component(0x10000));
  for (uint32_t i = 0; i < Part::kMaxDepth; ++i) part = *part.Component(0xffff);
  EXPECT_FALSE(part.Component(0));
}

TEST(Steps, MergingKeepsThemSorted) {
  Steps steps{1, 4};
  MergeSteps(&steps, {1, 2, 9});
  EXPECT_EQ(steps, (Steps{1, 2, 4, 9}));
}

}  // namespace
}  // namespace refract
