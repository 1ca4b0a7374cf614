// SPDX-License-Identifier: Apache-2.0
#include "cli/program_reduce.h"

#include "base/counted.h"
#include "base/text.h"
#include "cli/interruption.h"

namespace refract {
inline namespace cli {

Result<ExitCode> ReduceOnTarget(
    const TestProgram& program, const ProgramReduction& asked,
    const std::function<Status(const FailingProgram&, const ReducedTestProgram&, Harness&)>& write,
    Console& console) {
  Result<Target> found = FindTarget(asked.target, asked.target_files);
  if (!found) return found.error();
  Harness harness;
  const TargetState state = harness.Probe(*found);
  if (!state.available) {
    return Error{format("target {}: {}", asked.target, state.reason), ErrorKind::kUnavailable};
  }
  if (const std::string fault = program.Fault(nullptr); !fault.empty()) {
    return Error{format("the interpreter does not compute the expected output: {}", fault),
                 ErrorKind::kFailed};
  }
  FailingProgram test{program, std::move(*found), {}, {}};
  test.run.time_limit = static_cast<double>(asked.time_limit);
  const Result<Job> job = ProgramJob(program.original(), test.run);
  if (!job) return job.error();
  const Result<RunResult> ran = harness.Run(test.target, *job);
  if (!ran) return ran.error();
  const Finding finding = FindingOfProgram(test.target, *ran);
  if (!finding.verdict) {
    console.Say(format("{}: the program computes the expected output", asked.target));
    return kNotInteresting;
  }
  test.signature = finding.signature;
  console.Say(format("{} ({})", finding.signature, finding.what));
  const Interruption interruption;
  const Result<ReducedTestProgram> reduced =
      ReduceProgram(test, harness, [] { return Interruption::asked.load(); });
  if (!reduced) return reduced.error();
  console.Say(format("reduced from {} to {}, in {}: {}", program.Size(), reduced->program->Size(),
                     Counted(reduced->asked, "run"), reduced->program->Shape()));
  if (Status written = write(test, *reduced, harness); !written) return written.error();
  return kFinding;
}

}  // namespace cli
}  // namespace refract
