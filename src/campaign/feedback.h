// SPDX-License-Identifier: Apache-2.0
// Feedback of coverage (`campaign --coverage`): each test also runs on a target that was built with
// counters, and what was new there decides which tests come later.
//
// The tests are divided into rounds of a fixed number. When all tests of round r have ended, they
// are looked at in their order, whatever order they ran in: a test is a hit if it ran a block that
// no earlier test ran. The hits decide the tests of round r + 2, so that the threads that are ready
// begin round r + 1 and do not wait. So the seed determines the tests, for any number of jobs.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/schedule.h"
#include "coverage/counted_targets.h"
#include "driver/run.h"

namespace refract {
inline namespace campaign {

struct CampaignSetup;
class Store;

/// Tests in a round, unless --round says otherwise.
inline constexpr uint64_t kTestsPerRound = 50;

/// How often something was used, and in how many hits. Both are in sixteenths. Each use takes an
/// eighth from what was before, so that what was lately counts most.
struct HitRate {
  uint64_t hits = 0, uses = 0;
  void Add(bool hit);
  /// Of drawing it: the square of the share of hits, with one more use that was a hit. So nothing
  /// is put back only because it did not have its turn yet.
  uint64_t weight() const;
};

/// The seed of a hit, which is drawn again with other references: with the same seed, `refract
/// fuzz` uses the same fuzzer passes.
struct HitSeed {
  uint64_t seed = 0;
  size_t reference = 0;
};

/// What a campaign knows after a number of rounds.
struct FeedbackState {
  std::string program;    ///< identifies the build (BlocksHash)
  uint64_t rounds = 0;    ///< that ended
  std::vector<bool> ran;  ///< blocks that any test ran
  std::vector<HitRate> references;
  std::map<std::string, HitRate> types;  ///< transformation types
  std::vector<HitSeed> seeds;            ///< the newest last
  uint64_t lines = 0, all_lines = 0;     ///< lines that ran; lines with code
  uint64_t new_lines = 0;                ///< of them, in the last round
};
/// One JSON object; and its content, if it is one.
std::string FeedbackText(const FeedbackState& state);
Result<FeedbackState> ParseFeedback(const std::string& text);

/// The plan of a test after the rounds of `state`. `plan` is that of a campaign without feedback,
/// whose reference stays if it had no test yet.
TestPlan PlanByFeedback(const FeedbackState& state, uint64_t campaign_seed, uint64_t index,
                        TestPlan plan);

/// What a test ran, until its round ended.
struct TestBlocks {
  uint64_t test = 0;
  std::vector<uint32_t> blocks;    ///< those that were new when it ran, ascending
  std::vector<std::string> types;  ///< its transformation types
};
/// The plan of a test that feedback decided.
struct FeedbackPlan {
  uint64_t test = 0;
  TestPlan plan;  ///< reference, seed and preferred
};

/// The feedback of a campaign. Several threads may use it.
class CoverageFeedback {
 public:
  /// The arguments of CountedTargets, the number of tests in a round, and a hash of the program or
  /// library that was built. Without `decides`, it only counts what ran, and all tests are those of
  /// a campaign without feedback.
  CoverageFeedback(const std::string& folder, const CoverageBuild& build, const std::string& target,
                   const std::vector<std::string>& files, uint64_t tests_per_round,
                   std::string program_hash, bool decides)
      : targets_(folder, build, target, files),
        per_round_(tests_per_round),
        program_hash_(std::move(program_hash)),
        decides_(decides) {}

  const std::string& target() const { return targets_.name(); }
  uint64_t tests_per_round() const { return per_round_; }
  const std::string& program_hash() const { return program_hash_; }
  bool decides() const { return decides_; }

  /// Reads what an earlier start of the campaign stored. `done` are the tests that ended.
  Status Begin(const CampaignSetup& setup, Store& store, const std::set<uint64_t>& done);
  /// The plan of a test.
  TestPlan PlanOf(uint64_t index) const;
  /// Whether the plan of the test is decided.
  bool MayStart(uint64_t index) const;
  /// Runs the module of a test, and stores what it ran. Must come before the test is stored.
  Status Run(uint64_t index, const std::vector<std::string>& types, Job job);
  /// Notes that a test ended, or that its reference is put aside.
  Status Finish(uint64_t index);
  /// Ends all runs under way. What they ran must be discarded.
  void Stop() { targets_.harness().Stop(); }

 private:
  TestPlan Decided(uint64_t index) const;
  Status CloseRounds();
  Status CloseRound(const std::map<uint64_t, TestBlocks>& ran);

  CountedTargets targets_;
  const uint64_t per_round_;
  const std::string program_hash_;
  const bool decides_;
  const CampaignSetup* setup_ = nullptr;
  Store* store_ = nullptr;
  mutable std::mutex mutex_;  // for all below
  FeedbackState state_;
  std::set<uint64_t> finished_;  // of rounds that did not end
  std::map<uint64_t, TestPlan> plans_;
};

}  // namespace campaign
}  // namespace refract
