// SPDX-License-Identifier: Apache-2.0
// What a campaign has done, in OUT/campaign.sqlite: the one place that all its parts (schedule,
// reducing, report, merge) write to and read from. Everything else in OUT (test folders,
// stats.json, events.jsonl, the report) is made from it and from the campaign's inputs again.
//
// Safe against kill -9 and a full disk: what belongs together (a test with all its outcomes, the
// buckets these fall into and the events that says) is one transaction, in a write-ahead log. A
// write without room is bad input that names the file (exit 3); what was committed stays.
//
// One process writes (Store::Create, Store::Open), others may read at the same time (Store::Read).
// Threads may use one Store at once.
//
// Times are seconds that the campaign has worked, over all its parts: a campaign of 60 s that goes
// on the next day goes on at 60.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace refract::inline campaign {

class Database;

inline constexpr uint32_t kStoreFormat = 2;
inline constexpr char kStoreFile[] = "campaign.sqlite";  ///< in OUT

/// What the campaign is.
struct CampaignInfo {
  uint64_t seed = 0;
  /// One JSON object (schedule.h: CampaignOptions) of all that decides which tests there are and
  /// what is asked of them. A campaign is resumed only with the same.
  std::string options;
  std::string tool, commit;  ///< version of refract that began it
  uint32_t format = kStoreFormat;
  double seconds = 0;  ///< worked so far
  uint32_t parts = 0;  ///< times it was started
};

/// A module that variants are made of, as the interpreter sees it. Known by name within a campaign;
/// what was found out holds for a content hash.
struct CampaignReference {
  int64_t id = 0;
  std::string name;  ///< as ListModuleFiles has it, without the folder: "column_sort.frag"
  std::string hash;  ///< of module and inputs
  /// "exact", "stable", "sampled" (at least stable, but only a sample was looked at), "unstable",
  /// "undefined" or "unknown" (cannot be interpreted, or not in time).
  std::string stability;
  /// Nothing that comes out of it or of its variants is compared: unstable, undefined or varying.
  bool crash_only = false;
  std::string detail;  ///< why, a sentence; empty if there is nothing to say
};

struct CampaignTarget {
  int64_t id = 0;
  std::string name;
  std::string kind;     ///< TargetKindName
  std::string version;  ///< in one line; of when the campaign was started last
};

/// What a target makes of a reference, in three runs.
struct Baseline {
  std::string reference, target;  ///< names
  /// "ok"; "differs": it does not leave what the interpreter does, and "varies": not always the
  /// same: in both cases what variants leave there is not compared. "fails": it crashes, hangs, ...
  /// (`detail` is the signature) and "unsupported": no variants are run there.
  std::string state;
  std::string outputs_hash;  ///< of what came out; empty unless ok, or for a pipeline only
  double seconds = 0;        ///< of the slowest run
  std::string detail;
};

/// What a variant did on a target.
struct Outcome {
  std::string target;  ///< name
  /// "ok", VerdictName of a FailureClass, or "own_error": target "refract", a fault of ours.
  std::string verdict = "ok";
  std::string signature;  ///< empty if ok
  double seconds = 0;
  /// Which of the target's tools failed, or the driver that draws; empty: the target as a whole,
  /// or nobody asked: what was read from a store has a bucket, which knows.
  std::string stage = {};
  int64_t bucket = 0;  ///< where it was filed; 0 if ok, or not yet
};

/// A test: one variant of a reference, run on all targets.
struct CampaignTest {
  uint64_t index = 0;      ///< decides all about it, with the campaign's seed
  std::string reference;   ///< name
  uint64_t seed = 0;       ///< `refract fuzz --seed`
  uint32_t steps = 0;      ///< of its recording
  uint32_t words = 0;      ///< of the variant
  double seconds = 0;      ///< all of it
  double own_seconds = 0;  ///< of that, in our own code: not waiting for targets
  double at = 0;           ///< when it was done
  std::vector<Outcome> outcomes;
};

/// Tests that fail alike: in the same stage, with the same signature. A driver that dies is one
/// bucket, whatever tools made the module it was given; so is a tool, whoever draws what it makes.
/// Wrong outputs, which say little, are told apart further by what reducing leaves of them: such a
/// bucket has a `sub`.
struct Bucket {
  int64_t id = 0;
  std::string stage;  ///< a driver, a tool, or a target as a whole
  std::string signature, verdict;
  /// Empty: the bucket of all that has this signature, with the count of them. Else (wrong outputs)
  /// stage and step types after reducing, "fragment: add_dead_break, split_block"; it counts the
  /// reduced tests alone, which have left the bucket without sub.
  std::string sub;
  uint64_t first_test = 0;
  double first_seen = 0;
  double last_seen = 0;
  uint64_t count = 0;  ///< tests, on however many targets
  /// A bug of ours, not of a target: an invalid or wrong variant, whatever `interp` says.
  bool own = false;
  /// Counted, never reported: unsupported, slow, out of memory, target not usable.
  bool counted_only = false;
  std::string known;   ///< name of the known issue that it is; empty: none
  bool muted = false;  ///< its folder had NOT_INTERESTING when somebody last looked
  std::string folder;  ///< below OUT: "buckets/lavapipe/crash-...-1a2b3c4d"
};

