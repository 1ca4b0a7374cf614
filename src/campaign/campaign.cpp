// SPDX-License-Identifier: Apache-2.0
#include "campaign/campaign.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <iterator>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/clock.h"
#include "base/text.h"
#include "campaign/campaign_counter.h"
#include "campaign/feedback.h"
#include "campaign/findings/failing_original.h"
#include "campaign/findings/finding_processor.h"
#include "campaign/hangs.h"
#include "campaign/housekeeping.h"
#include "campaign/original_tests.h"
#include "campaign/reference_cost.h"
#include "campaign/references.h"
#include "campaign/replaced_buckets.h"
#include "campaign/run_on_targets.h"
#include "campaign/work/device_watch.h"
#include "campaign/work/part.h"
#include "campaign/work/reducing_time.h"
#include "campaign/work/task_queue.h"
#include "target/harness.h"

namespace refract {
inline namespace campaign {
namespace {

constexpr double kTick = 0.2;  // seconds between two progress reports
constexpr double kForEver = 1e9;

class CampaignRun {
 public:
  CampaignRun(const CampaignSetup& setup, Store& store, References& references,
              const std::function<bool()>& stop)
      : setup_(setup),
        store_(store),
        references_(references),
        processor_(setup, references, store),
        counter_(store),
        hangs_(setup.jobs, TargetNames(setup)),
        watch_(setup, store, harness_),
        devices_(watch_.devices()),
        asked_to_stop_(stop),
        reducing_time_(setup.jobs) {
    references_.set_stop(&harness_.stopped());
  }

  Result<CampaignEnd> Run(const std::function<void(const CampaignProgress&)>& progress) {
    if (Status begun = Begin(); !begun) return begun.error();
    Housekeeping housekeeping(setup_, store_);
    if (Status kept = housekeeping.Begin(Now()); !kept) return kept.error();
    if (Status stored = references_.StoreSkipped(); !stored) return stored.error();
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < std::max(setup_.jobs, 1u); ++i) {
      threads.emplace_back([this] { RunThread(); });
    }
    watch_.Begin();
    {
      std::unique_lock<std::mutex> lock(mutex_);
      while (working_ < threads.size() || idle_ < threads.size()) {
        changed_.wait_for(lock, std::chrono::duration<double>(kTick));
        MustEnd();  // cuts off the runs if so
        CampaignProgress now = Progress();
        lock.unlock();
        Report(&now, progress);
        KeepError(housekeeping.Tick(Now(), now));
        lock.lock();
      }
    }
    for (std::thread& thread : threads) thread.join();
    harness_.Stop();
    CampaignProgress last = Progress();
    Report(&last, progress, true);
    return End(&housekeeping, last);
  }

 private:
  double Now() const { return earlier_seconds_ + MonotonicSeconds() - begin_; }

  // Completes `*now` and reports it.
  void Report(CampaignProgress* now, const std::function<void(const CampaignProgress&)>& progress,
              bool is_last = false) {
    KeepError(counter_.Complete(now, hangs_, is_last));
    Result<std::vector<std::string>> messages = watch_.StoreNews(Now());
    if (messages) now->messages = std::move(*messages);
    progress(*now);
    if (!messages) KeepError(messages.error());
  }

  Status Begin() {
    begin_ = MonotonicSeconds();
    const Result<CampaignInfo> info = store_.Info();
    if (!info) return info.error();
    earlier_seconds_ = info->seconds;
    if (Status part = BeginPart(setup_, store_); !part) return part;
    const Result<std::vector<uint64_t>> done = store_.TestIndices();
    if (!done) return done.error();
    std::copy_if(done->begin(), done->end(), std::inserter(done_, done_.end()),
                 [](uint64_t test) { return !IsOriginalTest(test); });
    tests_before_ = done_.size();
    if (setup_.feedback != nullptr) {
      if (Status begun = setup_.feedback->Begin(setup_, store_, done_); !begun) return begun;
    }
    if (Status counted = counter_.Begin(); !counted) return counted;
    references_.SetFile([this](size_t reference, const Outcome& outcome) {
      return StoreTest(TestOfOriginal(setup_, reference, outcome));
    });
    // Otherwise, a reference is checked when a test needs it.
    if (setup_.check_only) to_check_ = OrderByCost(setup_.sources);
    return QueueUnfinished();
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
      AddTask(one, first);
    }
    return UpdateFindings();
  }

  // Counts the findings again: a reduction may show that a bucket is a known issue or several bugs.
  Status UpdateFindings() {
    const Result<std::vector<Bucket>> buckets = CountedBuckets(store_);
    if (!buckets) return buckets.error();
    const std::lock_guard<std::mutex> lock(mutex_);
    findings_ = static_cast<uint64_t>(std::count_if(buckets->begin(), buckets->end(), IsFinding));
    for (const Bucket& bucket : *buckets) buckets_[bucket.id] = bucket;
    return {};
  }

  void AddTask(const KeptTest& kept, bool first) {
    // Without tests, failures of originals are confirmed and filed, but not reduced.
    const Bucket& bucket = buckets_.at(kept.bucket);
    const bool shrinks = kept.state != KeptState::kFound && IsShrinkable(bucket.verdict);
    if (setup_.check_only && (!IsOriginalTest(kept.test) || shrinks)) return;
    tasks_.Add({bucket, kept, first});
  }

  bool TimeIsUp() const { return setup_.seconds && MonotonicSeconds() - begin_ >= *setup_.seconds; }
  // Whether the campaign must end at once. Cuts off all runs if so.
  bool MustEnd() {
    if (!stopped_ && !asked_to_stop_() && !TimeIsUp()) return false;
    harness_.Stop();
    if (setup_.feedback != nullptr) setup_.feedback->Stop();
    return true;
  }

  void KeepError(const Status& status) {
    if (status) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!error_) error_ = status.error();
    stopped_ = true;
  }

