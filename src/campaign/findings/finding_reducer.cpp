// SPDX-License-Identifier: Apache-2.0
#include "campaign/findings/finding_reducer.h"

#include <algorithm>
#include <cstdio>

#include "base/clock.h"
#include "base/counted.h"
#include "base/file.h"
#include "base/text.h"
#include "campaign/findings/finding_blame.h"
#include "cfg/graph.h"
#include "folder/test_folder.h"
#include "reduce/reduce.h"

namespace refract {
inline namespace campaign {
namespace {

// A reduction that continues first does again what it did before. It gets at least this many
// seconds, so that its result is not worse than before.
constexpr double kLeastSeconds = 20;
// A reduction during which the target was lost this often does not continue.
constexpr uint32_t kMaxLosses = 2;

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
    return ReduceFleshed(*program, std::move(work));
  }
  if (const auto* original = std::get_if<LoadedOriginal>(&*loaded)) {
    return ReduceOriginal(*original, std::move(work));
  }
  return ReduceVariant(std::get<LoadedVariant>(*loaded), std::move(work));
}

Status FindingReducer::ReduceVariant(const LoadedVariant& loaded, Work work) {
  KeptTest& kept = work.kept;
  // If the failure is flaky, a candidate is interesting if one of three runs shows it.
  RepeatedTest repeated(*loaded.interestingness, 1, kept.confirmed < kept.runs ? 3 : 1);
  ReduceOptions options;
  options.ask_original = false;
  options.smallest = [&] { return !IsWrongOutput(work.bucket.verdict); };
  options.stop = [&] { return work.Ends(); };
  if (Status made = MakeFolder(setup_.out + "/reducing"); !made) return made;
  options.journal = JournalPath(kept);
  options.journal_key = format("{} {}", kept.target, work.bucket.signature);
  options.resume = FileExists(options.journal);
  const Result<Reduction> reduction =
      ::refract::Reduce(*loaded.original, loaded.variant.recording, options, repeated);
  kept.seconds += MonotonicSeconds() - work.begin;
  if (!reduction) {
    if (work.stop() || WaitsForTarget(work, loaded.target))
      return FileUnfinished(work, kept.folder);
    std::remove(options.journal.c_str());
    return filer_.FileFailed(kept, reduction.error());
  }
  if (reduction->end == Reduction::End::kStopped && work.Continues()) {
    return FileUnfinished(work, kept.folder);
  }
  if (reduction->context == nullptr) {
    std::remove(options.journal.c_str());
    return filer_.FileFailed(kept, reduction->end == Reduction::End::kStopped
                                       ? "the reduction was too slow to begin"
                                       : "the failure did not reproduce when the reduction began");
  }
  kept.state = reduction->end == Reduction::End::kDone ? KeptState::kReduced : KeptState::kEnded;
  Status done = FinishVariant(loaded, *reduction, work);
  if (done) std::remove(options.journal.c_str());
  return done;
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
  if (!*home) return {};
  FailingVariant failing = loaded.Failing(setup_.confirm, &reduction);
  failing.blame = blame;
  const Result<TestRecord> written =
      WriteFailingVariant(filer_.PathOf(kept), failing, work.harness);
  if (!written && WaitsForTarget(work, loaded.target)) return FileUnfinished(work, before);
  if (!written) return filer_.FileFailed(kept, written.error());
  kept.runs += written->runs;
  kept.confirmed += written->confirmed;
  return filer_.FileReduced(**home, kept, before, "", now);
}

// A smaller module computes something else, so wrong outputs are not reduced.
Status FindingReducer::ReduceOriginal(const LoadedOriginal& loaded, Work work) {
  KeptTest& kept = work.kept;
  const FailingOriginal failing = loaded.Failing(work.bucket.signature, setup_.confirm);
  std::vector<uint32_t> smallest;
  kept.state = KeptState::kReduced;
  kept.detail = "the reference fails without any change; it is not reduced";
  if (IsShrinkable(work.bucket.verdict)) {
    const Result<ShrunkModule> shrunk =
        ShrinkFailingOriginal(failing, work.harness, [&] { return work.Ends(); });
    kept.seconds += MonotonicSeconds() - work.begin;
    if (!shrunk) return filer_.FileFailed(kept, shrunk.error());
    if (!shrunk->report.is_finished && work.stop()) return filer_.FileUnfinished(kept);
    smallest = shrunk->words;
    if (!shrunk->report.is_finished) kept.state = KeptState::kEnded;
    kept.minimal = shrunk->report.is_finished;
    kept.detail = format("the reference fails without any change; its {} were reduced to {}",
                         Counted(CountInstructions(loaded.original->words), "instruction"),
                         CountInstructions(smallest));
  }
  const std::string before = kept.folder;
  const std::string sub = format("{} original {}", SubOfVariant(*loaded.original, {}),
                                 ReferenceName(setup_, PlanOf(setup_, kept.test)));
  const Result<std::optional<Bucket>> home = filer_.MoveToSub(work.bucket, sub, work.now(), &kept);
  if (!home) return home.error();
  if (!*home) return {};
  const Result<TestRecord> written =
      WriteFailingOriginal(filer_.PathOf(kept), failing, smallest, work.harness);
  if (!written) return filer_.FileFailed(kept, written.error());
  kept.runs += written->runs;
  kept.confirmed += written->confirmed;
  return filer_.FileReduced(**home, kept, before, "", work.now());
}

Status FindingReducer::ReduceFleshed(const LoadedProgram& loaded, Work work) {
  KeptTest& kept = work.kept;
  const FailingProgram failing = loaded.Failing(work.bucket.signature, setup_.confirm);
  ProgramProgress* progress = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    progress = &programs_[kept.id];
  }
  const Result<flesh::ReducedProgramSpec> reduced = ReduceProgram(
      failing, work.harness, [&] { return work.Ends(); }, progress);
  kept.seconds += MonotonicSeconds() - work.begin;
  const bool ended = reduced && reduced->minimal;
  if (!ended && (work.Continues() || WaitsForTarget(work, loaded.target))) {
    return FileUnfinished(work, kept.folder);
  }
  if (!reduced) return filer_.FileFailed(kept, reduced.error());
  kept.state = reduced->minimal ? KeptState::kReduced : KeptState::kEnded;
  kept.minimal = reduced->minimal;
  const flesh::ProgramSpec& spec = loaded.program.spec;
  kept.detail = format("a control-flow program of {}, reduced to {}",
                       Counted(spec.tree.size(), "block"), reduced->spec.tree.size());
  const std::string before = kept.folder;
  // A minimal graph separates wrong outputs into buckets, as step types do. A graph that may become
  // smaller would only scatter them.
  const std::string graph =
      reduced->minimal ? cfg::GraphText(flesh::GraphOf(reduced->spec)) : std::string();
  std::string sub = format("{}: fleshed", flesh::StageName(spec.options.stage));
  if (!graph.empty()) sub += " " + graph;
  const Result<std::optional<Bucket>> home = filer_.MoveToSub(work.bucket, sub, work.now(), &kept);
  if (!home) return home.error();
  if (!*home) return {};
  const Result<TestRecord> written =
      WriteFailingProgram(filer_.PathOf(kept), failing, &*reduced, work.harness);
  if (!written && WaitsForTarget(work, loaded.target)) return FileUnfinished(work, before);
  if (!written) return filer_.FileFailed(kept, written.error());
  kept.runs += written->runs;
  kept.confirmed += written->confirmed;
  return filer_.FileReduced(**home, kept, before, graph, work.now());
}

}  // namespace campaign
}  // namespace refract