/// A test that is kept: confirmed, reduced, with a test folder.
struct KeptTest {
  int64_t id = 0;
  int64_t bucket = 0;
  uint64_t test = 0;
  std::string target;  ///< on which it is run: the first that showed it
  /// "found"; "confirmed" (run again: `confirmed` of `runs`; none of them: "not_repeated");
  /// "reduced"; "ended" (reducing took too long: the best so far); "failed" (`detail` says why).
  std::string state = "found";
  uint32_t runs = 0, confirmed = 0;
  uint32_t steps = 0, reduced_steps = 0;  ///< of the recording, before and after
  uint64_t instructions = 0;              ///< of difference to the original, reduced
  bool minimal = false;
  std::vector<std::string> types;  ///< of the reduced steps, each once, sorted
  double seconds = 0;              ///< that reducing took
  bool recommended = false;        ///< by dedup: worth a look
  std::string folder;              ///< of the test, below OUT; empty: not written yet
  std::string blame;               ///< who is to blame, in words; empty: nobody has asked
  std::string detail;
};

/// What happened, for events.jsonl: the lines of that file, in order.
struct CampaignEvent {
  int64_t id = 0;  ///< from 1, without gaps
  double at = 0;
  std::string json;  ///< one object, without a newline (docs/campaign.md lists them)
};

/// How often a target said what.
struct VerdictCount {
  std::string target, verdict;
  uint64_t count = 0;
  double seconds = 0;  ///< together
};

/// In how many tests a bucket was seen on a target.
struct SeenOn {
  int64_t bucket = 0;
  std::string target;
  uint64_t count = 0;
};

/// What adding a test to the store led to.
struct Added {
  std::vector<Bucket> fresh;   ///< buckets that were not there before
  std::vector<KeptTest> kept;  ///< those of its outcomes that are kept
};

/// How a failing outcome is to be filed.
struct Filing {
  std::string stage;  ///< of the bucket; empty: the outcome's target
  bool own = false;
  bool counted_only = false;
  std::string known;
  std::string folder;  ///< of the bucket, should it be new
  uint32_t keep = 3;   ///< so many tests of the bucket are kept; 0: none
};

/// What moving a test to a bucket with a `sub` led to.
struct Moved {
  Bucket bucket;
  bool fresh = false;  ///< it was not there before
  bool kept = true;    ///< else it has enough tests
};

class Store {
 public:
  /// A new one; refuses a file that is there.
  static Result<Store> Create(const std::string& path, const CampaignInfo& info);
  /// To go on. Refuses what is no store, and other formats, by name.
  static Result<Store> Open(const std::string& path);
  /// To look at, also while a campaign runs.
  static Result<Store> Read(const std::string& path);
  Store(Store&& other) noexcept;
  ~Store();

  // --- What there is.
  Result<CampaignInfo> Info();
  Result<std::vector<CampaignTarget>> Targets();        ///< in the order of --targets
  Result<std::vector<CampaignReference>> References();  ///< by name
  Result<std::vector<Baseline>> Baselines();            ///< by reference, target
  Result<std::vector<Bucket>> Buckets();                ///< by when they were first seen
  Result<std::vector<KeptTest>> Kept();                 ///< by bucket, then test
  Result<std::vector<CampaignEvent>> Events(int64_t after = 0);
  Result<std::vector<VerdictCount>> Verdicts();  ///< by target, verdict
  Result<std::vector<SeenOn>> Seen();            ///< by bucket, target; buckets without a sub
  /// In the order of their index, without outcomes that are ok.
  Status ForEachTest(const std::function<void(const CampaignTest&)>& visit);
  Result<CampaignTest> Test(uint64_t index);
  Result<std::vector<uint64_t>> Done();  ///< indices of tests, ascending
  /// Tests, and seconds in them: all, and in our own code.
  struct Totals {
    uint64_t tests = 0;
    double seconds = 0, own_seconds = 0;
    double last_new_bucket = 0;  ///< Bucket::first_seen of the newest that is not counted only
  };
  Result<Totals> Sum();

  // --- What a campaign writes. Each call is one transaction, and holds once it returned.
  Status SetTargets(const std::vector<CampaignTarget>& targets);
  Status SetReference(const CampaignReference& reference);
  Status SetBaseline(const Baseline& baseline);
  /// One more part; `seconds` below are those of the campaign by now.
  Status BeginPart();
  Status SetSeconds(double seconds);
  /// `file` says of each failing outcome how to file it. Outcomes of one stage that fail alike are
  /// counted, and kept, once. A test that is there already changes nothing.
  Result<Added> AddTest(const CampaignTest& test,
                        const std::function<Filing(const Outcome&)>& file);
  /// Replaces all but id, bucket, test, target and recommended.
  Status UpdateKept(const KeptTest& kept);
  Status SetRecommended(int64_t kept, bool recommended);
  /// Moves a kept test from the bucket of its signature to the one with that `sub`, which is made,
  /// with that folder, if it is not there, and counts it there. If that one has `keep` tests
  /// already it is only counted, and kept no more.
  Result<Moved> MoveKept(int64_t kept, const std::string& sub, const std::string& folder,
                         double now, uint32_t keep);
  Status SetMuted(int64_t bucket, bool muted);
  Status SetKnown(int64_t bucket, const std::string& known);
  Status AddEvent(double at, const std::string& json);

 private:
  explicit Store(std::unique_ptr<Database> database);
  static Result<Store> OpenAs(const std::string& path, bool write);

  std::unique_ptr<std::recursive_mutex> mutex_;
  std::unique_ptr<Database> database_;
};

/// Whether a bucket is one that a campaign reports as a finding: not muted, not known, not merely
/// counted.
bool IsFinding(const Bucket& bucket);

}  // namespace refract::inline campaign
