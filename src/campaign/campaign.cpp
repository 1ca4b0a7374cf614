// SPDX-License-Identifier: Apache-2.0
#include "campaign/campaign.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/clock.h"
#include "base/text.h"
#include "campaign/finding_processor.h"
#include "campaign/hangs.h"
#include "campaign/housekeeping.h"
#include "campaign/references.h"
#include "campaign/replaced_buckets.h"
#include "campaign/run_on_targets.h"
#include "target/harness.h"

namespace refract {
inline namespace campaign {
namespace {

constexpr double kReduceShare = 0.3;  // of all threads' time, while tests are left
constexpr double kTick = 0.2;         // seconds between two progress reports

std::vector<std::string> TargetNames(const CampaignSetup& setup) {
  std::vector<std::string> names;
  for (const VersionedTarget& state : setup.targets) names.push_back(state.target.name);
  return names;
}

// A kept test that waits to be confirmed or reduced.
struct Task {
  Bucket bucket;
  KeptTest kept;

  bool Reduces() const { return kept.state != KeptState::kFound; }
  // Confirming a hang takes minutes, like a reduction.
  bool TakesMinutes() const { return Reduces() || bucket.verdict == FailureClass::kHang; }
  // The order of the tasks: quick confirmations first, then the first test of a bucket, then
  // crashes, then by test number.
  auto Order() const {
    return std::tuple(TakesMinutes(), !first_of_bucket, bucket.verdict != FailureClass::kCrash,
                      kept.test, kept.id);
  }
  bool first_of_bucket = false;
};
bool operator<(const Task& a, const Task& b) {
  return a.Order() < b.Order();
}

class CampaignRun {
 public:
  CampaignRun(const CampaignSetup& setup, Store& store, References& references,
              const std::function<bool()>& stop)
      : setup_(setup),
        store_(store),
        references_(references),
        processor_(setup, references, store),
        hangs_(setup.jobs, TargetNames(setup)),
        asked_to_stop_(stop) {}

  Result<CampaignEnd> Run(const std::function<void(const CampaignProgress&)>& progress) {
    if (Status begun = Begin(); !begun) return begun.error();
    Housekeeping housekeeping(setup_, store_);
    if (Status kept = housekeeping.Begin(Now()); !kept) return kept.error();
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < std::max(setup_.jobs, 1u); ++i) {
      threads.emplace_back([this] { RunThread(); });
    }
    {
      std::unique_lock<std::mutex> lock(mutex_);
      while (working_ < threads.size() || idle_ < threads.size()) {
        changed_.wait_for(lock, std::chrono::duration<double>(kTick));
        const CampaignProgress now = Progress();
        lock.unlock();
        progress(now);
        KeepError(housekeeping.Tick(Now(), now));
        lock.lock();
      }
    }
    for (std::thread& thread : threads) thread.join();
    return End(&housekeeping);
  }

 private:
  double Now() const { return earlier_seconds_ + MonotonicSeconds() - begin_; }

  Status Begin() {
    begin_ = MonotonicSeconds();
    const Result<CampaignInfo> info = store_.Info();
    if (!info) return info.error();
    earlier_seconds_ = info->seconds;
    if (Status part = store_.BeginPart(); !part) return part;
    std::vector<CampaignTarget> targets;
    for (const VersionedTarget& state : setup_.targets) {
      targets.push_back(
          {0, state.target.name, std::string(TargetKindName(state.target.kind)), state.version});
    }
    if (Status set = store_.SetTargets(targets); !set) return set;
    if (setup_.flesh > 0) {
      CampaignReference fleshed;
      fleshed.name = kFleshed;
      fleshed.stability = ReferenceStability::kExact;
      if (Status set = store_.SetReference(fleshed); !set) return set;
    }
    const Result<std::vector<uint64_t>> done = store_.TestIndices();
    if (!done) return done.error();
    done_.insert(done->begin(), done->end());
    tests_before_ = done_.size();
    ChooseReferences();
    return QueueUnfinished();
  }

  // Chooses the references to check: all of them, or those that the tests need if there are few
  // tests.
  void ChooseReferences() {
    const size_t all = setup_.sources.size();
    if (!setup_.check_only && setup_.tests && *setup_.tests < 4 * all) {
      std::set<size_t> needed;
      for (uint64_t i = 0; i < *setup_.tests; ++i) {
        const TestPlan plan = PlanOf(setup_, i);
        if (setup_.shard.Has(i) && !plan.fleshed) needed.insert(plan.reference);
      }
      to_check_.assign(needed.begin(), needed.end());
    } else {
      for (size_t i = 0; i < all; ++i) to_check_.push_back(i);
    }
  }

  // Queues the work that earlier parts of the campaign did not finish.
  Status QueueUnfinished() {
    const Result<std::vector<Bucket>> buckets = store_.Buckets();
    if (!buckets) return buckets.error();
    for (const Bucket& bucket : *buckets) {
      buckets_[bucket.id] = bucket;
      if (bucket.verdict == FailureClass::kHang) {
        hangs_.AddEarlierTests(bucket.signature, bucket.count);
      }
    }
    const Result<std::vector<KeptTest>> kept = store_.Kept();
    if (!kept) return kept.error();
    for (const KeptTest& one : *kept) {
      const bool first = !std::exchange(seen_[one.bucket], true);
      if (one.state == KeptState::kFound || one.state == KeptState::kConfirmed) AddTask(one, first);
    }
    return CountFindings();
  }

  // Counts the findings again: a reduction may show that a bucket is a known issue or several bugs.
  Status CountFindings() {
    const Result<std::vector<Bucket>> buckets = CountedBuckets(store_);
    if (!buckets) return buckets.error();
    const std::lock_guard<std::mutex> lock(mutex_);
    findings_ = static_cast<uint64_t>(std::count_if(buckets->begin(), buckets->end(), IsFinding));
    for (const Bucket& bucket : *buckets) buckets_[bucket.id] = bucket;
    return {};
  }

  void AddTask(const KeptTest& kept, bool first) {
    Task task{buckets_.at(kept.bucket), kept};
    task.first_of_bucket = first;
    // A campaign does not reduce faults of Refract (`refract fuzz --self-check` is the tool for
    // that), and a known issue has a reduced test already.
    const bool reducible = kept.target != kRefractTarget && task.bucket.known.empty();
    if (kept.state == KeptState::kConfirmed && !reducible) return;
    tasks_.insert(std::move(task));
  }

  bool TimeIsUp() const { return setup_.seconds && MonotonicSeconds() - begin_ >= *setup_.seconds; }
  bool MustEnd() const { return stopped_ || asked_to_stop_() || TimeIsUp(); }

  void KeepError(const Status& status) {
    if (status) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!error_) error_ = status.error();
    stopped_ = true;
  }

  // The next test of this shard that no thread has run or is running.
  std::optional<uint64_t> NextTest() {
    if (setup_.check_only || enough_buckets_) return std::nullopt;
    for (;; ++next_) {
      if (setup_.tests && next_ >= *setup_.tests) return std::nullopt;
      if (setup_.shard.Has(next_) && done_.count(next_) == 0) return next_++;
    }
  }

  bool MayReduce(bool tests_are_left) const {
    if (!tests_are_left) return true;
    const double threads = kReduceShare * std::max(setup_.jobs, 1u);
    if (static_cast<double>(reducing_.size()) >= std::max(threads, 1.0)) return false;
    const double now = MonotonicSeconds();
    double spent = reduce_seconds_;
    for (const double since : reducing_) spent += now - since;
    return spent <= threads * (now - begin_);
  }

  // --- The work of a thread. Functions with a parameter `lock` are called with the mutex held.

  void RunThread() {
    std::unique_lock<std::mutex> lock(mutex_);
    ++working_;
    while (!MustEnd()) {
      if (CheckNextReference(lock) || RunNextTask(lock) || RunNextTest(lock)) continue;
      if (busy_ == 0) break;  // no thread can add work any more
      changed_.wait_for(lock, std::chrono::duration<double>(kTick));
    }
    ++idle_;
    changed_.notify_all();
  }

  // Runs `action` without the lock, and takes the lock again afterwards.
  template <class Action>
  void RunUnlocked(std::unique_lock<std::mutex>& lock, const Action& action) {
    ++busy_;
    lock.unlock();
    const Status done = action();
    KeepError(done);
    lock.lock();
    --busy_;
    changed_.notify_all();
  }

  bool CheckNextReference(std::unique_lock<std::mutex>& lock) {
    if (next_check_ >= to_check_.size()) return false;
    const size_t reference = to_check_[next_check_++];
    RunUnlocked(lock, [&] { return references_.Check(reference, harness_); });
    ++checked_;
    return true;
  }

  bool RunNextTask(std::unique_lock<std::mutex>& lock) {
    if (tasks_.empty() || setup_.check_only) return false;
    const bool reduces = tasks_.begin()->Reduces(), takes_minutes = tasks_.begin()->TakesMinutes();
    const bool tests_are_left =
        !setup_.check_only && !enough_buckets_ && (!setup_.tests || next_ < *setup_.tests);
    if (takes_minutes && !MayReduce(tests_are_left)) return false;
    Task task = std::move(tasks_.extract(tasks_.begin()).value());
    if (IsMutedNow(setup_.out, task.bucket)) return true;
    if (reduces && !buckets_.at(task.bucket.id).known.empty()) return true;  // known meanwhile
    const double begin = MonotonicSeconds();
    if (takes_minutes) reducing_.insert(begin);
    RunUnlocked(lock, [&] {
      return reduces ? processor_.Reduce(
                           task.bucket, task.kept, harness_, [this] { return MustEnd(); },
                           [this] { return Now(); })
                     : processor_.Confirm(task.bucket, task.kept, harness_, Now());
    });
    if (takes_minutes) {
      reducing_.erase(reducing_.find(begin));
      reduce_seconds_ += MonotonicSeconds() - begin;
    }
    lock.unlock();
    KeepError(reduces ? CountFindings() : QueueConfirmed(task));
    lock.lock();
    return true;
  }

  // Queues the test of `task` for reduction if it was confirmed.
  Status QueueConfirmed(const Task& task) {
    const Result<std::vector<KeptTest>> kept = store_.Kept();
    if (!kept) return kept.error();
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const KeptTest& one : *kept) {
      if (one.id == task.kept.id && one.state == KeptState::kConfirmed) {
        AddTask(one, task.first_of_bucket);
      }
    }
    return {};
  }

