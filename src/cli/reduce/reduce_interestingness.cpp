// SPDX-License-Identifier: Apache-2.0
#include "cli/reduce/reduce_interestingness.h"

#include "base/shell.h"
#include "base/text.h"
#include "cli/comparison_options.h"
#include "cli/target_options.h"
#include "engine/certifier.h"

namespace refract {
inline namespace cli {
namespace {

struct Repeat {
  uint64_t wanted = 1, times = 1;
};

Result<Repeat> ParseRepeat(const std::string& text) {
  Repeat repeat;
  if (text.empty()) return repeat;
  const std::vector<std::string> parts = Split(text, '/');
  if (parts.size() != 2 || !ParseNumber(parts[0], &repeat.wanted) ||
      !ParseNumber(parts[1], &repeat.times) || repeat.wanted == 0 || repeat.wanted > repeat.times ||
      repeat.times > 1000) {
    return Error{
        format("--repeat {}: expected K/N such as 2/5, with K at most N and N at most 1000", text),
        ErrorKind::kUsage};
  }
  return repeat;
}

RunSettings SettingsOf(const InterestingnessArguments& given) {
  RunSettings run;
  if (given.timeout) run.time_limit = static_cast<double>(*given.timeout);
  run.zero_inputs = given.zero_inputs;
  run.partial_subgroups = given.partial_subgroups;
  return run;
}

}  // namespace

void DeclareInterestingnessOptions(Options& options, InterestingnessArguments* given) {
  options.Arguments(
      "SCRIPT", &given->script,
      "After --: the interestingness test, a program with its arguments, to which Refract adds the "
      "path of a module; it must exit with 0 if this module is interesting. The inputs are in the "
      "same folder, with the extension .json. The program starts in a new, empty folder");
  DeclareTarget(options, "--target,--targets", &given->target,
                "Instead of SCRIPT: a module is interesting if it fails on this target (see "
                "`refract targets`)");
  DeclareTargetFiles(options, &given->target_files,
                     "Descriptions of your own drivers and tools (docs/targets.md)");
  options.Text(
      "--signature", "TEXT", &given->signature,
      "With --target: the signature that the failure must have (default: that of the variant)");
  options.Flag("--wrong-image", &given->wrong_image,
               "With --target: only a wrong image or a wrong buffer is interesting");
  options.Choice("--rule", &given->rule,
                 {"auto", "exact", "bounded", "stable", "spatial", "histogram"},
                 "With --target: how outputs are compared, as in `refract run`");
  DeclareThresholds(options, &given->thresholds);
  options.Flag("--interp", &given->interp,
               "Instead of SCRIPT: a module is interesting if the interpreter computes other "
               "outputs for it than for MODULE, which is a bug of Refract");
  options.Text("--repeat", "K/N", &given->repeat,
               "For failures that do not occur in every run: a module is interesting if at least K "
               "of N runs are");
  options.Number(
      "--timeout", &given->timeout,
      "Time limit in seconds. A script that takes longer is killed, and the module is not "
      "interesting (default: ten times the first run, at least 10). With --target, a run that "
      "takes longer is a hang (default: 10; always at least 20 times what MODULE takes)",
      1, 86400);
  options.Flag("--validate", &given->validate, "Only valid modules are interesting");
  options.Flag("--zero-inputs", &given->zero_inputs,
               "With --target or --interp: use zeros for missing inputs");
  options.Flag("--partial-subgroups", &given->partial_subgroups,
               "With --target: as in `refract run`");
}

Status CheckInterestingnessArguments(const InterestingnessArguments& given) {
  const int judges =
      (given.script.empty() ? 0 : 1) + (given.target.empty() ? 0 : 1) + (given.interp ? 1 : 0);
  if (judges != 1) {
    return Error{judges == 0 ? "no interestingness test: pass --target, --interp or -- SCRIPT"
                             : "SCRIPT, --target and --interp exclude each other",
                 ErrorKind::kUsage};
  }
  if (given.target.empty() && (!given.signature.empty() || given.wrong_image)) {
    return Error{"--signature and --wrong-image require --target", ErrorKind::kUsage};
  }
  if (!given.signature.empty() && given.wrong_image) {
    return Error{"--signature and --wrong-image exclude each other", ErrorKind::kUsage};
  }
  if (const auto thresholds = TakeThresholds(given.thresholds); !thresholds) {
    return thresholds.error();
  }
  const Result<Repeat> repeat = ParseRepeat(given.repeat);
  return repeat ? Status() : Status(repeat.error());
}

std::string InterestingnessKey(const InterestingnessArguments& given) {
  std::vector<std::string> key = {given.target,
                                  given.signature,
                                  given.wrong_image ? "wrong" : "",
                                  given.interp ? "interp" : "",
                                  given.rule,
                                  given.thresholds,
                                  given.repeat,
                                  given.timeout ? format("{}", *given.timeout) : "",
                                  given.validate ? "validate" : "",
                                  given.zero_inputs ? "zero" : "",
                                  given.partial_subgroups ? "partial" : ""};
  key.insert(key.end(), given.script.begin(), given.script.end());
  std::string line = ShellLine(key);
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  return line;
}

Result<std::unique_ptr<ChosenTest>> ChosenTest::Make(const InterestingnessArguments& given,
                                                     const Original& original,
                                                     const message::Recording* recording,
                                                     const std::atomic<bool>* stop,
                                                     Console& console) {
  std::unique_ptr<ChosenTest> chosen(new ChosenTest);
  chosen->run_ = SettingsOf(given);
  if (Status done = chosen->Choose(given, original, recording, stop, console); !done) {
    return done.error();
  }
  if (given.validate) {
    chosen->outermost_ = &chosen->validating_.emplace(*chosen->outermost_, original);
  }
  const Result<Repeat> repeat = ParseRepeat(given.repeat);
  if (!repeat) return repeat.error();
  chosen->wanted_runs_ = static_cast<uint32_t>(repeat->wanted);
  chosen->runs_ = static_cast<uint32_t>(repeat->times);
  if (chosen->runs_ > 1) {
    chosen->outermost_ =
        &chosen->repeated_.emplace(*chosen->outermost_, chosen->wanted_runs_, chosen->runs_);
  }
  return chosen;
}

Status ChosenTest::Choose(const InterestingnessArguments& given, const Original& original,
                          const message::Recording* recording, const std::atomic<bool>* stop,
                          Console& console) {
  if (!given.script.empty()) {
    Result<ScriptTest> script = ScriptTest::Make(
        given.script, given.timeout ? static_cast<double>(*given.timeout) : 0, stop);
    if (!script) return script.error();
    outermost_ = &script_.emplace(std::move(*script));
    return {};
  }
  if (!given.target.empty()) return ChooseTarget(given, original, recording, console);
  Result<Interpretation> interpretation = Interpretation::Of(original, run_);
  if (!interpretation) return interpretation.error();
  if (!interpretation->undefined().empty()) {
    return Error{
        format("{}: the original has undefined behaviour, so its variants cannot be judged: {}",
               original.file, interpretation->undefined().front())};
  }
  const bool needs_certificate = recording != nullptr && NeedsCertificate(*recording);
  outermost_ = &interp_.emplace(original, std::move(*interpretation), needs_certificate);
  return {};
}

Status ChosenTest::ChooseTarget(const InterestingnessArguments& given, const Original& original,
                                const message::Recording* recording, Console& console) {
  Result<Target> target = FindTarget(given.target, given.target_files);
  if (!target) return target.error();
  target_found_ = *target;
  if (recording == nullptr) {
    failing_ = std::make_unique<FailingTest>(original, std::move(*target), given.signature, run_,
                                             harness_);
    outermost_ = failing_.get();
    return {};
  }
  TargetTestOptions options;
  options.target = std::move(*target);
  options.signature = given.signature;
  options.wrong_output = given.wrong_image;
  options.needs_certificate = NeedsCertificate(*recording);
  const Result<Thresholds> thresholds = TakeThresholds(given.thresholds);
  if (!thresholds) return thresholds.error();
  options.thresholds = *thresholds;
  if (const auto rule = RuleByName(given.rule)) {
    options.rule = *rule;
    options.rule->thresholds = *thresholds;
  }
  options.run = run_;
  if (given.wrong_image) {
    Interpret(original, true, console);
    const bool undefined = interpretation_ && !interpretation_->undefined().empty();
    if (undefined || recording->crash_only) {
      return Error{
          format("{}: the original has undefined behaviour, so its images are not meaningful{}",
                 original.file, undefined ? ": " + interpretation_->undefined().front() : "")};
    }
  }
  options.interpret = [this, &original, &console, wrong_image = given.wrong_image] {
    return Interpret(original, wrong_image, console);
  };
  Result<std::unique_ptr<TargetTest>> interestingness =
      TargetTest::Make(original, std::move(options), nullptr, harness_);
  if (!interestingness) return interestingness.error();
  target_ = std::move(*interestingness);
  outermost_ = target_.get();
  return {};
}

const Interpretation* ChosenTest::Interpret(const Original& original, bool wrong_image,
                                            Console& console) {
  if (!interpreted_) {
    interpreted_ = true;
    Result<Interpretation> made = Interpretation::Of(original, run_);
    if (!made) {
      if (wrong_image) console.Say(format("the interpreter is not used: {}", made.error().message));
    } else {
      interpretation_ = std::move(*made);
      const Extent& extent = interpretation_->check().extent;
      if (!extent.is_whole()) {
        console.Say(format(
            "{}: the interpreter judged only {}; other pixels are compared under rule spatial",
            original.file, ExtentText(extent)));
      }
    }
  }
  const bool usable = interpretation_ && interpretation_->undefined().empty();
  return usable ? &*interpretation_ : nullptr;
}

std::string ChosenTest::signature() {
  if (failing_ != nullptr) return failing_->signature();
  return target_ != nullptr ? target_->signature() : std::string();
}

std::string ChosenTest::WhyNotInteresting() {
  if (script_) return script_->FirstOutput();
  if (target_ == nullptr && failing_ == nullptr)
    return "the interpreter computes the same outputs for the variant as for MODULE\n";
  const Finding first = failing_ != nullptr ? failing_->First() : target_->First();
  if (!first.original_fails.empty()) return first.original_fails + "\n";
  if (!first.verdict && failing_ != nullptr) {
    const std::string not_judged = failing_->NotJudged();
    if (not_judged.empty()) {
      return format("{}: the module does not fail, and its output is that of the interpreter\n",
                    target_found_.name);
    }
    return format(
        "{}: the module does not fail; the interpreter cannot tell which output is correct: {}\n",
        target_found_.name, not_judged);
  }
  if (!first.verdict) return format("{}: the variant does not fail\n", target_found_.name);
  const std::string wanted = signature();
  return format("{}: {} ({}){}\n", target_found_.name, first.signature, first.what,
                wanted.empty() || wanted == first.signature
                    ? ""
                    : format("; --signature requires '{}'", wanted));
}

}  // namespace cli
}  // namespace refract
