// SPDX-License-Identifier: Apache-2.0
// Measures dedup on reduced tests of real bugs (tests/measure/dedup_real/tests.jsonl). In each
// split, a random half of the bugs is used to tune dedup, and the other half to measure it. The
// split is by bug and never by test, so that no test of a measured bug has an influence on the
// tuning.
//   dedup_real FILE [--splits N] [--least-covered PERCENT] [--most-duplicates PERCENT] [--verbose]
//              [--proved] [--least-tests N]
//   dedup_real --collect DIR DECISIONS      prints the file for test folders (dedup_data.h)
// --proved leaves out tests whose cause was decided by a condition alone. Bugs of fewer than N
// tests (default 4) are left out. The limits are for the tuned dedup on all kinds of failures
// together.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/text.h"
#include "dedup/ignored_types.h"
#include "dedup/recommend.h"
#include "measure/dedup_data.h"
#include "measure/dedup_tuning.h"

namespace refract::measure {
namespace {

using Tests = std::vector<DecidedTest>;

struct Arguments {
  std::string file, collect, decisions;
  uint64_t splits = 100, least_covered = 0, most_duplicates = 100, least_tests = 4;
  bool verbose = false, proved = false;
};

// The scores of a method on the measured halves.
struct MethodScores {
  std::vector<DedupScore> scores;
  DedupScore sum;

  void Add(const DedupScore& score) {
    if (score.bugs == 0) return;
    scores.push_back(score);
    sum += score;
  }
};

// Three groups of kinds of failures.
std::string GroupOf(const DecidedTest& test) {
  const std::string name(FailureClassName(*test.test.verdict));
  if (name == "crash" || name == "hang") return "crash, hang";
  if (name.starts_with("wrong_")) return "miscompilation";
  return "rejected, invalid";
}

// Each signature is a report.
DedupScore ScoreOfSignatures(const Tests& tests) {
  std::map<std::string, std::string> first;  // bug of the first test of each signature
  std::set<std::string> bugs, distinct;
  for (const DecidedTest& each : tests) {
    bugs.insert(each.bug);
    first.emplace(each.test.signature, each.bug);
  }
  for (const auto& [signature, bug] : first) distinct.insert(bug);
  return {bugs.size(), first.size(), distinct.size()};
}

class Study {
 public:
  Study(Tests tests, std::set<std::string> ignored)
      : tests_(std::move(tests)), ignored_(std::move(ignored)) {
    for (const DecidedTest& each : tests_) bugs_.insert(each.bug);
  }

  void PrintData() const {
    std::map<std::string, std::set<std::string>> bugs;
    std::map<std::string, size_t> tests, decided;
    std::map<std::string, std::map<std::string, size_t>> ways;
    for (const DecidedTest& each : tests_) {
      bugs[GroupOf(each)].insert(each.bug);
      ++tests[GroupOf(each)];
      const std::string way = each.decided.substr(0, each.decided.find(':'));
      ++decided[way];
      ++ways[way][each.bug];
    }
    std::printf("%zu tests of %zu bugs\n", tests_.size(), bugs_.size());
    for (const auto& [group, count] : tests) {
      std::printf("  %-18s %4zu tests of %3zu bugs\n", group.c_str(), count, bugs[group].size());
    }
    for (const auto& [way, count] : decided) {
      std::printf("  decided by %-12s %4zu tests of %3zu bugs\n", way.c_str(), count,
                  ways[way].size());
    }
  }

  void RunSplit(uint64_t seed) {
    std::vector<std::string> bugs(bugs_.begin(), bugs_.end());
    Random random(seed);
    for (size_t i = 0; i < bugs.size(); ++i) {
      std::swap(bugs[i], bugs[i + random.Below(bugs.size() - i)]);
    }
    const std::set<std::string> training(
        bugs.begin(), bugs.begin() + static_cast<std::ptrdiff_t>(bugs.size() / 2));
    Tests known, held_out;
    for (const DecidedTest& each : tests_) {
      (training.contains(each.bug) ? known : held_out).push_back(each);
    }
    Measure(held_out, TuneOn(known, ignored_, seed));
  }

