// SPDX-License-Identifier: Apache-2.0
#include "cli/issue/issue_runs.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/text.h"
#include "target/blame_runs.h"
#include "target/optimiser_passes.h"
#include "target/pass_bisect.h"

namespace refract {
inline namespace cli {
namespace {

/// Makes the runs for one test.
class Runner {
 public:
  Runner(const IssueTest& test, Console& console, Issue* issue)
      : test_(test), target_(*test.target), console_(console), issue_(*issue) {}

  Result<IssueRuns> Run(uint64_t times) {
    const TargetState state = harness_.Probe(target_);
    if (!state.available) {
      return Error{format("target {}: {}; --no-run writes the issue without a run", target_.name,
                          state.reason),
                   ErrorKind::kUnavailable};
    }
    version_ = state.version;
    driver_ = state.device.driver;
    if (Status done = Reproduce(times); !done) return done.error();
    if (!runs_.shown) return std::move(runs_);
    const Result<TargetRecord> described = DescribeTarget(target_, harness_);
    if (!described) return described.error();
    issue_.record.target = *described;
    issue_.record.signature = runs_.shown->finding.signature;
    issue_.record.what = WithoutFolders(runs_.shown->finding.what);
    issue_.version = described->version;
    issue_.failure = FactsOf(runs_.shown->variant);
    issue_.pixels = DifferenceOf(ImageAtLocation0(runs_.shown->original.outputs),
                                 ImageAtLocation0(runs_.shown->variant.outputs));
    RunSmall();
    FindCause();
    LookAtVersions();
    LookAtOthers();
    return std::move(runs_);
  }

 private:
  Status Reproduce(uint64_t times) {
    issue_.runs = times;
    for (uint64_t i = 0; i < times; ++i) {
      Result<TestRun> run = RunTest(target_, test_.modules, test_.expected, test_.record, harness_);
      if (!run) return run.error();
      if (!run->matches) continue;
      ++issue_.failed;
      if (!runs_.shown) runs_.shown = std::move(*run);
    }
    return {};
  }

  // Runs the small program. A small program with a wrong output is the one that the issue shows.
  void RunSmall() {
    if (!test_.small) return;
    Result<TestRun> run = RunTest(target_, test_.small->modules, test_.small->expected,
                                  RecordOfShown(true), harness_);
    if (!run || !run->matches) return;
    runs_.small = std::move(*run);
    if (!IsWrongOutput(issue_.record.verdict)) return;
    issue_.record.what = WithoutFolders(runs_.small->finding.what);
    issue_.images = false;
    issue_.pixels.reset();
    if (!test_.small->expected) return;
    issue_.pixels = DifferenceOf(ImageAtLocation0(runs_.small->original.outputs),
                                 ImageAtLocation0(runs_.small->variant.outputs));
  }

  // The outputs of a small program are exact.
  TestRecord RecordOfShown(bool small) const {
    TestRecord record = test_.record;
    if (small) record.rule = CompareRule::kExact;
    return record;
  }

  // Runs what the issue shows of a wrong output: the small program, or the modules of the folder.
  Result<TestRun> RunShown(const Target& target) {
    const bool small = runs_.small && IsWrongOutput(test_.record.verdict);
    return RunTest(target, small ? test_.small->modules : test_.modules,
                   small ? test_.small->expected : test_.expected, RecordOfShown(small), harness_);
  }

  // Whether this module alone fails in the same way. Of a module that computes something else, only
  // the name of the failure can be compared.
  bool Fails(const Target& target, const std::vector<uint32_t>& words) {
    Job job = test_.modules.back().job;
    job.spirv = words;
    job.expected.reset();
    return Signature(harness_.Try(target, job)) == issue_.record.signature;
  }

  void FindCause() {
    if (test_.modules.size() < 2) return;
    const std::optional<Blame> blame = FindBlame(
        harness_, {target_, test_.modules[0].job, test_.modules[1].job, runs_.shown->original,
                   runs_.shown->variant, test_.record.rule, test_.modules[0].layouts});
    if (!blame || blame->culprit == Culprit::kUnclear) return;
    if (blame->culprit == Culprit::kOurs) {
      issue_.blame = blame->Text();
      console_.Warn(format("{}: do not report this failure: {}", test_.folder, blame->reason));
      return;
    }
    // Without a pass, it is plain that the only program causes its own failure.
    const bool plain = target_.command == nullptr || target_.command->steps.size() == 1;
    if (!blame->pass) {
      if (!plain) issue_.blame = blame->Text();
      return;
    }
    const FailingPass& pass = *blame->pass;
    issue_.pass = pass.flag;
    issue_.program = blame->stage;
    TryOnePass(blame->stage);
    if (runs_.one_pass) {
      issue_.blame = format("The optimiser pass `{}` alone causes the failure.", pass.flag);
      return;
    }
    issue_.blame =
        format("The failure begins with pass {} of {} of {}: `{}`.{}", pass.number, pass.count,
               blame->stage, pass.flag,
               pass.alone ? " This pass fails on the output of the passes before it." : "");
  }

  // Often the pass alone is enough, and its command is simpler.
  void TryOnePass(const std::string& tool) {
    const Result<std::vector<std::string>> flags = PassList({issue_.pass});
    CommandTarget command = *target_.command;
    const auto step = std::find_if(command.steps.begin(), command.steps.end(),
                                   [&](const CommandStep& each) { return each.name == tool; });
    if (step == command.steps.end()) return;
    std::vector<std::string> alone = flags ? *flags : std::vector<std::string>{issue_.pass};
    if (PassesOf(*step) == alone) return;
    *step = WithPassFlags(*step, alone);
    Target one = target_;
    one.command = std::make_shared<const CommandTarget>(std::move(command));
    if (IsWrongOutput(issue_.record.verdict)) {
      const Result<TestRun> run = RunShown(one);
      if (!run || !run->matches) return;
    } else if (!Fails(one, runs_.small ? test_.small->modules[0].job.spirv
                                       : test_.modules.back().job.spirv)) {
      return;
    }
    runs_.one_pass = std::move(one);
  }

  // What the test does on a target, in words; empty if that says nothing about the failure.
  std::string Seen(const Target& target) {
    const Result<TestRun> run = RunShown(target);
    if (!run) return {};
    // A limit was reached, which says nothing about the module.
    const RunOutcome ended = run->variant.verdict;
    const bool interpreted = target.kind == Target::Kind::kInterpreter;
    if (interpreted && (ended == RunOutcome::kHang || ended == RunOutcome::kUnsupported)) return {};
    if (run->matches) return "the same failure";
    if (!run->finding.original_fails.empty()) return "the original module fails, too";
    if (run->finding.verdict) return run->finding.signature;
    const bool small = runs_.small && IsWrongOutput(test_.record.verdict);
    if (small || test_.modules.size() == 1) return "the output is correct";
    if (target.kind == Target::Kind::kPipeline) return "both modules are compiled";
    const Image image = ImageAtLocation0(run->variant.outputs);
    const bool as_original = image.pixel_count() > 0 && issue_.pixels &&
                             image == ImageAtLocation0(runs_.shown->original.outputs);
    if (as_original) return "correct: both modules give the image of the original";
    return IsWrongOutput(test_.record.verdict) ? "no failure: both modules give the same result"
                                               : "no failure";
  }

  void LookAtVersions() {
    for (const Target& known : test_.targets) {
      if (known.name == target_.name || !known.missing.empty()) continue;
      if (!IsSameProgram(known, target_)) continue;
      Target other = known;
      if (target_.command != nullptr) TakePasses(&other);
      const TargetState state = harness_.Probe(other);
      if (!state.available || state.version == version_ || state.device.driver != driver_) continue;
      const std::string seen = Seen(other);
      if (!seen.empty()) issue_.versions.push_back({known.name, state.version, seen});
    }
    if (issue_.versions.empty()) return;
    issue_.versions.insert(issue_.versions.begin(), {target_.name, version_, "the failure"});
  }

  // A target that takes passes gets those of the test.
  void TakePasses(Target* other) const {
    CommandTarget command = *other->command;
    for (size_t i = 0; i < command.steps.size(); ++i) {
      command.steps[i].passes = target_.command->steps[i].passes;
    }
    other->command = std::make_shared<const CommandTarget>(std::move(command));
  }

  void LookAtOthers() {
    // If a tool itself failed, no driver has to do with it.
    if (target_.command != nullptr && !IsWrongOutput(issue_.record.verdict)) return;
    for (const Target& other : test_.targets) {
      if (other.name == target_.name || other.command != nullptr || !other.missing.empty())
        continue;
      // A driver without hardware writes no outputs that could be those of the interpreter.
      const bool small = runs_.small && IsWrongOutput(issue_.record.verdict);
      if (other.kind == Target::Kind::kPipeline && (test_.expected || small)) continue;
      const TargetState state = harness_.Probe(other);
      if (!state.available) continue;
      const bool same_driver = !driver_.empty() && state.device.driver == driver_;
      if (same_driver && state.version != version_) continue;  // LookAtVersions ran it
      const std::string seen = Seen(other);
      const std::string name = other.kind == Target::Kind::kInterpreter
                                   ? "the reference interpreter of Refract"
                                   : other.name;
      if (!seen.empty()) issue_.others.push_back({name, state.version, seen});
    }
  }

  const IssueTest& test_;
  const Target& target_;
  Console& console_;
  Issue& issue_;
  Harness harness_;
  IssueRuns runs_;
  std::string version_, driver_;
};

}  // namespace

Result<IssueRuns> RunForIssue(const IssueTest& test, uint64_t times, Console& console,
                              Issue* issue) {
  return Runner(test, console, issue).Run(times);
}

bool IsSameProgram(const Target& a, const Target& b) {
  if (a.kind != b.kind) return false;
  if (a.command == nullptr || b.command == nullptr) return a.kind != Target::Kind::kInterpreter;
  const std::vector<CommandStep>&one = a.command->steps, &other = b.command->steps;
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const CommandStep& x, const CommandStep& y) {
                      return x.name == y.name && std::equal(x.argv.begin() + 1, x.argv.end(),
                                                            y.argv.begin() + 1, y.argv.end());
                    });
}

}  // namespace cli
}  // namespace refract
