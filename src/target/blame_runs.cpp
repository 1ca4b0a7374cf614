// SPDX-License-Identifier: Apache-2.0
#include "target/blame_runs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "ir/binary.h"
#include "ir/rules/flow_quirks.h"
#include "ir/validity/validity.h"
#include "target/pass_bisect.h"
#include "target/run_commands.h"

namespace refract {
inline namespace target {
namespace {

/// Why Refract's rules refuse a module; empty if they accept it.
std::string FaultOf(const std::vector<uint32_t>& words) {
  const Result<Module> module = ReadModule(words, "module");
  if (!module) return module.error().message;
  const Status checked = CheckModule(*module);
  return checked ? std::string() : checked.error().message;
}

/// True for outcomes that do not show whether the module or the target is wrong.
bool IsNoFault(FailureClass verdict) {
  return verdict == FailureClass::kUnsupported || verdict == FailureClass::kOutOfMemory ||
         verdict == FailureClass::kSlow;
}

/// The target with only its first `count` commands, without drawing.
CommandTarget FirstSteps(const CommandTarget& target, size_t count) {
  CommandTarget first = target;
  first.steps.resize(count);
  first.render = CommandTarget::Render::kNone;
  return first;
}

class BlameFinder {
 public:
  BlameFinder(Harness& harness, const BlameInputs& question) : harness_(harness), q_(question) {}

  std::optional<Blame> Take() {
    const Finding finding =
        FindingOf(q_.target.name, q_.original_result, q_.variant_result, q_.rule, q_.layouts);
    if (!finding.verdict || IsNoFault(*finding.verdict)) return std::nullopt;
    table_.failure = *finding.verdict;
    table_.command = q_.variant_result.command;
    table_.variant.module = "the variant";
    // If Refract's rules refuse the original too, their refusal of the variant shows nothing.
    if (FaultOf(q_.original.spirv).empty()) table_.variant_refusal = FaultOf(q_.variant.spirv);
    FindDrivers();
    if (table_.command.empty()) {
      LookAtDrawing();
    } else {
      LookAtCommand();
    }
    Blame blame = Decide(table_);
    if (blame.culprit == Culprit::kTool || blame.culprit == Culprit::kValidator ||
        blame.culprit == Culprit::kUnclear) {
      blame.pass = FindPass(blame);
    }
    return blame;
  }

 private:
  /// Where a module runs; nullopt stands for no target.
  using Place = std::optional<Target>;

  void FindDrivers() {
    if (q_.target.command == nullptr) {
      if (q_.target.kind != Target::Kind::kInterpreter) driver_ = q_.target;
    } else if (q_.target.command->render != CommandTarget::Render::kNone) {
      if (Result<Target> driver = harness_.DriverOf(*q_.target.command)) {
        driver_ = std::move(*driver);
      }
    }
    if (driver_) table_.driver = driver_->name;
  }

  /// A driver other than the one that draws. It is searched for on the first call.
  const Place& Second() {
    if (second_sought_) return second_;
    second_sought_ = true;
    for (const Target& driver : refract::FindDrivers()) {
      if (driver.kind != Target::Kind::kRender || !driver.missing.empty()) continue;
      if (driver_ && driver.icd == driver_->icd) continue;
      if (!harness_.Probe(driver).available) continue;
      second_ = driver;
      break;
    }
    return second_;
  }

  Result<RunResult> RunAt(const Target& place, const Job& job) {
    Result<RunResult> result = harness_.Run(place, job);
    const bool limit =
        place.kind == Target::Kind::kInterpreter && result && result->verdict == RunOutcome::kHang;
    if (limit) return Error{result->detail, ErrorKind::kUnavailable};
    return result;
  }

  /// Runs `original` at `place`. Results of the unchanged original are kept, because they are
  /// needed often.
  Result<RunResult> Baseline(const Target& place, const Job& original) {
    if (&original != &q_.original) return RunAt(place, original);
    const auto known = plain_.find(place.name);
    if (known != plain_.end()) return known->second;
    Result<RunResult> result = RunAt(place, original);
    if (result) plain_.emplace(place.name, *result);
    return result;
  }

  ComparedRun Look(const Place& place, const Job& original, const Job& variant) {
    if (!place) return ComparedRun::kNotRun;
    const Result<RunResult> before = Baseline(*place, original);
    if (!before || before->verdict != RunOutcome::kOk) return ComparedRun::kNotRun;
    Job job = variant;
    job.time_limit = std::max(job.time_limit, 20 * before->seconds);
    const Result<RunResult> after = RunAt(*place, job);
    if (!after) return ComparedRun::kNotRun;
    const Finding finding = FindingOf(place->name, *before, *after, q_.rule, q_.layouts);
    if (!finding.verdict) return ComparedRun::kSame;
    if (IsNoFault(*finding.verdict)) return ComparedRun::kNotRun;
    return IsWrongOutput(finding) ? ComparedRun::kDiffers : ComparedRun::kFails;
  }

  /// Asks the interpreter and, if it cannot run the modules, the second driver. The output of a
  /// tool is compared with the output for the original. If that fails on the witness, it is
  /// compared with the original itself.
  void AskWitness(const Job& original, const Job& variant, BlameRow* row) {
    const auto look = [&](const Place& place) {
      const ComparedRun seen = Look(place, original, variant);
      if (seen != ComparedRun::kNotRun || &original == &q_.original) return seen;
      return Look(place, q_.original, variant);
    };
    row->interp = look(interpreter_);
    if (row->interp == ComparedRun::kNotRun) row->second = look(Second());
  }

  void LookAtDrawing() {
    table_.variant.driver = Look(driver_, q_.original, q_.variant);
    AskWitness(q_.original, q_.variant, &table_.variant);
    if (q_.target.command == nullptr || table_.variant.driver != ComparedRun::kSame) return;
    const CommandTarget& target = *q_.target.command;
    for (size_t i = 0; i < target.steps.size(); ++i) {
      if (!target.steps[i].makes_spirv) continue;
      const CommandTarget first = FirstSteps(target, i + 1);
      Result<RunResult> original = RunTools(first, q_.original);
      Result<RunResult> variant = RunTools(first, q_.variant);
      if (!original || !variant || original->verdict != RunOutcome::kOk ||
          variant->verdict != RunOutcome::kOk) {
        return;  // not reproduced: both succeeded before
      }
      BlameRow row;
      row.command = MakerOf(i);
      row.module = format("what {} made of it", row.command);
      const Job before = DrawingJob(q_.original, std::move(original->spirv));
      const Job after = DrawingJob(q_.variant, std::move(variant->spirv));
      if (i + 1 < target.steps.size()) row.driver = Look(driver_, before, after);
      AskWitness(before, after, &row);
      table_.made.push_back(std::move(row));
      steps_.push_back(i);
    }
  }

  /// The name of the command, with the commands before it that made its input if that is a text:
  /// "spirv-cross + glslangValidator".
  std::string MakerOf(size_t step) const {
    const std::vector<CommandStep>& steps = q_.target.command->steps;
    std::string name = steps[step].name;
    for (size_t i = step; i > 0 && !steps[i - 1].makes_spirv && !steps[i - 1].only_checks; --i) {
      name = format("{} + {}", steps[i - 1].name, name);
    }
    return name;
  }

  void LookAtCommand() {
    const std::vector<CommandStep>& steps = q_.target.command->steps;
    failing_ = FailingStep();
    const CommandStep& step = steps[failing_];
    table_.only_validates = step.only_checks;
    if (failing_ > 0 && !steps[failing_ - 1].makes_spirv && !steps[failing_ - 1].only_checks) {
      table_.text_producer = steps[failing_ - 1].name;
    }
    const bool refused = table_.failure == FailureClass::kInvalidOutput;
    if (!refused && !table_.only_validates) return;
    const std::vector<uint32_t>& words = refused ? q_.variant_result.spirv : q_.variant.spirv;
    table_.output_refusal = refused ? FaultOf(words) : table_.variant_refusal;
    ValidationError refusal;
    refusal.message = refused ? q_.variant_result.validator_message : Signature(q_.variant_result);
    if (refused) {
      const auto found = FindInvalid(words, EnvironmentOf(q_.variant), q_.variant.validation);
      if (found) refusal = *found;
    }
    table_.about_control_flow = IsAboutFlow(refusal.message);
    if (const Result<Module> module = ReadModule(words, "module"); module && refused) {
      table_.quirk = QuirkOfRefusal(*module, refusal);
    }
  }

  /// The index of the command that failed: the only one of that name, else the first with which the
  /// failure happens again.
  size_t FailingStep() const {
    const CommandTarget& target = *q_.target.command;
    std::vector<size_t> named;
    for (size_t i = 0; i < target.steps.size(); ++i) {
      if (target.steps[i].name == table_.command) named.push_back(i);
    }
    for (const size_t i : named) {
      if (named.size() == 1) return i;
      const Result<RunResult> ran = RunTools(FirstSteps(target, i + 1), q_.variant);
      if (ran && ran->verdict == q_.variant_result.verdict) return i;
    }
    return named.empty() ? 0 : named.front();
  }

  Result<RunResult> RunTools(const CommandTarget& target, const Job& job) const {
    return RunCommands(target, job, &harness_.stopped());
  }

  /// The variant after the commands before `step`; nothing if one of them fails.
  std::optional<Job> InputOf(size_t step) const {
    if (step == 0) return q_.variant;
    Result<RunResult> ran = RunTools(FirstSteps(*q_.target.command, step), q_.variant);
    if (!ran || ran->verdict != RunOutcome::kOk || ran->spirv.empty()) return std::nullopt;
    return DrawingJob(q_.variant, std::move(ran->spirv));
  }

  std::optional<FailingPass> FindPass(const Blame& blame) {
    if (q_.target.command == nullptr) return std::nullopt;
    size_t at = failing_;
    Place witness;
    if (table_.command.empty()) {
      if (blame.culprit != Culprit::kTool) return std::nullopt;
      const auto guilty =
          std::find_if(table_.made.begin(), table_.made.end(),
                       [&](const BlameRow& row) { return row.command == blame.stage; });
      if (guilty == table_.made.end()) return std::nullopt;
      at = steps_[static_cast<size_t>(guilty - table_.made.begin())];
      witness = guilty->interp != ComparedRun::kNotRun ? interpreter_ : Second();
    }
    const CommandStep& step = q_.target.command->steps[at];
    const std::vector<std::string> flags = PassesOf(step);
    if (flags.empty()) return std::nullopt;
    const std::optional<Job> input = InputOf(at);
    if (!input) return std::nullopt;
    const auto run = [&](const std::vector<std::string>& passes, const Job& job) {
      CommandTarget target;
      target.name = q_.target.name;
      target.render = CommandTarget::Render::kNone;
      target.steps = {WithPassFlags(step, passes)};
      target.steps[0].time_limit = std::min(step.time_limit, q_.time_limit);
      return RunTools(target, job);
    };
    const auto wrong = [&](Result<RunResult> ran) {
      if (!ran) return false;
      if (!table_.command.empty()) return ran->verdict == q_.variant_result.verdict;
      if (ran->verdict != RunOutcome::kOk) return false;
      const ComparedRun seen =
          Look(witness, q_.original, DrawingJob(q_.variant, std::move(ran->spirv)));
      return seen == ComparedRun::kDiffers || seen == ComparedRun::kFails;
    };
    return BisectPasses(
        flags, [&](const std::vector<std::string>& passes) { return wrong(run(passes, *input)); },
        [&](size_t before, const std::string& flag) {
          Result<RunResult> made =
              run({flags.begin(), flags.begin() + static_cast<std::ptrdiff_t>(before)}, *input);
          if (!made || made->verdict != RunOutcome::kOk) return false;
          return wrong(run({flag}, DrawingJob(*input, std::move(made->spirv))));
        });
  }

  Harness& harness_;
  const BlameInputs& q_;
  BlameTable table_;
  std::vector<size_t> steps_;               // for each row of table_.made, the index of its command
  std::map<std::string, RunResult> plain_;  // results of the original, by name of the place
  size_t failing_ = 0;                      // index of the command that failed, if one did
  Place driver_;
  Place second_;
  bool second_sought_ = false;
  const Place interpreter_ = Target{.name = "interp",
                                    .kind = Target::Kind::kInterpreter,
                                    .icd = {},
                                    .environment = {},
                                    .missing = {}};
};

}  // namespace

std::optional<Blame> FindBlame(Harness& harness, const BlameInputs& question) {
  return BlameFinder(harness, question).Take();
}

}  // namespace target
}  // namespace refract
