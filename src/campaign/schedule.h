// SPDX-License-Identifier: Apache-2.0
// Which tests a campaign has. Test i follows from the campaign's seed and i alone: the same on
// every machine, whatever ran before it and on however many cores.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace refract::inline campaign {

struct TestPlan {
  size_t reference = 0;  ///< among the campaign's, by name; fleshed: 0
  uint64_t seed = 0;     ///< `refract fuzz --seed`: passes, their chances and donors follow from it
  bool fleshed = false;  ///< a program that is drawn with the seed stands in for the reference
  bool varied = true;    ///< a variant of it is run; else, sometimes if it is fleshed, it itself
};

/// Test `index`. Of any so many tests in a row that begin at a multiple of `references`, each
/// reference has one, but that `flesh` percent of all tests, or all if there is no reference, are
/// fleshed, whose references go without.
TestPlan PlanTest(uint64_t campaign_seed, uint64_t index, size_t references, uint32_t flesh = 0);

/// One of several machines: it has the tests whose index is `number` - 1 modulo `of`.
struct Shard {
  uint64_t number = 1, of = 1;
  bool Has(uint64_t index) const { return index % of == number - 1; }
};
/// "2/4"
Result<Shard> ParseShard(const std::string& text);

/// Seconds from "90", "90s", "8m" or "1.5h"; nullopt if it is no duration.
std::optional<double> ParseDuration(std::string_view text);

}  // namespace refract::inline campaign