  // The next test of this shard that no thread has run or is running.
  std::optional<uint64_t> NextTest() {
    if (!TestsAreLeft() || !devices_.HasUsable()) return std::nullopt;
    if (!returned_.empty()) return returned_.extract(returned_.begin()).value();
    for (;; ++next_) {
      if (setup_.tests && next_ >= *setup_.tests) return std::nullopt;
      if (setup_.feedback != nullptr && !setup_.feedback->MayStart(next_)) return std::nullopt;
      if (setup_.shard.Has(next_) && done_.count(next_) == 0) return next_++;
    }
  }

  // Whether the campaign may make more tests.
  bool TestsAreLeft() const {
    if (setup_.check_only || setup_.reduce_only || enough_buckets_) return false;
    return !returned_.empty() || !setup_.tests || next_ < *setup_.tests;
  }

  // How many seconds this thread may reduce now; 0: it must not.
  double ReduceSlice() {
    if (!TestsAreLeft() || !devices_.HasUsable()) return kForEver;
    return reducing_time_.Slice(MonotonicSeconds() - begin_, reducing_.size());
  }

  // --- The work of a thread. Functions with a parameter `lock` are called with the mutex held.

  void RunThread() {
    std::unique_lock<std::mutex> lock(mutex_);
    ++working_;
    while (!MustEnd()) {
      if (CheckNextReference(lock) || RunNextTask(lock) || RunNextTest(lock)) continue;
      // No thread can add work any more, and no lost device is worth to wait for.
      const bool waits = (TestsAreLeft() || !tasks_.empty()) && devices_.IsWaiting();
      if (busy_ == 0 && !waits) break;
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
    // A run that was cut off fails. A disk that fails is found again when the campaign ends.
    if (!harness_.IsStopped()) KeepError(done);
    lock.lock();
    --busy_;
    changed_.notify_all();
  }

  bool CheckNextReference(std::unique_lock<std::mutex>& lock) {
    if (next_check_ >= to_check_.size()) return false;
    const size_t reference = to_check_[next_check_++];
    RunUnlocked(lock, [&] {
      Status checked = references_.Check(reference, harness_);
      watch_.NoteLost("the check of " + setup_.sources[reference].name);
      return checked;
    });
    return true;
  }

  bool RunNextTask(std::unique_lock<std::mutex>& lock) {
    if (tasks_.empty()) return false;
    const double slice = ReduceSlice();
    std::optional<Task> taken = tasks_.Take(
        slice == 0, [this](const std::string& target) { return devices_.IsUsable(target); });
    if (!taken) return false;
    const Task& task = *taken;
    const bool reduces = task.Reduces(), takes_minutes = task.TakesMinutes();
    if (IsMutedNow(setup_.out, task.bucket)) return true;
    if (reduces && !buckets_.at(task.bucket.id).known.empty()) return true;  // known meanwhile
    const double begin = MonotonicSeconds();
    if (takes_minutes) reducing_.insert(begin);
    RunUnlocked(lock, [&] {
      Status done = reduces ? processor_.Reduce(
                                  task.bucket, task.kept, harness_, [this] { return MustEnd(); },
                                  slice, [this] { return Now(); })
                            : processor_.Confirm(task.bucket, task.kept, harness_, Now());
      watch_.NoteLost(
          format("the {} of test {}", reduces ? "reduction" : "confirmation", task.kept.test));
      return done;
    });
    if (takes_minutes) {
      reducing_.erase(reducing_.find(begin));
      if (slice < kForEver) reducing_time_.End(begin - begin_, MonotonicSeconds() - begin_);
    }
    lock.unlock();
    if (reduces) KeepError(UpdateFindings());
    KeepError(QueueAgain(task));
    lock.lock();
    return true;
  }

  // Queues the test of `task` again if it was confirmed, or if its reduction is not complete.
  Status QueueAgain(const Task& task) {
    const Result<std::vector<KeptTest>> kept = store_.Kept();
    if (!kept) return kept.error();
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const KeptTest& one : *kept) {
      if (one.id == task.kept.id) AddTask(one, task.first_of_bucket);
    }
    return {};
  }

