// SPDX-License-Identifier: Apache-2.0
// Dedup: the published algorithm on its own example, and properties that hold for all tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"
#include "base/text.h"
#include "dedup/failing_tests.h"
#include "dedup/ignored_types.h"
#include "dedup/recommend.h"
#include "message/info.h"

namespace refract {
namespace {

DedupTest Made(std::string path, std::vector<std::string> types, std::string signature = {}) {
  DedupTest test;
  test.path = std::move(path);
  test.types = std::move(types);
  std::sort(test.types.begin(), test.types.end());
  test.steps = test.types.size();
  test.signature = std::move(signature);
  return test;
}

/// "a: b c" for each recommended test and the tests that it stands for, in order.
std::vector<std::string> Names(const std::vector<DedupTest>& tests,
                               const std::vector<Recommendation>& chosen) {
  std::vector<std::string> names;
  for (const Recommendation& each : chosen) {
    std::string text = tests[each.test].path + ":";
    for (const size_t other : each.stands_for) text += " " + tests[other].path;
    names.push_back(text);
  }
  return names;
}

std::vector<std::string> Chosen(const std::vector<DedupTest>& tests, const DedupOptions& options) {
  return Names(tests, Recommend(tests, options));
}

DedupOptions Paper() {
  return {.order = DedupOrder::kPaper, .ignored = {"split_block", "add_function"}};
}
DedupOptions Furthest() {
  return {.order = DedupOrder::kFurthest, .ignored = {"split_block", "add_function"}};
}

TEST(Dedup, RecommendsTestsThatShareNoType) {
  const std::vector<DedupTest> tests = {
      Made("a", {"dead", "load"}), Made("b", {"load"}), Made("c", {"store", "dead"}),
      Made("d", {"wrap", "store", "peel"}), Made("e", {"peel", "unroll", "swap"})};
  EXPECT_EQ(Chosen(tests, Paper()), (std::vector<std::string>{"b: a", "c: d", "e:"}));
}

TEST(Dedup, IgnoresTypesThatOnlyPrepareOthers) {
  const std::vector<DedupTest> tests = {Made("a", {"split_block", "load"}),
                                        Made("b", {"split_block", "store", "add_function"})};
  EXPECT_EQ(Chosen(tests, Paper()), (std::vector<std::string>{"a:", "b:"}));
  // Unless a test has no other types: the bug may be caused by just these.
  const std::vector<DedupTest> bare = {Made("a", {"split_block"}),
                                       Made("b", {"load", "split_block"}),
                                       Made("c", {"add_function", "split_block"})};
  EXPECT_EQ(Chosen(bare, Paper()), (std::vector<std::string>{"a: c", "b:"}));
}

TEST(Dedup, DistinguishesSignaturesFirst) {
  const std::vector<DedupTest> tests = {
      Made("a", {"load"}, "crash opt: assertion x"),
      Made("b", {"load"}, "crash opt: assertion y"),
      Made("c", {"store"}, "crash opt: assertion x"),
      Made("d", {"load"}, "wrong_image opt"),
      Made("e", {"store"}, "wrong_image opt"),
      Made("f", {"load", "store"}, "wrong_image opt"),
      Made("g", {"load"}, "wrong_image other"),
      Made("h", {"load"}),
  };
  const std::vector<std::string> wanted = {"a: c", "b:", "d: f", "g:", "h:", "e:"};
  EXPECT_EQ(Chosen(tests, Paper()), wanted);
  // A test with another signature and another type is the most different.
  const std::vector<std::string> furthest = Chosen(tests, Furthest());
  EXPECT_EQ(furthest[0], "a: c");
  EXPECT_EQ(furthest[1], "e:");
  EXPECT_EQ(furthest.size(), wanted.size());
  DedupOptions types_alone = Paper();
  types_alone.signatures = false;
  EXPECT_EQ(Chosen(tests, types_alone), (std::vector<std::string>{"a: b d f g h", "c: e"}));
}

TEST(Dedup, KnowsWhichSignaturesNameACause) {
  for (const char* yes : {"crash opt: assertion 'a'", "rejected val: id is not b",
                          "crash lavapipe: SIGSEGV libvulkan_lvp.so+0x12"}) {
    EXPECT_TRUE(HasSpecificSignature(Made("a", {}, yes))) << yes;
  }
  for (const char* no : {"", "hang opt", "wrong_image lavapipe", "crash opt: SIGSEGV",
                         "crash opt: exit 3", "rejected opt: exit 1", "crash opt: signal 99"}) {
    EXPECT_FALSE(HasSpecificSignature(Made("a", {}, no))) << no;
  }
}

TEST(Dedup, TheMostDifferentTestComesNext) {
  std::vector<DedupTest> tests = {Made("a", {"x"}, "hang one"), Made("b", {"x"}, "hang two"),
                                  Made("c", {"y"}, "hang two"), Made("d", {"z"}, "hang one")};
  // c differs from a in both, b only in its signature, d only in its types.
  EXPECT_EQ(Chosen(tests, Furthest()), (std::vector<std::string>{"a:", "c:", "b:", "d:"}));
  EXPECT_EQ(Chosen(tests, Paper()), (std::vector<std::string>{"a:", "b:", "c:", "d:"}));
}

/// Tests with these types, called a, b, ...
std::vector<DedupTest> OfTypes(const std::vector<std::vector<std::string>>& types) {
  std::vector<DedupTest> tests;
  for (const auto& each : types) {
    tests.push_back(Made(std::string(1, static_cast<char>('a' + tests.size())), each));
  }
  return tests;
}

TEST(Dedup, TypesThatOftenOccurTogetherAreABugOfTheirOwn) {
  std::vector<std::vector<std::string>> types = {
      {"x"}, {"x"}, {"x"}, {"x"}, {"x", "y", "z"}, {"x", "y", "z"}, {"x", "y", "z"}};
  // Three times may be chance: the cause may be x alone.
  EXPECT_EQ(Chosen(OfTypes(types), Furthest()), (std::vector<std::string>{"a: b c d e f g"}));
  types.push_back({"x", "y", "z"});
  EXPECT_EQ(Chosen(OfTypes(types), Furthest()), (std::vector<std::string>{"a: b c d", "e: f g h"}));
  EXPECT_EQ(Chosen(OfTypes(types), Paper()), (std::vector<std::string>{"a: b c d e f g h"}));
}

TEST(Dedup, TestsThatShareHalfOfTheirTypesAreSimilar) {
  // {x} shares half of {x, y}; the two sets below share only {y, z} of their five types.
  const std::vector<std::string> x = {"x"}, xy = {"x", "y"}, xyz = {"x", "y", "z"};
  const std::vector<std::string> vwyz = {"v", "w", "y", "z"};
  EXPECT_EQ(Chosen(OfTypes({x, x, x, x, xy, xy, xy, xy}), Furthest()),
            (std::vector<std::string>{"a: b c d e f g h"}));
  // Tests in the middle connect tests that do not share half.
  EXPECT_EQ(Chosen(OfTypes({x, x, x, x, xyz, xyz, xyz, xyz, xy}), Furthest()),
            (std::vector<std::string>{"a: b c d e f g h i"}));
  EXPECT_EQ(Chosen(OfTypes({xyz, xyz, xyz, xyz, vwyz, vwyz, vwyz, vwyz}), Furthest()),
            (std::vector<std::string>{"a: b c d", "e: f g h"}));
}

TEST(Dedup, OtherTestsJoinAnyTestOfAGroup) {
  const std::vector<DedupTest> tests =
      OfTypes({{"x"}, {"x"}, {"x"}, {"x", "y"}, {"y"}, {"v", "w"}, {"w", "y", "z"}, {"u"}});
  EXPECT_EQ(Chosen(tests, Furthest()), (std::vector<std::string>{"h:", "a: b c d e g", "f:"}));
  // The paper compares with the recommended test only.
  EXPECT_EQ(Chosen(tests, Paper()), (std::vector<std::string>{"h:", "a: b c d", "e: g", "f:"}));
}

TEST(Dedup, IgnoredTypesAreEnoughToJoinAGroup) {
  const std::vector<DedupTest> tests =
      OfTypes({{"x", "split_block"}, {"x"}, {"x"}, {"x"}, {"split_block"}, {"add_function"}});
  EXPECT_EQ(Chosen(tests, Furthest()), (std::vector<std::string>{"f:", "b: a c d e"}));
  EXPECT_EQ(Chosen(tests, Paper()).size(), 3u);
}

TEST(Dedup, FewTestsGiveTheResultOfThePaper) {
  const char* types[] = {"a", "b", "c", "d", "e"};
  Random random(14);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::vector<std::string>> own(3);
    for (auto& each : own) {
      for (const char* type : types) {
        if (random.Percent(40)) each.emplace_back(type);
      }
    }
    std::vector<std::string> few = Chosen(OfTypes(own), Furthest());
    std::sort(few.begin(), few.end());
    std::vector<std::string> paper = Chosen(OfTypes(own), Paper());
    std::sort(paper.begin(), paper.end());
    EXPECT_EQ(few, paper);
  }
}

TEST(Dedup, OpcodesDecideWhichTestIsTheMostDifferent) {
  std::vector<DedupTest> tests = OfTypes({{"x"}, {"y"}, {"z"}});
  tests[0].opcodes = {"+OpISub"};
  tests[1].opcodes = {"+OpIMul", "+OpISub"};
  tests[2].opcodes = {"+OpIMul"};
  EXPECT_EQ(Chosen(tests, Furthest()), (std::vector<std::string>{"a:", "c:", "b:"}));
  EXPECT_EQ(Chosen(tests, Paper()), (std::vector<std::string>{"a:", "b:", "c:"}));
}

std::vector<DedupTest> RandomTests(Random& random) {
  const char* types[] = {"a", "b", "c", "d", "e", "f", "g", "split_block", "add_function"};
  const char* signatures[] = {"", "crash opt: x", "crash opt: y", "hang opt", "wrong_image opt"};
  std::vector<DedupTest> tests;
  const size_t count = 1 + random.Below(30);
  for (size_t i = 0; i < count; ++i) {
    std::vector<std::string> own;
    for (const char* type : types) {
      if (random.Percent(25)) own.emplace_back(type);
    }
    tests.push_back(Made(format("t{:02}", i), own, signatures[random.Below(5)]));
    tests.back().steps = random.Below(6);
    if (random.Percent(30)) tests.back().opcodes = {"+OpISub"};
  }
  return tests;
}

class DedupOfAnything : public testing::TestWithParam<DedupOrder> {
 protected:
  DedupOptions Options() const { return GetParam() == DedupOrder::kPaper ? Paper() : Furthest(); }
};

TEST_P(DedupOfAnything, EveryTestIsCoveredOnce) {
  Random random(11);
  for (int round = 0; round < 300; ++round) {
    const std::vector<DedupTest> tests = RandomTests(random);
    std::vector<int> covered(tests.size());
    for (const Recommendation& each : Recommend(tests, Options())) {
      ++covered[each.test];
      for (const size_t other : each.stands_for) {
        ++covered[other];
        EXPECT_EQ(tests[each.test].signature, tests[other].signature);
      }
      EXPECT_EQ(each.types, RelevantTypes(tests[each.test], Options().ignored));
    }
    EXPECT_EQ(covered, std::vector<int>(tests.size(), 1));
  }
}

TEST_P(DedupOfAnything, TheOrderOfFilesDoesNotMatter) {
  Random random(12);
  for (int round = 0; round < 300; ++round) {
    std::vector<DedupTest> tests = RandomTests(random);
    const std::vector<std::string> before = Chosen(tests, Options());
    for (size_t i = tests.size(); i > 1; --i) std::swap(tests[i - 1], tests[random.Below(i)]);
    EXPECT_EQ(Chosen(tests, Options()), before);
  }
}

// Figure 6: no two recommended tests share a type, and each omitted test shares one with the test
// that stands for it.
TEST(Dedup, RecommendedTestsAreDisjoint) {
  Random random(13);
  for (int round = 0; round < 300; ++round) {
    const std::vector<DedupTest> tests = RandomTests(random);
    std::map<std::string, std::vector<Recommendation>> buckets;
    for (const Recommendation& each : Recommend(tests, Paper())) {
      if (!HasSpecificSignature(tests[each.test]))
        buckets[tests[each.test].signature].push_back(each);
    }
    const auto share = [](const std::vector<std::string>& a, const std::vector<std::string>& b) {
      return (a.empty() && b.empty()) || std::any_of(a.begin(), a.end(), [&](const auto& type) {
               return std::find(b.begin(), b.end(), type) != b.end();
             });
    };
    for (const auto& [signature, chosen] : buckets) {
      for (const Recommendation& a : chosen) {
        for (const Recommendation& b : chosen) {
          EXPECT_TRUE(a.test == b.test || !share(a.types, b.types));
        }
        for (const size_t other : a.stands_for) {
          const auto types = RelevantTypes(tests[other], Paper().ignored);
          EXPECT_TRUE(share(a.types, types));
          EXPECT_LE(a.types.size(), types.size())
              << "tests with few types stand for tests with many";
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, DedupOfAnything,
                         testing::Values(DedupOrder::kPaper, DedupOrder::kFurthest));

TEST(IgnoredTypes, OurListIsValid) {
  const Result<std::set<std::string>> types = ParseIgnoredTypes("ignored.txt", kIgnoredTypes);
  ASSERT_TRUE(types) << types.error().message;
  EXPECT_TRUE(types->contains("split_block"));
  EXPECT_TRUE(types->contains("replace_id_with_synonym"));
  // Every line gives a reason.
  for (const std::string& line : Split(kIgnoredTypes, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    EXPECT_GE(Split(line, ' ').size(), 4u) << line;
  }
}

TEST(IgnoredTypes, ErrorsNameTheLine) {
  const Result<std::set<std::string>> types =
      ParseIgnoredTypes("mine.txt", "# mine\n\n  split_block\nsplit_blocks why not\n");
  ASSERT_FALSE(types);
  EXPECT_EQ(types.error().message,
            "mine.txt:4: unknown transformation 'split_blocks'; `refract list` prints all; "
            "did you mean 'split_block'?");
}

}  // namespace
}  // namespace refract
