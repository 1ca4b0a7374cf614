// SPDX-License-Identifier: Apache-2.0
// The store: what a campaign has done, in OUT/campaign.sqlite. The schedule, the reductions, the
// report and the merge all read and write it. Everything else in OUT (test folders, stats.json,
// events.jsonl, the report) can be made again from the store and the inputs of the campaign.
//
// The store is safe against kill -9 and a full disk. What belongs together (a test with its
// outcomes, their buckets and the events about them) is one transaction in a write-ahead log. A
// write to a full disk fails with an error that names the file (exit code 1). Committed
// transactions stay.
//
// One process writes (Store::Create, Store::Open). Others may read at the same time (Store::Read).
// Several threads may use one Store at once.
//
// Times are in seconds that the campaign has worked, over all its parts: a campaign that ran for 60
// seconds and continues the next day continues at 60.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/states.h"

namespace refract {
inline namespace campaign {

class Database;
struct FeedbackPlan;
struct TestBlocks;

inline constexpr uint32_t kStoreFormat = 2;
inline constexpr char kStoreFile[] = "campaign.sqlite";  ///< in OUT

/// The campaign: its seed, its options, and how long it has worked.
struct CampaignInfo {
  uint64_t seed = 0;
  /// One JSON object (OptionsText of setup.h) with all options that determine which tests there are
  /// and how they run. A campaign is continued only with the same options.
  std::string options;
  std::string tool, commit;  ///< version of refract that began the campaign
  uint32_t format = kStoreFormat;
  double seconds = 0;  ///< that the campaign has worked so far
  uint32_t parts = 0;  ///< how often the campaign was started
};

/// A reference, and what the interpreter found for it. The name identifies it within a campaign.
/// The results are for the module and inputs with this hash.
struct CampaignReference {
  int64_t id = 0;
  std::string name;  ///< path below the folder of references: "column_sort.frag"
  std::string hash;  ///< of module and inputs
  ReferenceStability stability = ReferenceStability::kUnknown;
  /// Outputs of it and of its variants are not compared: it is unstable, undefined, unknown or not
  /// deterministic.
  bool crash_only = false;
  std::string detail;  ///< the reason, as text; may be empty
};

/// A target of the campaign.
struct CampaignTarget {
  int64_t id = 0;
  std::string name;
  std::string kind;     ///< TargetKindName
  std::string version;  ///< one line; as of the last start of the campaign
};

/// The result of three runs of a reference on a target.
struct Baseline {
  std::string reference, target;  ///< names
  BaselineState state = BaselineState::kOk;
  std::string outputs_hash;  ///< OutputsHash; empty if nothing can be compared
  double seconds = 0;        ///< of the slowest run
  std::string detail;        ///< why the state is not ok: a reason, or the signature of the failure
};

/// The outcome of a test on a target.
struct Outcome {
  std::string target;  ///< name; kRefractTarget for a fault of Refract (retrying_runner.h)
  OutcomeVerdict verdict;
  std::string signature;  ///< empty if ok
  double seconds = 0;
  /// The tool of the target that failed, or the driver that draws. Empty: the target as a whole, or
  /// an outcome that was read from a store; its bucket has the stage.
  std::string stage = {};
  int64_t bucket = 0;  ///< id of its bucket; 0 if ok or not filed yet
};

/// A test: a variant of a reference or a control-flow program, run on all targets.
struct CampaignTest {
  uint64_t index = 0;      ///< with the campaign's seed, determines the test
  std::string reference;   ///< name
  uint64_t seed = 0;       ///< `refract fuzz --seed`
  uint32_t steps = 0;      ///< number of steps in its recording
  uint32_t words = 0;      ///< size of the module
  double seconds = 0;      ///< time of the whole test
  double own_seconds = 0;  ///< time in Refract's own code, without targets
  double at = 0;           ///< when it ended
  std::vector<Outcome> outcomes;
  /// The transformation types of its steps, each once. They are stored for all tests together, so
  /// a test that was read from a store has none.
  std::vector<std::string> types = {};
};

/// The tests that fail in the same stage with the same signature. If a driver crashes, that is one
/// bucket, whichever tools made the module; if a tool fails, that is one bucket, whichever driver
/// draws its output. The signature of a wrong output says little. Wrong outputs are therefore
/// separated further by what the reduction leaves of them: such a bucket has a `sub`.
struct Bucket {
  int64_t id = 0;
  std::string stage;  ///< a driver, a tool, or a target as a whole
  std::string signature;
  FailureClass verdict = FailureClass::kUnknown;
  /// Empty: the bucket of all tests with this signature, which counts all of them. Else (wrong
  /// outputs): shader stage and step types after the reduction, "fragment: add_dead_break,
  /// split_block". Such a bucket counts only reduced tests, which have moved there from buckets
  /// without `sub`. Its stage is to blame, and its signature is that of its first test.
  std::string sub;
  uint64_t first_test = 0;
  double first_seen = 0;
  double last_seen = 0;
  uint64_t count = 0;  ///< number of tests; a test counts once for all targets
  /// A fault of Refract, not of a target: an invalid or wrong variant, or any failure of `interp`.
  bool own = false;
  /// Counted but never reported: unsupported, slow, out of memory, target not usable.
  bool counted_only = false;
  std::string known;   ///< name of the known issue that matches; empty: none
  bool muted = false;  ///< its folder had NOT_INTERESTING at the last check
  std::string folder;  ///< relative to OUT: "buckets/lavapipe/crash-...-1a2b3c4d"
};

/// A test that is kept: it is confirmed and reduced, and has a test folder.
struct KeptTest {
  int64_t id = 0;
  int64_t bucket = 0;
  uint64_t test = 0;
  std::string target;  ///< on which it runs: the first that showed the failure
  KeptState state = KeptState::kFound;
  uint32_t runs = 0, confirmed = 0;  ///< how often it ran again, and how many of these runs failed
  uint32_t steps = 0, reduced_steps = 0;  ///< of the recording, before and after reducing
  uint64_t instructions = 0;              ///< that differ from the original, after reducing
  bool minimal = false;
  std::vector<std::string> types;  ///< step types after reducing, each once, sorted
  double seconds = 0;              ///< time of the reduction
  bool recommended = false;        ///< dedup recommends it
  std::string folder;              ///< of the test, relative to OUT; empty: not written yet
  std::string blame;               ///< what is to blame, as text; empty: not known
  std::string detail;              ///< of state kFailed: the reason
};

/// An event: a line of events.jsonl.
struct CampaignEvent {
  int64_t id = 0;  ///< from 1, without gaps
  double at = 0;
  std::string json;  ///< one object, without a newline (docs/campaign.md lists them)
};

/// How often a verdict occurred on a target.
struct VerdictCount {
  std::string target;
  OutcomeVerdict verdict;
  uint64_t count = 0;
  double seconds = 0;  ///< of all these runs together
};

/// The number of tests of a bucket that failed on a target.
struct BucketTargetCount {
  int64_t bucket = 0;
  std::string target;
  uint64_t count = 0;
};

/// The tests that ended in one of the equal intervals into which the time of a campaign is divided.
struct IntervalCount {
  uint64_t tests = 0;  ///< without the tests of originals
  /// Tests with a failure in a bucket that is not counted_only, also tests of originals.
  uint64_t failing = 0;
};

/// The result of adding a test to the store.
struct Added {
  std::vector<Bucket> new_buckets;
  std::vector<KeptTest> kept;  ///< new kept tests, one for each outcome that is kept
};

/// How to file a failing outcome.
struct Filing {
  std::string stage;  ///< of the bucket; empty: the outcome's target
  bool own = false;
  bool counted_only = false;
  std::string known;
  std::string folder;  ///< of the bucket, if it is new
  uint32_t keep = 3;   ///< number of tests to keep in the bucket; 0: none
};

/// The result of moving a test to a bucket with a `sub`.
struct Moved {
  Bucket bucket;
  bool is_new = false;  ///< the bucket
  bool kept = true;     ///< false: the bucket has enough tests
};

/// The open store of a campaign.
class Store {
 public:
  /// Creates a store. An error if the file exists.
  static Result<Store> Create(const std::string& path, const CampaignInfo& info);
  /// Opens a store to continue its campaign. An error for other files and other formats.
  static Result<Store> Open(const std::string& path);
  /// Opens a store only to read it, also while a campaign runs.
  static Result<Store> Read(const std::string& path);
  Store(Store&& other) noexcept;
  ~Store();

  // --- Reading.
  Result<CampaignInfo> Info();
  Result<std::vector<CampaignTarget>> Targets();        ///< in the order of --targets
  Result<std::vector<CampaignReference>> References();  ///< by name
  Result<std::vector<Baseline>> Baselines();            ///< by reference, target
  Result<std::vector<Bucket>> Buckets();  ///< in the order in which they were first seen
  Result<std::vector<KeptTest>> Kept();   ///< by bucket, then test
  Result<std::vector<CampaignEvent>> Events(int64_t after = 0);
  /// By target, verdict; without the tests of originals.
  Result<std::vector<VerdictCount>> Verdicts();
  /// By bucket, target; only buckets without a sub.
  Result<std::vector<BucketTargetCount>> BucketTargetCounts();
  /// Calls `visit` for each test that is not that of an original (original_tests.h), in the order
  /// of the indices, without outcomes that are ok.
  Status ForEachTest(const std::function<void(const CampaignTest&)>& visit);
  Result<CampaignTest> Test(uint64_t index);
  /// The indices of all tests, ascending. Those of originals come last.
  Result<std::vector<uint64_t>> TestIndices();
  /// The transformation types of the steps of all tests, sorted. Tests that earlier versions of
  /// Refract made are not included.
  Result<std::vector<std::string>> StepTypes();
  /// The number of tests without those of originals, and their time: all of it, and that in
  /// Refract's own code.
  struct Totals {
    uint64_t tests = 0;
    double seconds = 0, own_seconds = 0;
    double last_new_bucket = 0;  ///< first_seen of the newest bucket that is not counted_only
  };
  Result<Totals> ReadTotals();
  /// The tests in each of `intervals` equal parts of the seconds that the campaign has worked.
  Result<std::vector<IntervalCount>> TestsOverTime(uint32_t intervals);

  // --- Writing. Each call is one transaction, which is committed when the call returns.
  Status SetTargets(const std::vector<CampaignTarget>& targets);
  Status SetReference(const CampaignReference& reference);
  Status SetBaseline(const Baseline& baseline);
  /// BeginPart counts one more part. SetSeconds stores how long the campaign has worked until now.
  Status BeginPart();
  Status SetSeconds(double seconds);
  /// Adds a test with its outcomes. `file` says how to file each failing outcome. Outcomes of the
  /// same stage with the same signature are counted and kept once. If the store has the test
  /// already, this changes nothing. But the test of an original gets its new outcomes, because it
  /// runs on one target after the other.
  Result<Added> AddTest(const CampaignTest& test,
                        const std::function<Filing(const Outcome&)>& file);
  Status AddStepTypes(const std::vector<std::string>& types);
  /// Replaces all members except id, bucket, test, target and recommended.
  Status UpdateKept(const KeptTest& kept);
  Status SetRecommended(int64_t kept, bool recommended);
  /// Moves a kept test from the bucket of its signature to the one with that `sub` and `stage`,
  /// and counts it there. No stage: that of its bucket. The signature may be another: wrong images
  /// and wrong buffers of one stage, and the targets that run this stage, have such a bucket in
  /// common. The bucket is created with that folder if needed. If it has `keep` tests already, the
  /// test is only counted and no longer kept. If it has this test already, from another target, the
  /// test is not counted again either.
  Result<Moved> MoveKept(int64_t kept, const std::string& sub, const std::string& folder,
                         double now, uint32_t keep, const std::string& stage = {});
  Status SetMuted(int64_t bucket, bool muted);
  Status SetKnown(int64_t bucket, const std::string& known);
  Status AddEvent(double at, const std::string& json);

  // --- Feedback (feedback.h).
  Status BeginFeedback();          ///< makes the tables
  Result<std::string> Feedback();  ///< the state as text; empty if no round has ended
  Result<std::vector<FeedbackPlan>> FeedbackPlans();
  Status SetTestBlocks(const TestBlocks& ran);
  Result<std::vector<TestBlocks>> TestBlocksBefore(uint64_t end);
  /// Stores the state after a round and the plans that it decided, and removes the blocks of tests
  /// before `end`.
  Status EndFeedbackRound(const std::string& state, const std::vector<FeedbackPlan>& plans,
                          uint64_t end);

 private:
  explicit Store(std::unique_ptr<Database> database);
  static Result<Store> OpenAs(const std::string& path, bool write);

  std::unique_ptr<std::recursive_mutex> mutex_;
  std::unique_ptr<Database> database_;
};

/// Whether a bucket is reported as a finding: it is not muted, not known and not counted only.
bool IsFinding(const Bucket& bucket);

}  // namespace campaign
}  // namespace refract