  bool RunNextTest(std::unique_lock<std::mutex>& lock) {
    const std::optional<uint64_t> index = NextTest();
    if (!index) return false;
    RunUnlocked(lock, [&]() -> Status {
      Result<std::optional<CampaignTest>> test = RunTest(
          setup_, *index, references_, hangs_, devices_, harness_, [this] { return MustEnd(); });
      watch_.NoteLost(format("test {}", *index));
      if (!test) return test.error();
      if (*test) {
        const Status stored = StoreTest(std::move(**test));
        return stored ? Finish(*index) : stored;
      }
      const TestPlan plan = PlanOf(setup_, *index);
      if (!plan.program && references_.IsAside(plan.reference)) return Finish(*index);
      const std::lock_guard<std::mutex> guard(mutex_);
      returned_.insert(*index);
      return {};
    });
    return true;
  }

  Status Finish(uint64_t index) {
    return setup_.feedback != nullptr ? setup_.feedback->Finish(index) : Status();
  }

  Status StoreTest(CampaignTest test) {
    test.at = Now();
    const bool original = IsOriginalTest(test.index);
    Result<Added> added = store_.AddTest(test, [&](const Outcome& outcome) {
      return processor_.FilingOf(outcome, test.reference, original);
    });
    if (!added) return added.error();
    if (!original) counter_.AddTest(test);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!original) done_.insert(test.index);
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
    progress.references = setup_.sources.size();
    progress.checked = references_.checked();
    progress.tests = done_.size();
    progress.waiting = tasks_.size() + reducing_.size();
    progress.seconds = MonotonicSeconds() - begin_;
    progress.phase = setup_.check_only                                 ? CampaignPhase::kReferences
                     : !reducing_.empty() && reducing_.size() == busy_ ? CampaignPhase::kReducing
                                                                       : CampaignPhase::kTests;
    progress.tests_per_second =
        static_cast<double>(done_.size() - tests_before_) / std::max(progress.seconds, 1e-3);
    progress.findings = findings_;
    if (last_new_bucket_ >= 0) progress.since_new_bucket = Now() - last_new_bucket_;
    progress.all_seconds = Now();
    progress.new_tests = done_.size() - tests_before_;
    progress.reducing = reducing_.size();
    progress.time_limit = setup_.seconds;
    progress.test_limit = setup_.tests;
    return progress;
  }

  Result<CampaignEnd> End(Housekeeping* housekeeping, const CampaignProgress& last) {
    const std::map<std::string, uint64_t> skipped_tests = hangs_.SkippedTests();
    for (const auto& [target, tests] : skipped_tests) {
      const nlohmann::ordered_json event = {
          {"event", "passed_over"}, {"at", Now()}, {"target", target}, {"tests", tests}};
      KeepError(store_.AddEvent(Now(), event.dump(-1, ' ', true)));
    }
    const Status kept = housekeeping->End(Now(), last);
    if (error_) return *error_;
    if (!kept) return kept.error();
    CampaignEnd end;
    end.tests = done_.size() - tests_before_;
    end.skipped_tests = skipped_tests;
    end.why = asked_to_stop_()  ? CampaignEnd::Why::kStopped
              : enough_buckets_ ? CampaignEnd::Why::kBuckets
              : TimeIsUp()      ? CampaignEnd::Why::kTime
              : TestsAreLeft()  ? CampaignEnd::Why::kNoTarget
                                : CampaignEnd::Why::kDone;
    end.checked = references_.checked();
    end.references = setup_.sources.size();
    end.lost = devices_.SkippedTargets();
    const Result<PartResult> findings = CountFindings(store_, earlier_seconds_);
    if (!findings) return findings.error();
    end.findings = *findings;
    return end;
  }

  const CampaignSetup& setup_;
  Store& store_;
  References& references_;
  Harness harness_;  // one for all threads: a run alone waits for all other runs
  FindingProcessor processor_;
  CampaignCounter counter_;
  Hangs hangs_;
  DeviceWatch watch_;
  Devices& devices_;
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
  size_t next_check_ = 0;
  uint64_t next_ = 0;
  std::set<uint64_t> returned_;  // tests below next_ that no target could run
  std::set<uint64_t> done_;
  TaskQueue tasks_;
  std::map<int64_t, Bucket> buckets_;  // as of the last reduction
  std::map<int64_t, bool> seen_;       // buckets whose first test was queued
  std::multiset<double> reducing_;     // when the reductions under way began
  ReducingTime reducing_time_;
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
