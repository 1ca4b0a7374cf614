// SPDX-License-Identifier: Apache-2.0
// What a campaign is given: modules, donors, targets and what is asked of them. Read and checked
// before anything is written.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/known_issues.h"
#include "campaign/schedule.h"
#include "campaign/store.h"
#include "engine/original.h"
#include "target/targets.h"
#include "donate/donor_shelf.h"

namespace refract::inline campaign {

/// What fleshed programs are called where a reference has its name; files have an extension.
inline constexpr char kFleshed[] = "flesh";

/// A reference, loaded.
struct CampaignSource {
  std::string name;  ///< below its folder: "column_sort.frag"; what tests and reports call it
  std::string file;  ///< where it was read from
  std::unique_ptr<const Original> original;
  std::string hash;  ///< of module, inputs and companion
};

/// A target with what it said it is.
struct CampaignTargetState {
  Target target;
  std::string version;
};

struct CampaignSetup {
  // What decides the outcome: a campaign is resumed only with the same (OptionsText).
  uint64_t seed = 0;
  std::vector<CampaignSource> sources;  ///< by name
  DonorShelf donors;
  size_t donated_functions = 0;  ///< of all of them
  std::string donors_hash;
  std::vector<CampaignTargetState> targets;
  uint32_t flesh = 0;  ///< percent of tests that are of fleshed programs (fleshed.h)
  bool fuel = false;   ///< all of these have fuel (flesh/fuel.h)
  uint32_t max_steps = 2000;
  double time_limit = 10;  ///< seconds of a run, at least
  uint32_t keep = 3;       ///< tests of a bucket
  uint32_t confirm = 3;    ///< runs of what is kept
  Shard shard;

  // What does not.
  std::string out;
  std::vector<KnownIssue> known;
  std::optional<uint64_t> tests;       ///< in all, also those of earlier parts
  std::optional<double> seconds;       ///< of this part
  std::optional<uint64_t> stop_after;  ///< findings of this part
  uint32_t jobs = 1;
  bool check_only = false;  ///< references only
  /// What of `refract fuzz` makes a test again, beside module and seed: " --donors DIR".
  std::string fuzz_arguments;
};

/// The plan of a test, and what its reference is called.
TestPlan PlanOf(const CampaignSetup& setup, uint64_t index);
const std::string& ReferenceName(const CampaignSetup& setup, const TestPlan& plan);

/// What a target that takes a seed (a list of passes that is drawn, ...) is in the test with that
/// seed; others, and those with a seed or passes of their own ("NAME:7"), are what they are. Of
/// such a target the original, too, is run in each test.
bool IsSeeded(const Target& target);
Target TargetOfTest(const Target& target, uint64_t seed);

/// Loads a module with its inputs and its companion, if they are beside it.
Result<CampaignSource> LoadSource(const std::string& name, const std::string& file);

/// All that decides the outcome, but for the seed: one JSON object, a key each.
std::string OptionsText(const CampaignSetup& setup);
/// The first key in which two such texts differ, and how, in words; empty: in none.
std::string OptionsDifference(const std::string& before, const std::string& now);

/// The store in setup.out, new or as it was left. With a store there the seed is the stored one, if
/// `seed` is not given. Refuses what was begun with other options, naming the first that differs.
Result<Store> OpenStore(CampaignSetup* setup, std::optional<uint64_t> seed);

}  // namespace refract::inline campaign