  // On all tests, with the tuning that dedup has. For comparison only: they have chosen this
  // tuning.
  void PrintShipped(bool verbose) {
    DedupOptions options{.order = DedupOrder::kCauses, .ignored = ignored_};
    const DedupScore score = ScoreOf(tests_, options);
    std::printf(
        "not held out: --order causes with its tuning recommends %zu tests of %zu of %zu bugs\n",
        score.reports, score.distinct, score.bugs);
    std::printf("tuned on all tests: %s\n", TextOf(TuneOn(tests_, ignored_, 1)).c_str());
    if (verbose) PrintRecommendations(options);
  }

  void PrintTable() const {
    std::printf("%-18s %-24s %22s %22s\n", "", "", "covered [95 %]", "duplicates [95 %]");
    for (const auto& [key, method] : methods_) Print(key.first, key.second, method);
  }

  bool Reaches(uint64_t least_covered, uint64_t most_duplicates) const {
    const DedupScore& sum = methods_.at({"all", "5 causes, tuned"}).sum;
    return 100 * sum.distinct >= least_covered * sum.bugs &&
           100 * sum.duplicates() <= most_duplicates * sum.reports;
  }

 private:
  void Measure(const Tests& tests, const DedupTuning& tuning) {
    std::map<std::string, Tests> groups;
    groups["all"] = tests;
    for (const DecidedTest& each : tests) groups[GroupOf(each)].push_back(each);
    for (const auto& [group, of_group] : groups) {
      const auto add = [&](const char* name, const DedupScore& score) {
        methods_[{group, name}].Add(score);
      };
      DedupOptions options{.ignored = ignored_, .signatures = false};
      add("1 signatures alone", ScoreOfSignatures(of_group));
      add("2 paper (types alone)", ScoreOf(of_group, options));
      options.signatures = true;
      add("3 signatures, paper", ScoreOf(of_group, options));
      options.order = DedupOrder::kFurthest;
      add("4 signatures, furthest", ScoreOf(of_group, options));
      options.order = DedupOrder::kCauses;
      options.tuning = tuning;
      add("5 causes, tuned", ScoreOf(of_group, options));
    }
  }

  // The mean of the splits, and the interval that has 95 % of them.
  static std::string Interval(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    double sum = 0;
    for (const double value : values) sum += value;
    const size_t cut = values.size() / 40;
    return format("{:.1f} % [{:.0f}, {:.0f}]", 100 * sum / static_cast<double>(values.size()),
                  100 * values[cut], 100 * values[values.size() - 1 - cut]);
  }

  static void Print(const std::string& group, const std::string& name, const MethodScores& method) {
    std::vector<double> covered, duplicates;
    for (const DedupScore& score : method.scores) {
      covered.push_back(score.covered());
      duplicates.push_back(score.duplicate_share());
    }
    std::printf("%-18s %-24s %22s %22s\n", group.c_str(), name.c_str() + 2,
                Interval(std::move(covered)).c_str(), Interval(std::move(duplicates)).c_str());
  }

  void PrintRecommendations(const DedupOptions& options) const {
    std::vector<DedupTest> plain;
    for (const DecidedTest& each : tests_) plain.push_back(each.test);
    std::set<std::string> seen;
    for (const Recommendation& each : Recommend(plain, options)) {
      const std::string& bug = tests_[each.test].bug;
      std::printf("  %s %s (%s)\n", seen.insert(bug).second ? "new      " : "duplicate",
                  bug.c_str(), tests_[each.test].test.signature.c_str());
      std::map<std::string, size_t> others;
      for (const size_t other : each.stands_for) ++others[tests_[other].bug];
      for (const auto& [other, count] : others)
        std::printf("      %zu x %s\n", count, other.c_str());
    }
    for (const std::string& bug : bugs_) {
      if (!seen.contains(bug)) std::printf("  missed    %s\n", bug.c_str());
    }
  }

