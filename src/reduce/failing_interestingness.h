// SPDX-License-Identifier: Apache-2.0
// An interestingness test for one module without an original: a candidate is interesting if it
// fails on a target with the same signature as the module. For a wrong output, the interpreter says
// what the output of each candidate must be.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "engine/original.h"
#include "reduce/interestingness.h"
#include "reduce/target_interestingness.h"
#include "target/finding.h"
#include "target/harness.h"

namespace refract {
inline namespace reduce {

/// True if the run ended. Undefined behaviour after a tool may be that of the module itself.
bool MayBeWrong(const RunResult& ran);
/// The seconds that the interpreter may run a candidate, if it ran the first one for
/// `first_seconds`. A candidate may run forever.
double CandidateInterpreterLimit(const RunSettings& run, double first_seconds);

/// The finding of one run of a module on `target`. `interpretation`: null if the outputs are not
/// compared. Pass it only for a module that the interpreter executed as a whole, and whose outputs
/// are exact. Only then can a wrong output be a finding. `$expected` of the inputs is ignored.
Finding FindingOfModule(const Target& target, const RunResult& ran,
                        const Interpretation* interpretation);

/// The first candidate decides which failure is wanted. An output is wrong if it is not that of the
/// interpreter. This needs a candidate that the interpreter runs as a whole, that has no undefined
/// behaviour, and whose output is exact and the same for every order of execution. If the shader
/// may be the reason of another failure (MayFailBecauseOfShader), and the interpreter runs the
/// first candidate to its end, all candidates must be well defined and end. If the failure is one
/// of a tool, no driver draws the outputs of the tools.
class FailingTest : public InterestingnessTest {
 public:
  /// `signature` is what the failure must have; empty: that of the first candidate. `source` has
  /// the entry point and the environment of all candidates. It and `harness` must outlive this.
  FailingTest(const Original& source, Target target, std::string signature, RunSettings run,
              Harness& harness);
  Result<bool> IsInteresting(const Candidate& candidate) override;
  bool MayBeInteresting(const Candidate& candidate, const Module& module) override;

  /// The result of the first candidate.
  Finding First();
  /// True if the first candidate had a wrong output, or undefined behaviour that a tool made.
  bool DependsOnOutputs();
  /// Why the interpreter could not say what the output of the first candidate must be; empty if it
  /// could, or was not asked.
  std::string NotJudged();
  /// The wanted signature, once it is known.
  std::string signature();

 private:
  struct FirstRun {
    Finding finding;
    bool is_wanted = false;  // it has the wanted signature
    bool depends_on_outputs = false;
    bool is_of_tool = false;       // a tool failed, before any driver ran
    bool is_well_defined = false;  // by the interpreter; asked if the shader may be the reason
    double seconds = 0, interpreter_seconds = 0;
    std::string not_judged;
  };
  Result<RunResult> RunFirst(const Job& job);
  // The finding by the outputs of the interpreter; empty if it cannot tell, with the reason.
  Result<Finding> Judge(const Candidate& candidate, const RunResult& ran, double limit,
                        std::string* not_judged);
  // True if the interpreter runs the candidate to its end without undefined behaviour.
  Result<bool> IsWellDefined(const Candidate& candidate, double limit);
  Result<bool> TakeFirst(const Candidate& candidate, const RunResult& ran);
  std::optional<FirstRun> first();

  const Original& source_;
  const Target target_;
  const Target tools_;  // the target without its driver
  RunSettings run_;
  Harness& harness_;
  std::mutex mutex_;
  std::optional<FirstRun> first_;
  std::string signature_;
};

}  // namespace reduce
}  // namespace refract
