// SPDX-License-Identifier: Apache-2.0
// The reduction algorithms on lists of steps with dependencies, with made-up rules for what is
// interesting: the result is 1-minimal, and the number of tries is limited.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"
#include "base/text.h"
#include "reduce/strategy.h"

namespace refract {
namespace {

// A recording as the strategies see it, with the rule for when it is interesting.
struct Puzzle {
  DependencyLists needs;
  std::vector<Subset> wanted;  // interesting with all steps of any one of these
  Subset spoils;               // without `shield`, none of these may be applied
  uint32_t shield = 0;

  Subset All() const {
    Subset all(needs.size());
    for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
  }
  // What a replay applies: all steps whose needs were all applied.
  Subset Applied(const Subset& asked) const {
    Subset applied;
    for (const uint32_t step : asked) {
      const bool fits = std::all_of(needs[step].begin(), needs[step].end(), [&](uint32_t need) {
        return std::binary_search(applied.begin(), applied.end(), need);
      });
      if (fits) applied.push_back(step);
    }
    return applied;
  }
  bool IsInteresting(const Subset& applied) const {
    const auto has = [&](uint32_t step) {
      return std::binary_search(applied.begin(), applied.end(), step);
    };
    if (!spoils.empty() && !has(shield) && std::any_of(spoils.begin(), spoils.end(), has)) {
      return false;
    }
    return std::any_of(wanted.begin(), wanted.end(), [&](const Subset& one) {
      return std::includes(applied.begin(), applied.end(), one.begin(), one.end());
    });
  }
};

struct Solved {
  Subset best;
  size_t tries = 0;  // of different subsets; the empty one is free
};

Solved Solve(const Puzzle& puzzle, std::unique_ptr<Strategy> strategy) {
  Solved solved;
  std::map<Subset, bool> known = {{Subset{}, false}};
  while (const Subset* next = strategy->Next()) {
    const Subset applied = puzzle.Applied(*next);
    const auto [found, fresh] = known.emplace(applied, false);
    if (fresh) {
      ++solved.tries;
      found->second = puzzle.IsInteresting(applied);
    }
    strategy->Answer(found->second, applied);
    EXPECT_LT(solved.tries, 20 * puzzle.needs.size() + 100);
  }
  solved.best = strategy->best();
  return solved;
}

Solved Solve(const Puzzle& puzzle, Algorithm algorithm) {
  return Solve(puzzle, MakeStrategy(algorithm, puzzle.All(),
                                    std::make_shared<const DependencyLists>(puzzle.needs)));
}

constexpr Algorithm kAll[] = {Algorithm::kBisect, Algorithm::kHalving, Algorithm::kCounter};

Subset Draw(Random& random, size_t steps, size_t count) {
  Subset drawn;
  while (drawn.size() < count) {
    const auto step = static_cast<uint32_t>(random.Below(steps));
    const auto place = std::lower_bound(drawn.begin(), drawn.end(), step);
    if (place == drawn.end() || *place != step) drawn.insert(place, step);
  }
  return drawn;
}

Puzzle MakePuzzle(uint64_t seed, size_t steps, size_t wanted, uint32_t percent_needing) {
  Random random(seed);
  Puzzle puzzle;
  puzzle.needs.resize(steps);
  for (uint32_t i = 1; i < steps; ++i) {
    if (!random.Percent(percent_needing)) continue;
    puzzle.needs[i] = Draw(random, i, std::min<size_t>(i, random.Between(1, 2)));
  }
  puzzle.wanted.push_back(Draw(random, steps, wanted));
  return puzzle;
}

void ExpectMinimal(const Puzzle& puzzle, const Subset& best, const std::string& what) {
  EXPECT_EQ(puzzle.Applied(best), best) << what;
  EXPECT_TRUE(puzzle.IsInteresting(best)) << what;
  for (const uint32_t step : best) {
    Subset without = best;
    std::erase(without, step);
    EXPECT_FALSE(puzzle.IsInteresting(puzzle.Applied(without))) << what << ", step " << step;
  }
}

TEST(ReduceStrategy, EveryResultIsOneMinimal) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Random random(Mix(seed, uint64_t{1}));
    const size_t steps = random.Between(1, 120);
    const size_t wanted = random.Between(1, std::min<size_t>(steps, 6));
    Puzzle puzzle = MakePuzzle(seed, steps, wanted, static_cast<uint32_t>(random.Below(60)));
    // Another set that shows the same bug, or steps that hide it.
    if (seed % 3 == 1) puzzle.wanted.push_back(Draw(random, steps, wanted));
    if (seed % 3 == 2) {
      puzzle.spoils = Draw(random, steps, std::min<size_t>(steps, 3));
      puzzle.shield = static_cast<uint32_t>(random.Below(steps));
    }
    if (!puzzle.IsInteresting(puzzle.All())) continue;
    for (const Algorithm algorithm : kAll) {
      const Solved solved = Solve(puzzle, algorithm);
      ExpectMinimal(puzzle, solved.best,
                    format("seed {}, {}", seed, std::string(AlgorithmName(algorithm))));
    }
  }
}