  Tests tests_;
  std::set<std::string> ignored_, bugs_;
  std::map<std::pair<std::string, std::string>, MethodScores> methods_;
};

// The tests that take part.
Tests Chosen(const Tests& all, const Arguments& given) {
  Tests chosen;
  std::map<std::string, size_t> counts;
  const auto takes_part = [&](const DecidedTest& test) {
    return !given.proved || !test.decided.starts_with("condition");
  };
  for (const DecidedTest& each : all) counts[each.bug] += takes_part(each);
  for (const DecidedTest& each : all) {
    if (takes_part(each) && counts[each.bug] >= given.least_tests) chosen.push_back(each);
  }
  return chosen;
}

int Collect(const Arguments& given) {
  const Result<Tests> tests = DecidedTestsIn(given.collect, given.decisions);
  if (!tests) {
    std::fprintf(stderr, "%s\n", tests.error().message.c_str());
    return 3;
  }
  std::fputs(WriteDecided(*tests).c_str(), stdout);
  return 0;
}

int Run(const Arguments& given) {
  Result<Tests> all = ReadDecided(given.file);
  Result<std::set<std::string>> ignored = ParseIgnoredTypes("ignored.txt", kIgnoredTypes);
  if (!all || !ignored) {
    std::fprintf(stderr, "%s\n", (all ? ignored.error() : all.error()).message.c_str());
    return 3;
  }
  Tests tests = Chosen(*all, given);
  if (tests.empty()) {
    std::fprintf(stderr, "%s: no tests\n", given.file.c_str());
    return 3;
  }
  Study study(std::move(tests), std::move(*ignored));
  study.PrintData();
  for (uint64_t seed = 1; seed <= given.splits; ++seed) study.RunSplit(seed);
  study.PrintTable();
  study.PrintShipped(given.verbose);
  if (study.Reaches(given.least_covered, given.most_duplicates)) return 0;
  std::printf("not reached: %llu %% of the bugs covered, at most %llu %% duplicates\n",
              static_cast<unsigned long long>(given.least_covered),
              static_cast<unsigned long long>(given.most_duplicates));
  return 1;
}

int Main(int argc, char** argv) {
  Arguments given;
  std::vector<std::string> words;
  bool understood = true;
  for (int i = 1; i < argc && understood; ++i) {
    uint64_t* number = std::strcmp(argv[i], "--splits") == 0            ? &given.splits
                       : std::strcmp(argv[i], "--least-covered") == 0   ? &given.least_covered
                       : std::strcmp(argv[i], "--most-duplicates") == 0 ? &given.most_duplicates
                       : std::strcmp(argv[i], "--least-tests") == 0     ? &given.least_tests
                                                                        : nullptr;
    if (std::strcmp(argv[i], "--verbose") == 0) {
      given.verbose = true;
    } else if (std::strcmp(argv[i], "--proved") == 0) {
      given.proved = true;
    } else if (number != nullptr) {
      understood = i + 1 < argc && ParseNumber(argv[++i], number) && *number > 0;
    } else {
      words.emplace_back(argv[i]);
    }
  }
  if (understood && words.size() == 3 && words[0] == "--collect") {
    given.collect = words[1];
    given.decisions = words[2];
    return Collect(given);
  }
  if (!understood || words.size() != 1 || words[0].starts_with("-")) {
    std::fprintf(stderr,
                 "usage: dedup_real FILE [--splits N] [--least-covered PERCENT] "
                 "[--most-duplicates PERCENT] [--verbose] [--proved] [--least-tests N]\n"
                 "       dedup_real --collect DIR DECISIONS\n");
    return 2;
  }
  given.file = words[0];
  return Run(given);
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  return refract::measure::Main(argc, argv);
}
