// SPDX-License-Identifier: Apache-2.0
// Selects which of many failing tests to investigate, so that each bug is investigated once. The
// selection is a heuristic where it depends on step types. It follows "Test-Case Reduction and
// Deduplication Almost for Free with Transformation-Based Compiler Testing" (Donaldson et al., PLDI
// 2021), 2.1 and 3.5, and "Taming Compiler Fuzzers" (Chen et al., PLDI 2013). docs/dedup.md says
// what differs from them.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "dedup/failing_tests.h"
#include "dedup/similarity.h"

namespace refract {
inline namespace dedup {

/// Which tests are recommended, and in which order.
enum class DedupOrder {
  kPaper,     ///< the published algorithm: fewest types first, no two tests share a type
  kFurthest,  ///< also recommends groups of similar tests; most different first
  kCauses,    ///< groups of tests that are similar in all features; most different first
};

/// A recommended test, and the tests that it stands for.
struct Recommendation {
  size_t test = 0;                 ///< index of the test
  std::vector<std::string> types;  ///< its RelevantTypes
  std::vector<size_t> stands_for;  ///< tests that seem to show the same bug, by path
};

/// The tuning of kCauses. docs/measurements/dedup.md says how it was chosen.
extern const DedupTuning kTunedOnRealBugs;

struct DedupOptions {
  DedupOrder order = DedupOrder::kPaper;
  std::set<std::string> ignored;          ///< types (ignored_types.h)
  bool signatures = true;                 ///< false, only for measurements: types alone decide
  DedupTuning tuning = kTunedOnRealBugs;  ///< of kCauses
};

/// Each test is either recommended, or one recommended test stands for it. The result does not
/// depend on the order of `tests`, which must have different paths.
std::vector<Recommendation> Recommend(const std::vector<DedupTest>& tests,
                                      const DedupOptions& options);

/// Whether the signature says so much about the cause that all tests with it show one bug: it has a
/// key that is more than a signal or an exit code.
bool HasSpecificSignature(const DedupTest& test);

/// The types of the test that are not ignored; all its types if all are ignored.
std::vector<std::string> RelevantTypes(const DedupTest& test, const std::set<std::string>& ignored);

/// The indices of the tests in the order in which a test of a group is recommended: few types and
/// steps first.
std::vector<size_t> SimplestFirst(const std::vector<DedupTest>& tests,
                                  const std::set<std::string>& ignored);

}  // namespace dedup
}  // namespace refract