TEST(ReduceStrategy, AllAlgorithmsAgreeIfThereIsOneMinimum) {
  // One set that matters, and nothing that hides it: the set with its dependencies is the only
  // minimum.
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Puzzle puzzle = MakePuzzle(seed, 150, 1 + seed % 5, 30);
    const Subset best = Solve(puzzle, Algorithm::kBisect).best;
    EXPECT_EQ(best, Solve(puzzle, Algorithm::kHalving).best) << seed;
    EXPECT_EQ(best, Solve(puzzle, Algorithm::kCounter).best) << seed;
  }
}

TEST(ReduceStrategy, ALongResultIsSearchedForInAnotherWay) {
  // Thirteen steps that come first, and far after them one that would suffice. Bisection finds the
  // thirteen.
  Puzzle puzzle;
  puzzle.needs.resize(100);
  puzzle.wanted = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 55}, {80}};
  EXPECT_EQ(Solve(puzzle, Algorithm::kBisect).best, Subset{80});
  // A short result is kept.
  puzzle.wanted = {{0, 1, 55}, {80}};
  EXPECT_EQ(Solve(puzzle, Algorithm::kBisect).best, (Subset{0, 1, 55}));
}

TEST(ReduceStrategy, BisectionTakesFewerTries) {
  struct Row {
    size_t steps, wanted, most;
  };
  // The mean over 15 seeds. Steps do not depend on each other, which is the worst case.
  for (const Row& row : {Row{200, 3, 30}, Row{200, 10, 88}, Row{2000, 1, 13}, Row{2000, 3, 40},
                         Row{2000, 10, 125}}) {
    size_t tries[3] = {};
    for (uint64_t seed = 0; seed < 15; ++seed) {
      const Puzzle puzzle = MakePuzzle(seed, row.steps, row.wanted, 0);
      for (size_t i = 0; i < 3; ++i) tries[i] += Solve(puzzle, kAll[i]).tries;
    }
    const std::string what = format("{} of {}: bisect {}, halving {}, counter {}", row.wanted,
                                    row.steps, tries[0] / 15, tries[1] / 15, tries[2] / 15);
    RecordProperty(format("{}_of_{}", row.wanted, row.steps), what);
    EXPECT_LE(tries[0], row.most * 15) << what;
    EXPECT_LT(tries[0], tries[1]) << what;
    EXPECT_LT(tries[0], tries[2]) << what;
  }
}

TEST(ReduceStrategy, DependenciesCostNoTries) {
  // A chain: the last step needs the one before it, and so on.
  Puzzle puzzle;
  puzzle.needs.resize(1000);
  for (uint32_t step = 200; step <= 900; step += 100) puzzle.needs[step] = {step - 100};
  puzzle.wanted = {{900}};
  const Solved solved = Solve(puzzle, Algorithm::kBisect);
  EXPECT_EQ(solved.best.size(), 9u);
  // Bisection, the proof that each step matters, and three attempts to find a result without one of
  // them.
  EXPECT_LE(solved.tries, 11u + 8u + 3u);
}

TEST(ReduceStrategy, AShorterResultIsFoundAfterALongerOne) {
  // Step 500 suffices, but needs four others; step 800 needs none.
  Puzzle puzzle;
  puzzle.needs.resize(1000);
  puzzle.needs[500] = {100, 200, 300, 400};
  puzzle.wanted = {{500}, {800}};
  EXPECT_EQ(Solve(puzzle, Algorithm::kBisect).best, Subset{800});
}

TEST(ReduceStrategy, UnnecessaryNeedsDoNoHarm) {
  // Step 50 claims to need all steps before it, but applies without them.
  Puzzle puzzle;
  puzzle.needs.resize(100);
  puzzle.wanted = {{50}};
  DependencyLists said(100);
  for (uint32_t i = 0; i < 50; ++i) said[50].push_back(i);
  const Solved solved = Solve(puzzle, MakeStrategy(Algorithm::kBisect, puzzle.All(),
                                                   std::make_shared<const DependencyLists>(said)));
  EXPECT_EQ(solved.best, Subset{50});
}

TEST(ReduceStrategy, ASweepFindsTheMinimumByItself) {
  const Puzzle puzzle = MakePuzzle(3, 12, 3, 0);
  const Solved solved = Solve(puzzle, MakeSweep(puzzle.All()));
  EXPECT_EQ(solved.best, puzzle.wanted[0]);
}

}  // namespace
}  // namespace refract
