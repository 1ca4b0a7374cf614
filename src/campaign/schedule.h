// SPDX-License-Identifier: Apache-2.0
// The tests of a campaign. Test i depends only on the campaign's seed and on i: it is the same on
// every machine, on any number of cores, whatever ran before it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract {
inline namespace campaign {

/// The kinds of programs with known output that tests run instead of references
/// (programs/test_program.h).
enum class ProgramKind : uint8_t { kControlFlow, kGenerated };

/// What a test runs.
struct TestPlan {
  size_t reference = 0;  ///< index of the reference; with a program: 0
  uint64_t seed = 0;     ///< for `refract fuzz --seed`: determines passes, chances and donors
  std::optional<ProgramKind> program;  ///< a program drawn with the seed replaces the reference
  bool varied = true;                  ///< a variant runs; false: a program itself runs
  bool original = false;               ///< the reference itself runs (original_tests.h)
  std::vector<std::string> preferred = {};  ///< FuzzOptions::preferred, by feedback (feedback.h)
};

/// Percent of the tests that run programs. The sum is at most 100.
struct ProgramShares {
  uint32_t flesh = 0;     ///< control-flow programs
  uint32_t generate = 0;  ///< generated programs
  uint32_t sum() const { return flesh + generate; }
};

/// The plan of test `index`. Each reference has one test in each round of `references` consecutive
/// tests. `first_round` has the order of the first round; empty: it is shuffled like the others.
/// But some tests run programs, and replace the test of a reference: `shares` of all tests. If
/// there is no reference, all tests do; `shares` is then all control-flow programs, or sums up to
/// 100.
TestPlan PlanTest(uint64_t campaign_seed, uint64_t index, size_t references,
                  ProgramShares shares = {}, std::span<const size_t> first_round = {});

/// The part of the tests that one of several machines runs: those whose index is `number` - 1
/// modulo `of`.
struct Shard {
  uint64_t number = 1, of = 1;
  bool Has(uint64_t index) const { return index % of == number - 1; }
};
/// Parses "2/4".
Result<Shard> ParseShard(const std::string& text);

/// Parses "90", "90s", "8m" or "1.5h" to seconds; nullopt for any other text.
std::optional<double> ParseDuration(std::string_view text);

}  // namespace campaign
}  // namespace refract