  bool RunNextTest(std::unique_lock<std::mutex>& lock) {
    const std::optional<uint64_t> index = NextTest();
    if (!index) return false;
    RunUnlocked(lock, [&]() -> Status {
      Result<std::optional<CampaignTest>> test =
          RunTest(setup_, *index, references_, hangs_, harness_, [this] { return MustEnd(); });
      if (!test) return test.error();
      return *test ? StoreTest(std::move(**test)) : Status();
    });
    return true;
  }

  Status StoreTest(CampaignTest test) {
    test.at = Now();
    Result<Added> added = store_.AddTest(
        test, [&](const Outcome& outcome) { return processor_.FilingOf(outcome, test.reference); });
    if (!added) return added.error();
    const std::lock_guard<std::mutex> lock(mutex_);
    done_.insert(test.index);
    for (const Bucket& bucket : added->new_buckets) {
      buckets_[bucket.id] = bucket;
      if (!bucket.counted_only) last_new_bucket_ = Now();
      new_findings_ += IsFinding(bucket);
      findings_ += IsFinding(bucket);
    }
    enough_buckets_ = setup_.stop_after && new_findings_ >= *setup_.stop_after;
    for (const KeptTest& kept : added->kept) {
      if (buckets_.count(kept.bucket) == 0) continue;
      AddTask(kept, !std::exchange(seen_[kept.bucket], true));
    }
    return {};
  }

