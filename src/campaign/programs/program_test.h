// SPDX-License-Identifier: Apache-2.0
// Campaign tests that run programs with known output (test_program.h). The seed of the test
// determines the program. There is no baseline, because every program is new.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/programs/test_program.h"
#include "campaign/retrying_runner.h"
#include "campaign/setup.h"
#include "engine/fuzz.h"
#include "reduce/target_interestingness.h"
#include "target/finding.h"
#include "target/harness.h"

namespace refract {
inline namespace campaign {

/// Draws and makes the program of a test. An error is a fault of Refract.
Result<std::shared_ptr<const TestProgram>> MakeTestProgram(const CampaignSetup& setup,
                                                           const TestPlan& plan);

/// The command that makes the program of a test, without "-o OUT"; also of a program that cannot be
/// made.
std::string ProgramCommand(const CampaignSetup& setup, const TestPlan& plan);

/// Whether the test runs a variant of its program: the plan says so, and variants may be made of
/// the program.
bool IsVaried(const TestPlan& plan, const TestProgram& program);

/// The program of a test, with the variant that runs instead.
struct ProgramTest {
  std::shared_ptr<const TestProgram> program;
  std::optional<FuzzResult> variant;  ///< set if IsVaried
  const std::vector<uint32_t>& words() const {
    return variant ? variant->words : program->original().words;
  }
};
/// Makes the program of a test, and its variant if IsVaried.
Result<ProgramTest> MakeProgramTest(const CampaignSetup& setup, const TestPlan& plan);

/// Runs the program in the interpreter and compares the result with the expected output. Returns an
/// error message, or an empty string if they are equal. Once `*stop` is true, it ends, and the
/// result is not meaningful; `stop` may be null.
std::string FaultOfProgram(const Original& original, const std::atomic<bool>* stop = nullptr);

/// The job that runs the program itself.
Result<Job> ProgramJob(const Original& original, const RunSettings& settings);
/// The finding of one run of the program or of its variant on `target`, judged without any other
/// run. Empty if the run is ok.
Finding FindingOfProgram(const Target& target, const RunResult& ran);
/// Whether the failure `ran` of `job` on `target` is only that of the driver: the tools of `target`
/// succeeded, and the driver that runs their output fails on the module of `job` itself, too.
Result<bool> IsFailureOfDriver(const Target& target, const RunResult& ran, const Job& job,
                               Harness& harness);

/// Runs a test on one target after the other. All arguments of the constructor must outlive this.
class ProgramRun {
 public:
  ProgramRun(const CampaignSetup& setup, const TestPlan& plan, const ProgramTest& test,
             RetryingRunner& runner, Harness& harness)
      : setup_(setup), plan_(plan), test_(test), runner_(runner), harness_(harness) {
    settings_.time_limit = setup.time_limit;
    settings_.stop = &runner.stopped();
  }

  /// Runs the test on a target. Returns nullopt if the test skips the target
  /// (RetryingRunner::Allows), or if the target is tools and only the driver after them fails. If
  /// both the variant and the program fail, the outcome is that of the program.
  Result<std::optional<Outcome>> RunOn(size_t target);

 private:
  Result<Job> VariantJob() const;
  Result<RunResult> RunProgram(const std::string& name, const Target& where);
  std::optional<Outcome> FaultOfVariant();

  const CampaignSetup& setup_;
  const TestPlan& plan_;
  const ProgramTest& test_;
  RetryingRunner& runner_;
  Harness& harness_;
  RunSettings settings_;
};

}  // namespace campaign
}  // namespace refract
