// SPDX-License-Identifier: Apache-2.0
// Searches for the tuning of `--order causes` with which dedup does best on tests whose causes are
// known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "dedup/recommend.h"
#include "measure/dedup_data.h"

namespace refract::measure {

/// How good recommendations are. Duplicates are reports minus distinct bugs (as in the paper).
struct DedupScore {
  size_t bugs = 0, reports = 0, distinct = 0;
  size_t duplicates() const { return reports - distinct; }
  double covered() const;          ///< distinct / bugs
  double duplicate_share() const;  ///< duplicates / reports
  /// What the search maximises: each duplicate costs as much as a missed bug.
  int64_t Value() const;
  DedupScore& operator+=(const DedupScore& other);
};

/// What Recommend achieves on these tests.
DedupScore ScoreOf(const std::vector<DecidedTest>& tests, const DedupOptions& options);

/// The tunings that TuneOn tries: five sets of weights with seven limits each.
std::vector<DedupTuning> Tunings();

/// The tuning with the best result on the tests and on three random subsets of them together; of
/// equal ones, the first. The subsets (two thirds of the tests of each bug, chosen by `seed`) make
/// a tuning that fits single tests less likely.
DedupTuning TuneOn(const std::vector<DecidedTest>& tests, const std::set<std::string>& ignored,
                   uint64_t seed);

/// "kind 1, place 2, ..., same 400".
std::string TextOf(const DedupTuning& tuning);

}  // namespace refract::measure
