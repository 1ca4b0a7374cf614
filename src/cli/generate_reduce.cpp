// SPDX-License-Identifier: Apache-2.0
#include "cli/generate_reduce.h"

#include <optional>

#include "base/counted.h"
#include "base/text.h"
#include "campaign/fleshed.h"
#include "cli/interruption.h"
#include "ir/tools.h"
#include "target/harness.h"

namespace refract {
inline namespace cli {
namespace {

// How the program fails on the target; without a verdict if it does not.
Result<Finding> RunOn(const Target& target, const generate::GeneratedProgram& program,
                      uint64_t time_limit, Harness& harness) {
  Result<Original> original = MakeOriginal(program.words, "generated program",
                                           std::make_shared<const Inputs>(program.inputs), {});
  if (!original) return original.error();
  RunSettings settings;
  settings.time_limit = static_cast<double>(time_limit);
  const Result<Job> job = ProgramJob(*original, settings);
  if (!job) return job.error();
  const Result<RunResult> ran = harness.Run(target, *job);
  if (!ran) return ran.error();
  return FindingOfProgram(target, *ran);
}

}  // namespace

Result<std::optional<generate::ReducedRecipe>> ReduceGenerated(
    const generate::ProgramRecipe& recipe, const GenerateReduction& asked, Console& console) {
  using None = std::optional<generate::ReducedRecipe>;
  const Result<Target> target = FindTarget(asked.target, asked.target_files);
  if (!target) return target.error();
  Harness harness;
  const TargetState state = harness.Probe(*target);
  if (!state.available) {
    return Error{format("target {}: {}", asked.target, state.reason), ErrorKind::kUnavailable};
  }
  const Result<generate::GeneratedProgram> program = generate::MakeProgram(recipe);
  if (!program) return program.error();
  const Result<Finding> finding = RunOn(*target, *program, asked.time_limit, harness);
  if (!finding) return finding.error();
  if (!finding->verdict) {
    console.Say(format("{}: the program computes the expected output", asked.target));
    return None();
  }
  console.Say(format("{} ({})", finding->signature, finding->what));
  const Interruption interruption;
  const generate::RecipeTest fails =
      [&](const generate::ProgramRecipe&,
          const generate::GeneratedProgram& candidate) -> Result<bool> {
    const Result<Finding> now = RunOn(*target, candidate, asked.time_limit, harness);
    if (!now) return now.error();
    return now->verdict.has_value() && now->signature == finding->signature;
  };
  Result<generate::ReducedRecipe> reduced =
      generate::ReduceRecipe(recipe, fails, [] { return Interruption::asked.load(); });
  if (!reduced) return reduced.error();
  console.Say(format("reduced from {} to {}, in {}",
                     Counted(CountStatements(recipe.tree), "statement"),
                     CountStatements(reduced->recipe.tree), Counted(reduced->asked, "run")));
  return None(std::move(*reduced));
}

}  // namespace cli
}  // namespace refract
