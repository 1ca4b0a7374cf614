// SPDX-License-Identifier: Apache-2.0
#include "campaign/findings/finding_reducer.h"

#include <algorithm>
#include <cstdio>

#include "base/clock.h"
#include "base/counted.h"
#include "base/file.h"
#include "base/text.h"
#include "campaign/findings/finding_blame.h"
#include "folder/test_folder.h"

namespace refract {
inline namespace campaign {
namespace {

// A reduction that continues first does again what it did before. It gets at least this many
// seconds, so that its result is not worse than before.
constexpr double kLeastSeconds = 20;
// A reduction during which the target was lost this often does not continue.
constexpr uint32_t kMaxLosses = 2;
// The end of the name of the journal for small programs.
constexpr std::string_view kSmallJournal = "-small";
// If the failure is flaky, a candidate is interesting if one of this number of runs shows it.
constexpr uint32_t kFlakyRuns = 3;

}  // namespace

bool FindingReducer::Work::Ends() const {
  const double now = MonotonicSeconds();
  return stop() || now >= slice_end || now - begin > limit;
}

bool FindingReducer::Work::Continues() const {
  return stop() || (MonotonicSeconds() >= slice_end && kept.seconds < kReduceSeconds);
}

Status FindingReducer::FileUnfinished(Work work, const std::string& folder) {
  work.kept.state = KeptState::kConfirmed;
  work.kept.folder = folder;
  return filer_.FileUnfinished(work.kept);
}

bool FindingReducer::WaitsForTarget(const Work& work, const Target& target) {
  if (!work.harness.IsLost(target)) return false;
  const std::lock_guard<std::mutex> lock(mutex_);
  return ++losses_[work.kept.id] < kMaxLosses;
}

std::string FindingReducer::JournalPath(const KeptTest& kept) const {
  return format("{}/reducing/test-{:06}-{}.reducing", setup_.out, kept.test, kept.id);
}

void FindingReducer::RemoveJournalsOf(const KeptTest& kept) const {
  std::remove(JournalPath(kept).c_str());
  RemoveJournals(JournalPath(kept) + std::string(kSmallJournal));
}

ReduceOptions FindingReducer::OptionsFor(const Work& work, std::string_view suffix) const {
  ReduceOptions options;
  options.stop = [&work] { return work.Ends(); };
  options.journal = JournalPath(work.kept) + std::string(suffix);
  options.journal_key = format("{} {}", work.kept.target, work.bucket.signature);
  options.resume = FileExists(options.journal);
  options.runs = work.kept.confirmed < work.kept.runs ? kFlakyRuns : 1;
  return options;
}

Status FindingReducer::Reduce(const Bucket& bucket, KeptTest kept, Harness& harness,
                              const std::function<bool()>& stop, double slice,
                              const std::function<double()>& now) {
  const double begin = MonotonicSeconds();
  const Result<LoadedFinding> loaded = loader_.Load(bucket, kept, harness);
  if (!loaded) {
    if (filer_.IsTargetLost(kept, harness)) return {};
    return filer_.FileFailed(std::move(kept), loaded.error());
  }
  const double limit = std::max(kReduceSeconds - kept.seconds, kLeastSeconds);
  Work work{bucket, std::move(kept), harness, stop, now, begin, begin + slice, limit};
  if (const auto* program = std::get_if<LoadedProgram>(&*loaded)) {
    return ReduceTestProgram(*program, std::move(work));
  }
  if (const auto* original = std::get_if<LoadedOriginal>(&*loaded)) {
    return ReduceOriginal(*original, std::move(work));
  }
  return ReduceVariant(std::get<LoadedVariant>(*loaded), std::move(work));
}

Status FindingReducer::ReduceVariant(const LoadedVariant& loaded, Work work) {
  KeptTest& kept = work.kept;
  if (Status made = MakeFolder(setup_.out + "/reducing"); !made) return made;
  ReduceOptions options = OptionsFor(work, "");
  options.ask_original = false;
  options.smallest = [&] { return !IsWrongOutput(work.bucket.verdict); };
  RepeatedTest repeated(*loaded.interestingness, options.wanted_runs, options.runs);
  const Result<Reduction> reduction =
      ::refract::Reduce(*loaded.original, loaded.variant.recording, options, repeated);
  kept.seconds += MonotonicSeconds() - work.begin;
  if (!reduction) {
    if (work.stop() || WaitsForTarget(work, loaded.target))
      return FileUnfinished(work, kept.folder);
    RemoveJournalsOf(kept);
    return filer_.FileFailed(kept, reduction.error());
  }
  if (reduction->end == Reduction::End::kStopped && work.Continues()) {
    return FileUnfinished(work, kept.folder);
  }
  if (reduction->context == nullptr) {
    RemoveJournalsOf(kept);
    return filer_.FileFailed(kept, reduction->end == Reduction::End::kStopped
                                       ? "the reduction was too slow to begin"
                                       : "the failure did not reproduce when the reduction began");
  }
  kept.state = reduction->end == Reduction::End::kDone ? KeptState::kReduced : KeptState::kEnded;
  return FinishVariant(loaded, *reduction, work);
}

Result<SmallestWrongOutput> FindingReducer::MakeSmallPrograms(const Original& original,
                                                              const Reduction* reduction,
                                                              const Target& target,
                                                              const RunSettings& run, Work* work,
                                                              bool* later) {
  *later = false;
  ReduceOptions options = OptionsFor(*work, kSmallJournal);
  options.smallest_tries = kWrongOutputTries;
  const double begin = MonotonicSeconds();
  Result<SmallestWrongOutput> made =
      reduction != nullptr
          ? ReduceWrongOutput(original, reduction->recording,
                              {reduction->words, reduction->inputs, reduction->context}, target,
                              run, options, work->harness)
          : ReduceWrongModule(original, target, run, options, work->harness);
  work->kept.seconds += MonotonicSeconds() - begin;
  if (made) {
    *later = made->is_stopped && work->Continues();
    if (made->is_stopped) work->kept.state = KeptState::kEnded;
    return made;
  }
  *later = work->stop() || WaitsForTarget(*work, target);
  // Without them, the test is as useful as before.
  if (*later || made.error().kind != ErrorKind::kFailed) return SmallestWrongOutput{};
  return made;
}

Status FindingReducer::FinishVariant(const LoadedVariant& loaded, const Reduction& reduction,
                                     Work work) {
  KeptTest& kept = work.kept;
  kept.types = TypesOf(reduction.recording);
  kept.reduced_steps = static_cast<uint32_t>(reduction.steps);
  kept.instructions = reduction.instructions;
  kept.minimal = reduction.minimal;
  const double now = work.now();
  const std::string before = kept.folder;
  const std::optional<Blame> blame =
      BlameOf(*loaded.original, {reduction.words, reduction.inputs, reduction.context},
              loaded.target, *loaded.interestingness, loaded.layouts, loaded.run, work.harness);
  if (work.harness.IsStopped()) return FileUnfinished(work, before);
  if (blame) kept.blame = blame->Text();
  const Result<std::optional<Bucket>> home = filer_.MoveToSub(
      work.bucket, SubOfVariant(*loaded.original, kept.types, blame), now, &kept, blame);
  if (!home) return home.error();
  if (!*home) {
    RemoveJournalsOf(kept);
    return {};
  }
  SmallestWrongOutput smallest;
  if (IsWrongOutput(work.bucket.verdict)) {
    bool later = false;
    Result<SmallestWrongOutput> made =
        MakeSmallPrograms(*loaded.original, &reduction, loaded.target, loaded.run, &work, &later);
    if (!made) return made.error();
    if (later) return FileUnfinished(work, before);
    smallest = std::move(*made);
  }
  FailingVariant failing = loaded.Failing(setup_.confirm, &reduction);
  failing.smallest = IsWrongOutput(work.bucket.verdict) ? &smallest : nullptr;
  failing.blame = blame;
  const Result<TestRecord> written =
      WriteFailingVariant(filer_.PathOf(kept), failing, work.harness);
  if (!written && WaitsForTarget(work, loaded.target)) return FileUnfinished(work, before);
  RemoveJournalsOf(kept);
  if (!written) return filer_.FileFailed(kept, written.error());
  kept.runs += written->runs;
  kept.confirmed += written->confirmed;
  return filer_.FileReduced(**home, kept, before, "", now);
}

Result<SmallestWrongOutput> FindingReducer::ShrinkOriginal(const LoadedOriginal& loaded, Work* work,
                                                           bool* later) {
  KeptTest& kept = work->kept;
  kept.state = KeptState::kReduced;
  kept.detail = "the reference fails without any change; it is not reduced";
  SmallestWrongOutput smallest;
  if (IsWrongOutput(work->bucket.verdict)) {
    if (Status made = MakeFolder(setup_.out + "/reducing"); !made) return made.error();
    Result<SmallestWrongOutput> made =
        MakeSmallPrograms(*loaded.original, nullptr, loaded.target, loaded.run, work, later);
    if (!made || *later) return made;
    smallest = std::move(*made);
    kept.minimal = smallest.module.minimal;
  } else if (IsShrinkable(work->bucket.verdict)) {
    const Result<ShrunkModule> shrunk =
        ShrinkFailingOriginal(loaded.Failing(work->bucket.signature, setup_.confirm), work->harness,
                              [&] { return work->Ends(); });
    kept.seconds += MonotonicSeconds() - work->begin;
    if (!shrunk) return shrunk.error();
    *later = !shrunk->report.is_finished && work->stop();
    smallest.module.words = shrunk->words;
    if (!shrunk->report.is_finished) kept.state = KeptState::kEnded;
    kept.minimal = shrunk->report.is_finished;
  }
  if (!smallest.why_not.empty()) kept.detail += ": " + smallest.why_not;
  if (!smallest.module.words.empty()) {
    kept.detail = format("the reference fails without any change; its {} were reduced to {}",
                         Counted(CountInstructions(loaded.original->words), "instruction"),
                         CountInstructions(smallest.module.words));
  }
  return smallest;
}

Status FindingReducer::ReduceOriginal(const LoadedOriginal& loaded, Work work) {
  KeptTest& kept = work.kept;
  const std::string before = kept.folder;
  const std::string sub = format("{} original {}", SubOfVariant(*loaded.original, {}),
                                 ReferenceName(setup_, PlanOf(setup_, kept.test)));
  const Result<std::optional<Bucket>> home = filer_.MoveToSub(work.bucket, sub, work.now(), &kept);
  if (!home) return home.error();
  if (!*home) return {};
  bool later = false;
  const Result<SmallestWrongOutput> smallest = ShrinkOriginal(loaded, &work, &later);
  if (!smallest) {
    kept.folder = before;
    return filer_.FileFailed(kept, smallest.error());
  }
  if (later) return FileUnfinished(work, before);
  const Result<TestRecord> written = WriteFailingOriginal(
      filer_.PathOf(kept), loaded.Failing(work.bucket.signature, setup_.confirm), *smallest,
      work.harness);
  if (!written) return filer_.FileFailed(kept, written.error());
  kept.runs += written->runs;
  kept.confirmed += written->confirmed;
  RemoveJournalsOf(kept);
  return filer_.FileReduced(**home, kept, before, "", work.now());
}

Status FindingReducer::ReduceTestProgram(const LoadedProgram& loaded, Work work) {
  KeptTest& kept = work.kept;
  const FailingProgram failing = loaded.Failing(work.bucket.signature, setup_.confirm);
  ProgramProgress* progress = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    progress = &programs_[kept.id];
  }
  const Result<ReducedTestProgram> reduced = ReduceProgram(
      failing, work.harness, [&] { return work.Ends(); }, progress);
  kept.seconds += MonotonicSeconds() - work.begin;
  const bool ended = reduced && reduced->minimal;
  if (!ended && (work.Continues() || WaitsForTarget(work, loaded.target))) {
    return FileUnfinished(work, kept.folder);
  }
  if (!reduced) return filer_.FileFailed(kept, reduced.error());
  kept.state = reduced->minimal ? KeptState::kReduced : KeptState::kEnded;
  kept.minimal = reduced->minimal;
  const TestProgram& found = *loaded.program;
  const bool generated = found.kind() == ProgramKind::kGenerated;
  kept.detail =
      format("a {} of {}, reduced to {}", generated ? "generated program" : "control-flow program",
             found.Size(), reduced->program->Size());
  const std::string before = kept.folder;
  // The shape of a minimal program separates wrong outputs into buckets, as step types do. That of
  // a program that may become smaller would only scatter them.
  const std::string shape = reduced->minimal ? reduced->program->Shape() : std::string();
  std::string sub =
      format("{} {}", SubOfVariant(found.original(), {}), generated ? "generated" : "fleshed");
  if (!shape.empty()) sub += " " + shape;
  const Result<std::optional<Bucket>> home = filer_.MoveToSub(work.bucket, sub, work.now(), &kept);
  if (!home) return home.error();
  if (!*home) return {};
  const Result<TestRecord> written =
      WriteFailingProgram(filer_.PathOf(kept), failing, &*reduced, work.harness);
  if (!written && WaitsForTarget(work, loaded.target)) return FileUnfinished(work, before);
  if (!written) return filer_.FileFailed(kept, written.error());
  kept.runs += written->runs;
  kept.confirmed += written->confirmed;
  return filer_.FileReduced(**home, kept, before, generated ? "" : shape, work.now());
}

}  // namespace campaign
}  // namespace refract
