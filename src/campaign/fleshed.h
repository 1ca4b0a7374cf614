// SPDX-License-Identifier: Apache-2.0
// Tests of fleshed programs (flesh/program.h): drawn by the seed of the test, and judged by what
// their inputs say they leave behind. They have no baseline: each is new.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/hangs.h"
#include "campaign/patient_runner.h"
#include "campaign/setup.h"
#include "engine/fuzz.h"
#include "flesh/recipe.h"
#include "target/finding.h"
#include "target/harness.h"
#include "reduce/target_judge.h"

namespace refract::inline campaign {

/// A program as an original: variants can be made of it.
struct FleshedProgram {
  flesh::Recipe recipe;
  flesh::Program program;
  std::unique_ptr<const Original> original;
};
Result<FleshedProgram> FleshedProgramOf(flesh::Recipe recipe, flesh::Program program);

/// Whether steps are applied to the plan's program: not where spirv-val would soon falsely reject
/// what they make of it.
bool IsVaried(const TestPlan& plan, const flesh::Recipe& recipe);

struct FleshedTest {
  FleshedProgram program;
  std::optional<FuzzResult> variant;  ///< if IsVaried
  const std::vector<uint32_t>& words() const {
    return variant ? variant->words : program.original->words;
  }
};
Result<FleshedTest> MakeFleshedTest(const CampaignSetup& setup, const TestPlan& plan);

/// What the interpreter has against what is foretold of a program; empty: nothing.
std::string FaultOfProgram(const Original& original);

/// The program itself, ready to be run.
Result<Job> ProgramJob(const Original& original, const RunSettings& settings);
/// What a run of it, or of a variant, shows on that target, however well others do.
Finding FindingOfProgram(const Target& target, const RunResult& ran);

/// Runs a test on the targets, one after the other. All must outlive this.
class FleshedRun {
 public:
  FleshedRun(const CampaignSetup& setup, const TestPlan& plan, const FleshedTest& test,
             Hangs& hangs, PatientRunner& runner)
      : setup_(setup), plan_(plan), test_(test), hangs_(hangs), runner_(runner) {
    settings_.time_limit = setup.time_limit;
  }

  /// nullopt: what the target hangs in is enough. Where a variant fails, and the program itself
  /// fails as well, it is the program that failed.
  Result<std::optional<Outcome>> On(size_t target);

 private:
  Result<RunResult> RunProgram(const std::string& name, const Target& where);
  std::optional<Outcome> FaultOfVariant();

  const CampaignSetup& setup_;
  const TestPlan& plan_;
  const FleshedTest& test_;
  Hangs& hangs_;
  PatientRunner& runner_;
  RunSettings settings_;
};

}  // namespace refract::inline campaign
