// SPDX-License-Identifier: Apache-2.0
// Measures how good dedup is on tests of known bugs: for how many bugs it recommends a test, and
// how many recommendations are for a bug that has one already. The folder of a test (for a test
// folder, its parent folder) is called KIND.BUG or BUG. Each kind is also measured separately. The
// table also shows what types alone achieve. With --halves, N times a random half of the tests is
// left out, and the sum is printed, so that the result does not depend on a few tests.
//   dedup_quality DIR [--least-covered PERCENT] [--most-duplicates PERCENT] [--halves N]
//                 [--verbose]
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/text.h"
#include "dedup/failing_tests.h"
#include "dedup/ignored_types.h"
#include "dedup/recommend.h"

namespace refract::measure {
namespace {

struct Options {
  std::string folder;
  uint64_t least_covered = 0, most_duplicates = 100;  // percent; for --order furthest
  uint64_t halves = 0;
  bool verbose = false;
};

struct KnownTest {
  DedupTest test;
  std::string bug, kind;
};

struct Quality {
  size_t tests = 0, bugs = 0, recommended = 0, covered = 0;
  size_t duplicates() const { return recommended - covered; }
};

KnownTest Known(DedupTest test) {
  KnownTest known;
  known.bug = std::filesystem::path(test.path).parent_path().filename().string();
  const size_t dot = known.bug.find('.');
  if (dot != std::string::npos) {
    known.kind = known.bug.substr(0, dot);
  } else if (test.verdict) {
    known.kind = FailureClassName(*test.verdict);
  } else {
    known.kind = "all";
  }
  known.test = std::move(test);
  return known;
}

Quality Measure(const std::vector<KnownTest>& known, const DedupOptions& options, bool verbose) {
  std::vector<DedupTest> tests;
  std::set<std::string> bugs, covered;
  for (const KnownTest& each : known) {
    tests.push_back(each.test);
    bugs.insert(each.bug);
  }
  Quality quality{tests.size(), bugs.size(), 0, 0};
  for (const Recommendation& each : Recommend(tests, options)) {
    ++quality.recommended;
    const bool first = covered.insert(known[each.test].bug).second;
    if (!verbose) continue;
    std::string types;
    for (const std::string& type : each.types) types += " " + type;
    std::printf("    %s %s:%s\n", first ? "new      " : "duplicate", known[each.test].bug.c_str(),
                types.c_str());
  }
  quality.covered = covered.size();
  if (verbose) {
    for (const std::string& bug : bugs) {
      if (!covered.contains(bug)) std::printf("    missed    %s\n", bug.c_str());
    }
  }
  return quality;
}

// Each method gets the same halves.
Quality MeasureHalves(const std::vector<KnownTest>& known, const DedupOptions& options,
                      uint64_t halves) {
  Quality sum;
  for (uint64_t seed = 1; seed <= halves; ++seed) {
    Random random(seed);
    std::vector<KnownTest> half = known;
    while (2 * half.size() > known.size()) {
      std::swap(half[random.Below(half.size())], half.back());
      half.pop_back();
    }
    const Quality quality = Measure(half, options, false);
    sum.tests += quality.tests;
    sum.bugs += quality.bugs;
    sum.recommended += quality.recommended;
    sum.covered += quality.covered;
  }
  return sum;
}

double Percent(size_t part, size_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void Print(const std::string& kind, const std::string& how, const Quality& quality) {
  std::printf(
      "%-15s %-22s %5zu tests %4zu bugs %4zu recommended; covered %4zu (%3.0f %%), "
      "duplicates %4zu (%3.0f %%)\n",
      kind.c_str(), how.c_str(), quality.tests, quality.bugs, quality.recommended, quality.covered,
      Percent(quality.covered, quality.bugs), quality.duplicates(),
      Percent(quality.duplicates(), quality.recommended));
}

struct DedupMethod {
  std::string name;
  DedupOptions options;
};

std::vector<DedupMethod> DedupMethods(const std::set<std::string>& ignored) {
  std::vector<DedupMethod> methods;
  for (const bool signatures : {false, true}) {
    const std::string first = signatures ? "signatures" : "types";
    DedupOptions options{.ignored = ignored, .signatures = signatures};
    methods.push_back({first + ", paper", options});
    options.order = DedupOrder::kFurthest;
    methods.push_back({first + ", furthest", options});
  }
  return methods;
}

int Run(const Options& options) {
  Result<DedupTests> found = FindTests(options.folder);
  if (!found) {
    std::fprintf(stderr, "%s\n", found.error().message.c_str());
    return 1;
  }
  for (const std::string& what : found->left_out)
    std::fprintf(stderr, "left out: %s\n", what.c_str());
  std::map<std::string, std::vector<KnownTest>> kinds;
  for (DedupTest& test : found->tests) {
    KnownTest known = Known(std::move(test));
    kinds["all"].push_back(known);
    if (known.kind != "all") kinds[known.kind].push_back(std::move(known));
  }
  const Result<std::set<std::string>> ignored = ParseIgnoredTypes("ignored.txt", kIgnoredTypes);
  if (!ignored || kinds.empty()) {
    std::fprintf(stderr, "%s: no tests\n", options.folder.c_str());
    return 1;
  }
  bool reached = true;
  for (const auto& [kind, tests] : kinds) {
    for (const DedupMethod& method : DedupMethods(*ignored)) {
      const bool main = kind == "all" && method.options.signatures &&
                        method.options.order == DedupOrder::kFurthest;
      const Quality quality = options.halves > 0
                                  ? MeasureHalves(tests, method.options, options.halves)
                                  : Measure(tests, method.options, main && options.verbose);
      Print(kind, method.name, quality);
      if (!main) continue;
      reached = 100 * quality.covered >= options.least_covered * quality.bugs &&
                100 * quality.duplicates() <= options.most_duplicates * quality.recommended;
    }
  }
  if (!reached) {
    std::printf("not reached: %llu %% of the bugs covered, at most %llu %% duplicates\n",
                static_cast<unsigned long long>(options.least_covered),
                static_cast<unsigned long long>(options.most_duplicates));
  }
  return reached ? 0 : 1;
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    uint64_t* number = std::strcmp(argv[i], "--least-covered") == 0     ? &options.least_covered
                       : std::strcmp(argv[i], "--most-duplicates") == 0 ? &options.most_duplicates
                       : std::strcmp(argv[i], "--halves") == 0          ? &options.halves
                                                                        : nullptr;
    if (std::strcmp(argv[i], "--verbose") == 0) {
      options.verbose = true;
    } else if (number != nullptr && i + 1 < argc && ParseNumber(argv[i + 1], number)) {
      ++i;
    } else if (argv[i][0] != '-' && options.folder.empty()) {
      options.folder = argv[i];
    } else {
      options.folder.clear();
      break;
    }
  }
  if (options.folder.empty()) {
    std::fprintf(stderr,
                 "usage: dedup_quality DIR [--least-covered PERCENT] [--most-duplicates PERCENT] "
                 "[--halves N] [--verbose]\n");
    return 2;
  }
  return Run(options);
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  return refract::measure::Main(argc, argv);
}
