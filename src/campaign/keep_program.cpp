// SPDX-License-Identifier: Apache-2.0
// Confirms and reduces kept tests whose control-flow program fails without any variant.
#include "base/clock.h"
#include "base/counted.h"
#include "base/file.h"
#include "base/text.h"
#include "campaign/failing_program.h"
#include "campaign/keep.h"
#include "cfg/graph.h"

namespace refract {
inline namespace campaign {

Result<std::optional<FleshedProgram>> Keeper::FailingAlone(const Bucket& bucket,
                                                           const KeptTest& kept,
                                                           Harness& harness) const {
  const TestPlan plan = PlanOf(setup_, kept.test);
  if (!plan.fleshed) return std::optional<FleshedProgram>();
  const CampaignTargetState* target = TargetNamed(kept.target);
  if (target == nullptr) return Error{format("the campaign has no target {}", kept.target)};
  Result<FleshedTest> test = MakeFleshedTest(setup_, plan);
  if (!test) return Error{test.error().message};
  if (!test->variant) return std::optional<FleshedProgram>(std::move(test->program));
  const Result<Job> job = ProgramJob(*test->program.original, references_.settings());
  if (!job) return job.error();
  const Target where = TargetOfTest(target->target, plan.seed);
  const Result<RunResult> ran = harness.Run(where, *job);
  if (!ran) return ran.error();
  if (FindingOfProgram(where, *ran).signature != bucket.signature) {
    return std::optional<FleshedProgram>();
  }
  return std::optional<FleshedProgram>(std::move(test->program));
}

FailingProgram Keeper::FailingProgramOf(const Bucket& bucket, const KeptTest& kept,
                                        const FleshedProgram& program) const {
  const Target target =
      TargetOfTest(TargetNamed(kept.target)->target, PlanOf(setup_, kept.test).seed);
  return {program, target, bucket.signature, references_.settings(), setup_.confirm};
}

Status Keeper::ConfirmProgram(const Bucket& bucket, KeptTest kept, const FleshedProgram& program,
                              Harness& harness, double now) {
  const Result<TestRecord> written =
      WriteFailingProgram(format("{}/{}", setup_.out, kept.folder),
                          FailingProgramOf(bucket, kept, program), nullptr, harness);
  if (!written) return written.error();
  kept.steps = 0;
  return Confirmed(bucket, std::move(kept), *written, now);
}

Status Keeper::ReduceAlone(const Bucket& bucket, KeptTest kept, const FleshedProgram& program,
                           Harness& harness, const std::function<bool()>& stop, double begin,
                           const std::function<double()>& now) {
  const FailingProgram test = FailingProgramOf(bucket, kept, program);
  const Result<flesh::ReducedRecipe> reduced = ReduceProgram(
      test, harness, [&] { return stop() || MonotonicSeconds() - begin > kReduceSeconds; });
  kept.seconds += MonotonicSeconds() - begin;
  if (!reduced) {
    return reduced.error().kind == ErrorKind::kFailed ? Status(reduced.error())
                                                      : Fail(kept, reduced.error().message);
  }
  if (!reduced->minimal && stop()) return store_.UpdateKept(kept);  // the next part starts it again
  kept.state = reduced->minimal ? KeptState::kReduced : KeptState::kEnded;
  kept.minimal = reduced->minimal;
  kept.detail = format("a control-flow program of {}, reduced to {}",
                       Counted(program.recipe.tree.size(), "block"), reduced->recipe.tree.size());
  const std::string before = kept.folder;
  // A minimal graph separates wrong outputs into buckets, as step types do. A graph that may become
  // smaller would only scatter them.
  const std::string graph =
      reduced->minimal ? cfg::GraphText(flesh::GraphOf(reduced->recipe)) : std::string();
  std::string sub = format("{}: fleshed", flesh::StageName(program.recipe.options.stage));
  if (!graph.empty()) sub += " " + graph;
  const Result<std::optional<Bucket>> home = MoveHome(bucket, sub, now(), &kept);
  if (!home) return home.error();
  if (!*home) return {};
  const Result<TestRecord> written =
      WriteFailingProgram(format("{}/{}", setup_.out, kept.folder), test, &*reduced, harness);
  if (!written) return written.error();
  return Reduced(**home, std::move(kept), *written, before, graph, now());
}

}  // namespace campaign
}  // namespace refract
