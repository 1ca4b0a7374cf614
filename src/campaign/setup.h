// SPDX-License-Identifier: Apache-2.0
// The setup of a campaign: modules, donors, targets and options. They are read and checked before
// anything is written.
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
#include "campaign/store/store.h"
#include "donate/donor_pool.h"
#include "engine/original.h"
#include "image/comparison_rule.h"
#include "target/targets.h"

namespace refract {
inline namespace campaign {

/// The reference names of tests that run programs: the verbs that make the programs. Names of files
/// have an extension, so no file has these names.
inline constexpr char kControlFlowPrograms[] = "flesh";
inline constexpr char kGeneratedPrograms[] = "generate";
/// The reference name of tests that run programs of that kind.
const std::string& ReferenceName(ProgramKind kind);
/// Whether tests with this reference name run programs.
bool IsProgramReference(std::string_view name);

/// A reference that was loaded.
struct CampaignSource {
  std::string name;  ///< path below its folder: "column_sort.frag"; used in tests and reports
  std::string file;  ///< where it was read from
  std::unique_ptr<const Original> original;
  std::string hash;   ///< of module, inputs and companion
  uint64_t cost = 0;  ///< CostOf (reference_cost.h)
};

/// A reference that cannot be loaded, with the reason.
struct SkippedReference {
  std::string name;
  std::string why;  ///< the whole error, perhaps of several lines
};

/// A target, with the version that it reports.
struct VersionedTarget {
  Target target;
  std::string version;
};

class CoverageFeedback;

/// All that a campaign needs to run.
struct CampaignSetup {
  // Options that determine the results: a campaign is continued only with the same (OptionsText).
  uint64_t seed = 0;
  std::vector<CampaignSource> sources;  ///< by name
  std::vector<size_t> first_round;      ///< OrderByCost of `sources`
  std::optional<uint64_t> sample;       ///< this number of references was chosen by the seed
  bool zero_inputs = false;             ///< missing inputs of references are zero
  DonorPool donors;
  size_t donated_functions = 0;  ///< number in all donors
  std::string donors_hash;
  std::vector<VersionedTarget> targets;
  ProgramShares shares;  ///< of tests that run programs
  bool fuel = false;     ///< all control-flow programs have fuel (flesh/fuel.h)
  uint32_t max_steps = 2000;
  std::vector<std::string> passes;  ///< the only fuzzer passes; empty: each variant draws some
  /// Percent of the variants that have all passes. The others have a random subset, so that one
  /// kind of step does not hide what another shows.
  uint32_t all_passes = 0;
  bool float_identities = false;  ///< also use the family `float` (FuzzOptions)
  bool recommendations = true;    ///< prefer the passes that the last pass recommends
  double time_limit = 10;         ///< shortest time limit of a run, in seconds
  uint32_t keep = 3;              ///< number of tests to keep in a bucket
  uint32_t confirm = 3;           ///< number of runs that confirm a kept test
  Thresholds thresholds;          ///< of the rules by which outputs are compared
  Shard shard;
  std::shared_ptr<CoverageFeedback> feedback;  ///< null: none. It begins with the campaign

  // Options that do not.
  std::string out;
  std::vector<SkippedReference> skipped;  ///< by name
  std::vector<KnownIssue> known;
  std::optional<uint64_t> tests;       ///< limit for all parts together
  std::optional<double> seconds;       ///< time limit of this part
  std::optional<uint64_t> stop_after;  ///< number of findings after which this part ends
  uint32_t jobs = 1;
  bool check_only = false;   ///< only check the references
  bool reduce_only = false;  ///< run no tests; only confirm and reduce what is left
  /// The arguments of `refract fuzz` that make a test again, in addition to module and seed: "
  /// --donors DIR".
  std::string fuzz_arguments;
  /// The command line and its working folder, for the event "begin": `campaign --reduce-only` uses
  /// them again.
  std::vector<std::string> arguments;
  std::string folder;
};

/// The names of all targets of the campaign.
std::vector<std::string> TargetNames(const CampaignSetup& setup);
/// The target of the campaign with this name; null if not found.
const VersionedTarget* TargetNamed(const CampaignSetup& setup, const std::string& name);

/// The plan of a test, also of the test of an original (original_tests.h); and the name of its
/// reference, or that of its kind of program.
TestPlan PlanOf(const CampaignSetup& setup, uint64_t index);
/// The same for a campaign without feedback.
TestPlan PlanWithoutFeedback(const CampaignSetup& setup, uint64_t index);
const std::string& ReferenceName(const CampaignSetup& setup, const TestPlan& plan);

/// Whether a target takes the seed of each test, for example to draw a list of passes. A target
/// with its own seed or passes ("NAME:7") does not. If a variant fails with a seed, the original
/// runs with the same seed too.
bool IsSeeded(const Target& target);
/// The target with the seed of a test; the same target if it takes none.
Target TargetOfTest(const Target& target, uint64_t seed);

/// Loads a module, with its inputs and its companion if they are in the same folder.
Result<CampaignSource> LoadSource(const std::string& name, const std::string& file);

/// All options that determine the results, except the seed, as one JSON object.
std::string OptionsText(const CampaignSetup& setup);
/// Describes the first key in which two such texts differ. Empty if they are equal.
std::string OptionsDifference(const std::string& before, const std::string& now);

/// The seed of the campaign in `out`, or `given`, or a random one.
Result<uint64_t> SeedOfCampaign(const std::string& out, std::optional<uint64_t> given);
/// A percentage among the options of the campaign in `out`, such as "generate" or "all_passes". It
/// is 0 in campaigns of versions without this option; nullopt if there is no campaign.
Result<std::optional<uint32_t>> PercentOfCampaign(const std::string& out, const char* option);

/// Opens the store in setup.out, or creates it. Sets setup->seed to that of the store; a new store
/// takes `seed`, or a random one. If the stored campaign has another seed or other options, the
/// error names the first difference.
Result<Store> OpenStore(CampaignSetup* setup, std::optional<uint64_t> seed);

}  // namespace campaign
}  // namespace refract
