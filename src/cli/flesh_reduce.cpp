// SPDX-License-Identifier: Apache-2.0
#include "cli/flesh_reduce.h"

#include "base/counted.h"
#include "base/text.h"
#include "campaign/findings/failing_program.h"
#include "cli/interruption.h"

namespace refract {
inline namespace cli {

Result<ExitCode> ReduceFleshed(const flesh::ProgramSpec& spec, const FleshReduction& asked,
                               const std::string& output, Console& console) {
  Result<Target> found = FindTarget(asked.target, asked.target_files);
  if (!found) return found.error();
  Harness harness;
  const TargetState state = harness.Probe(*found);
  if (!state.available) {
    return Error{format("target {}: {}", asked.target, state.reason), ErrorKind::kUnavailable};
  }
  Result<flesh::Program> made = flesh::MakeProgram(spec);
  if (!made) return made.error();
  const Result<FleshedProgram> program = FleshedProgramOf(spec, std::move(*made));
  if (!program) return program.error();
  if (const std::string fault = FaultOfProgram(*program->original); !fault.empty()) {
    return Error{format("the interpreter does not compute the expected output: {}", fault),
                 ErrorKind::kFailed};
  }
  FailingProgram test{*program, std::move(*found), {}, {}};
  test.run.time_limit = static_cast<double>(asked.time_limit);
  const Result<Job> job = ProgramJob(*program->original, test.run);
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
  const Result<flesh::ReducedProgramSpec> reduced =
      ReduceProgram(test, harness, [] { return Interruption::asked.load(); });
  if (!reduced) return reduced.error();
  console.Say(format("reduced from {} to {}: {}", Counted(spec.tree.size(), "block"),
                     reduced->spec.tree.size(), cfg::GraphText(flesh::GraphOf(reduced->spec))));
  const Result<TestRecord> written = WriteFailingProgram(output, test, &*reduced, harness);
  if (!written) return written.error();
  console.Say(format("wrote {}", output));
  return kFinding;
}

}  // namespace cli
}  // namespace refract
