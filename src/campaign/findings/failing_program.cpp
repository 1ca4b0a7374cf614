// SPDX-License-Identifier: Apache-2.0
#include "campaign/findings/failing_program.h"

#include "base/text.h"
#include "engine/original.h"

namespace refract {
inline namespace campaign {
namespace {

struct DisplayRuns {
  Finding finding;
  RunResult ran;
  Job job;
};

Result<DisplayRuns> RunForDisplay(const Original& original, const FailingProgram& test,
                                  double time_limit, Harness& harness) {
  Result<Job> job = ProgramJob(original, test.run);
  if (!job) return job.error();
  job->time_limit = time_limit;
  Result<RunResult> ran = harness.Run(test.target, *job);
  if (!ran) return ran.error();
  return DisplayRuns{FindingOfProgram(test.target, *ran), std::move(*ran), std::move(*job)};
}

}  // namespace

Result<ReducedTestProgram> ReduceProgram(const FailingProgram& test, Harness& harness,
                                         const std::function<bool()>& stop,
                                         ProgramProgress* progress) {
  const Result<DisplayRuns> first =
      RunForDisplay(test.found.original(), test, test.run.time_limit, harness);
  if (!first) return first.error();
  if (first->finding.signature != test.signature) {
    return Error{"the failure did not reproduce when the reduction began"};
  }
  const Result<bool> only_driver = IsFailureOfDriver(test.target, first->ran, first->job, harness);
  if (!only_driver) return only_driver.error();
  const double limit =
      CandidateTimeLimit(test.run.time_limit, false, first->finding, first->ran.seconds);
  bool lost = false;
  const auto fails = [&](const TestProgram& candidate) -> Result<bool> {
    const Result<DisplayRuns> shown = RunForDisplay(candidate.original(), test, limit, harness);
    if (!shown && shown.error().kind == ErrorKind::kFailed) return shown.error();
    lost = !shown && harness.IsLost(test.target);
    if (!shown || shown->finding.signature != test.signature) return false;
    if (!*only_driver) {
      // A failure of the tools must not become one of the driver after them.
      const Result<bool> of_driver =
          IsFailureOfDriver(test.target, shown->ran, shown->job, harness);
      if (!of_driver && of_driver.error().kind == ErrorKind::kFailed) return of_driver.error();
      if (!of_driver || *of_driver) return false;
    }
    if (!IsWrongOutput(shown->finding)) return true;
    const bool is_right = candidate.Fault(&harness.stopped()).empty();
    if (harness.IsStopped()) return Error{"the reduction was stopped", ErrorKind::kFailed};
    return is_right;
  };
  ProgramProgress none;
  ProgramProgress& known = progress == nullptr ? none : *progress;
  const TestProgramTest is_interesting =
      [&](const std::shared_ptr<const TestProgram>& candidate) -> Result<bool> {
    const std::string hash = HashOfWords(candidate->original().words);
    if (known.refused.contains(hash)) return false;
    const Result<bool> interesting = fails(*candidate);
    if (!interesting) return interesting;
    if (*interesting) known.smallest = candidate;
    if (!*interesting && !lost) known.refused.insert(hash);
    return interesting;
  };
  const std::shared_ptr<const TestProgram> before = known.smallest;
  const TestProgram& begin = before != nullptr ? *before : test.found;
  Result<ReducedTestProgram> reduced = begin.Reduce(is_interesting, [&] { return lost || stop(); });
  if (reduced && lost) reduced->minimal = false;  // the target did not run the last candidate
  return reduced;
}

Result<TestRecord> WriteFailingProgram(const std::string& folder, const FailingProgram& test,
                                       const ReducedTestProgram* reduced, Harness& harness) {
  const TestProgram& shown = reduced != nullptr ? *reduced->program : test.found;
  const Original& original = shown.original();
  TestRecord record;
  Result<TargetRecord> target = DescribeTarget(test.target, harness);
  if (!target) return target.error();
  record.target = std::move(*target);
  record.signature = test.signature;
  record.seed = test.found.seed();
  record.minimal = reduced != nullptr && reduced->minimal;
  const bool generated = test.found.kind() == ProgramKind::kGenerated;
  (generated ? record.generated_by : record.fleshed_by) = test.found.Command();
  record.entry = original.context.entry;
  record.environment = original.environment;
  record.validation = original.validation;
  record.time_limit = test.run.time_limit;
  TestContents contents;
  contents.original = {original.words, original.context.inputs, std::nullopt};
  contents.graph = shown.Description();
  for (; record.runs < test.confirmations; ++record.runs) {
    const Result<DisplayRuns> again = RunForDisplay(original, test, test.run.time_limit, harness);
    // A run before this one lost the target.
    if (!again && record.runs > 0 && harness.IsLost(test.target)) break;
    if (!again) return again.error();
    const bool same = again->finding.signature == test.signature;
    record.confirmed += same;
    if (!same || record.confirmed > 1) continue;
    record.verdict = *again->finding.verdict;
    record.what = again->finding.what;
    contents.original_image = ImageAtLocation0(again->ran.outputs);
    contents.log =
        IsWrongOutput(again->finding) ? again->finding.what + "\n" : LogText(FactsOf(again->ran));
  }
  if (Status written = WriteTestFolder(folder, record, contents); !written) return written.error();
  return record;
}

}  // namespace campaign
}  // namespace refract
