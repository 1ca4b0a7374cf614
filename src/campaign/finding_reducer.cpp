// SPDX-License-Identifier: Apache-2.0
#include "campaign/finding_reducer.h"

#include <cstdio>

#include "base/clock.h"
#include "base/counted.h"
#include "base/file.h"
#include "base/text.h"
#include "campaign/blame_text.h"
#include "cfg/graph.h"
#include "folder/test_folder.h"
#include "reduce/reduce.h"

namespace refract {
inline namespace campaign {
namespace {}  // namespace

bool FindingReducer::Work::Ends() const {
  return stop() || MonotonicSeconds() - begin > kReduceSeconds;
}

std::string FindingReducer::JournalPath(const KeptTest& kept) const {
  return format("{}/reducing/test-{:06}-{}.reducing", setup_.out, kept.test, kept.id);
}

Status FindingReducer::Reduce(const Bucket& bucket, KeptTest kept, Harness& harness,
                              const std::function<bool()>& stop,
                              const std::function<double()>& now) {
  const double begin = MonotonicSeconds();
  const Result<LoadedFinding> loaded = loader_.Load(bucket, kept, harness);
  if (!loaded) return filer_.FileFailed(std::move(kept), loaded.error());
  Work work{bucket, std::move(kept), harness, stop, now, begin};
  if (const auto* program = std::get_if<LoadedProgram>(&*loaded)) {
    return ReduceFleshed(*program, std::move(work));
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
    std::remove(options.journal.c_str());
    return filer_.FileFailed(kept, reduction.error());
  }
  if (reduction->end == Reduction::End::kStopped && work.stop()) return filer_.FileUnfinished(kept);
  if (reduction->end == Reduction::End::kNotInteresting || reduction->context == nullptr) {
    std::remove(options.journal.c_str());
    return filer_.FileFailed(kept, "the failure did not reproduce when the reduction began");
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
  const Result<std::optional<Bucket>> home =
      filer_.MoveToSub(work.bucket, SubOfVariant(*loaded.original, kept.types), now, &kept);
  if (!home) return home.error();
  if (!*home) return {};
  const Result<TestRecord> written = WriteFailingVariant(
      filer_.PathOf(kept), loaded.Failing(setup_.confirm, &reduction), work.harness);
  if (!written) return written.error();
  kept.blame =
      BlameText(*loaded.original, {reduction.words, reduction.inputs, reduction.context},
                loaded.target, *loaded.interestingness, loaded.layouts, loaded.run, work.harness);
  kept.runs += written->runs;
  kept.confirmed += written->confirmed;
  return filer_.FileReduced(**home, kept, before, "", now);
}

Status FindingReducer::ReduceFleshed(const LoadedProgram& loaded, Work work) {
  KeptTest& kept = work.kept;
  const FailingProgram failing = loaded.Failing(work.bucket.signature, setup_.confirm);
  const Result<flesh::ReducedProgramSpec> reduced =
      ReduceProgram(failing, work.harness, [&] { return work.Ends(); });
  kept.seconds += MonotonicSeconds() - work.begin;
  if (!reduced) return filer_.FileFailed(kept, reduced.error());
  if (!reduced->minimal && work.stop()) return filer_.FileUnfinished(kept);
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
  if (!written) return written.error();
  kept.runs += written->runs;
  kept.confirmed += written->confirmed;
  return filer_.FileReduced(**home, kept, before, graph, work.now());
}

}  // namespace campaign
}  // namespace refract