  CampaignProgress Progress() const {
    CampaignProgress progress;
    progress.references = to_check_.size();
    progress.checked = checked_;
    progress.tests = done_.size();
    progress.waiting = tasks_.size() + reducing_.size();
    progress.seconds = MonotonicSeconds() - begin_;
    progress.phase = checked_ < to_check_.size()                       ? CampaignPhase::kReferences
                     : !reducing_.empty() && reducing_.size() == busy_ ? CampaignPhase::kReducing
                                                                       : CampaignPhase::kTests;
    progress.tests_per_second =
        static_cast<double>(done_.size() - tests_before_) / std::max(progress.seconds, 1e-3);
    progress.findings = findings_;
    if (last_new_bucket_ >= 0) progress.since_new_bucket = Now() - last_new_bucket_;
    return progress;
  }

  Result<CampaignEnd> End(Housekeeping* housekeeping) {
    const std::map<std::string, uint64_t> skipped_tests = hangs_.SkippedTests();
    for (const auto& [target, tests] : skipped_tests) {
      const nlohmann::ordered_json event = {
          {"event", "passed_over"}, {"at", Now()}, {"target", target}, {"tests", tests}};
      KeepError(store_.AddEvent(Now(), event.dump(-1, ' ', true)));
    }
    const Status kept = housekeeping->End(Now(), Progress());
    if (error_) return *error_;
    if (!kept) return kept.error();
    CampaignEnd end;
    end.tests = done_.size() - tests_before_;
    end.skipped_tests = skipped_tests;
    end.why = asked_to_stop_()  ? CampaignEnd::Why::kStopped
              : enough_buckets_ ? CampaignEnd::Why::kBuckets
              : TimeIsUp()      ? CampaignEnd::Why::kTime
                                : CampaignEnd::Why::kDone;
    const Result<std::vector<Bucket>> buckets = CountedBuckets(store_);
    if (!buckets) return buckets.error();
    for (const Bucket& bucket : *buckets) {
      end.new_findings += bucket.first_seen > earlier_seconds_ && IsFinding(bucket);
    }
    return end;
  }

