// SPDX-License-Identifier: Apache-2.0
// Which of many failing tests are worth a look, so that each bug is looked at once. A guess, as far
// as step types decide: after "Test-Case Reduction and Deduplication Almost for Free with
// Transformation-Based Compiler Testing" (Donaldson et al., PLDI 2021), 2.1 and 3.5, and "Taming
// Compiler Fuzzers" (Chen et al., PLDI 2013); docs/dedup.md says what is ours.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "dedup/tests.h"

namespace refract::inline dedup {

enum class DedupOrder {
  kPaper,     ///< the published algorithm: fewest types first, no two that share one
  kFurthest,  ///< what many tests have in common, too, is a bug; most different first
};

struct Recommendation {
  size_t test = 0;                 ///< index of the test
  std::vector<std::string> types;  ///< those that count
  std::vector<size_t> stands_for;  ///< others that are taken for the same bug, by path
};

struct DedupOptions {
  DedupOrder order = DedupOrder::kPaper;
  std::set<std::string> ignored;  ///< types (ignored_types.h)
  bool signatures = true;         ///< off, to measure only: types decide alone
};

/// Every test is recommended or stood for, once. Does not depend on the order of `tests`, whose
/// paths differ.
std::vector<Recommendation> Recommend(const std::vector<DedupTest>& tests,
                                      const DedupOptions& options);

/// Whether the signature says enough of the cause that tests which share it show one bug: it has a
/// key beyond a signal or an exit code.
bool SaysCause(const DedupTest& test);

/// The types that count: those not ignored; all, if none would be left.
std::vector<std::string> CountedTypes(const DedupTest& test, const std::set<std::string>& ignored);

}  // namespace refract::inline dedup