  const CampaignSetup& setup_;
  Store& store_;
  References& references_;
  Harness harness_;  // one for all threads: a run alone waits for all other runs
  FindingProcessor processor_;
  Hangs hangs_;
  const std::function<bool()>& asked_to_stop_;
  double begin_ = 0;            // when this part began
  double earlier_seconds_ = 0;  // seconds of earlier parts
  std::vector<size_t> to_check_;
  size_t tests_before_ = 0;
  std::atomic<bool> stopped_{false};

  std::mutex mutex_;  // protects the members below
  std::condition_variable changed_;
  size_t working_ = 0, idle_ = 0;  // threads that began, and that ended
  size_t busy_ = 0;                // threads whose work may add more work
  size_t next_check_ = 0, checked_ = 0;
  uint64_t next_ = 0;
  std::set<uint64_t> done_;
  std::set<Task> tasks_;
  std::map<int64_t, Bucket> buckets_;  // as of the last reduction
  std::map<int64_t, bool> seen_;       // buckets whose first test was queued
  std::multiset<double> reducing_;     // when the reductions under way began
  double reduce_seconds_ = 0;
  double last_new_bucket_ = -1;
  uint64_t new_findings_ = 0;  // of this part, counted when they were filed
  uint64_t findings_ = 0;      // of all parts, counted again after each reduction
  bool enough_buckets_ = false;
  std::optional<Error> error_;
};

}  // namespace

Result<CampaignEnd> RunCampaign(const CampaignSetup& setup, Store& store,
                                const std::function<bool()>& stop,
                                const std::function<void(const CampaignProgress&)>& progress) {
  // This must happen before the new versions of the targets are stored: results of other versions
  // do not count.
  Result<std::unique_ptr<References>> references = References::Make(setup, store);
  if (!references) return references.error();
  return CampaignRun(setup, store, **references, stop).Run(progress);
}

}  // namespace campaign
}  // namespace refract
