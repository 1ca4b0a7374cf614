// SPDX-License-Identifier: Apache-2.0
#include "cli/reduce_judge.h"

#include "base/text.h"
#include "cli/target_options.h"

namespace refract::inline cli {
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
    return Error{format("--repeat {}: say how often of how often, e.g. 2/5", text),
                 ErrorKind::kUsage};
  }
  return repeat;
}

RunSettings SettingsOf(const JudgeArguments& given) {
  RunSettings run;
  if (given.timeout) run.time_limit = static_cast<double>(*given.timeout);
  run.zero_inputs = given.zero_inputs;
  run.partial_subgroups = given.partial_subgroups;
  return run;
}

}  // namespace

void DeclareJudge(Options& options, JudgeArguments* given) {
  options.Arguments("SCRIPT", &given->script,
                    "Behind --: a program that exits with 0 if the module whose path is its last "
                    "argument is interesting, with its own arguments. Inputs are beside the module "
                    "with the ending .json. It is started in an empty folder of its own");
  DeclareTarget(
      options, "--target,--targets", &given->target,
      "Instead of a script: interesting is what fails on this target (`refract targets`)");
  DeclareTargetFiles(options, &given->target_files,
                     "Descriptions of your own command targets (docs/targets.md)");
  options.Text("--signature", "TEXT", &given->signature,
               "With --target: what the failure must be called (default: as the variant's is)");
  options.Flag("--wrong-image", &given->wrong_image,
               "With --target: the failure must be a wrong picture or buffer");
  options.Choice("--rule", &given->rule, {"auto", "exact", "stable", "histogram"},
                 "With --target: what counts as wrong, as in `refract run`");
  options.Flag("--interp", &given->interp,
               "Instead of a script: interesting is what the interpreter says computes something "
               "else than MODULE, which is our own fault");
  options.Text("--repeat", "K/N", &given->repeat,
               "For bugs that come and go: interesting is what is so K times of N");
  options.Number("--timeout", &given->timeout,
                 "Seconds after which a script is killed, and the module not interesting (default: "
                 "ten times the first run, at least 10); on a target, until a run counts as hung "
                 "(default: 10, at least 20 times what MODULE takes)",
                 1, 86400);
  options.Flag("--validate", &given->validate, "Only valid modules are interesting");
  options.Flag("--zero-inputs", &given->zero_inputs,
               "With --target or --interp: what is read but not given is zero");
  options.Flag("--partial-subgroups", &given->partial_subgroups,
               "With --target: as in `refract run`");
}

Status CheckJudge(const JudgeArguments& given) {
  const int judges =
      (given.script.empty() ? 0 : 1) + (given.target.empty() ? 0 : 1) + (given.interp ? 1 : 0);
  if (judges != 1) {
    return Error{judges == 0 ? "what is interesting? Give a script behind --, or --target, or "
                               "--interp"
                             : "a script, --target and --interp exclude one another",
                 ErrorKind::kUsage};
  }
  if (given.target.empty() && (!given.signature.empty() || given.wrong_image)) {
    return Error{"--signature and --wrong-image go with --target", ErrorKind::kUsage};
  }
  if (!given.signature.empty() && given.wrong_image) {
    return Error{"--signature and --wrong-image exclude one another", ErrorKind::kUsage};
  }
  const Result<Repeat> repeat = ParseRepeat(given.repeat);
  return repeat ? Status() : Status(repeat.error());
}

std::string JudgeKey(const JudgeArguments& given) {
  std::vector<std::string> key = {given.target,
                                  given.signature,
                                  given.wrong_image ? "wrong" : "",
                                  given.interp ? "interp" : "",
                                  given.rule,
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

Result<std::unique_ptr<ChosenJudge>> ChosenJudge::Make(const JudgeArguments& given,
                                                       const Original& original,
                                                       const message::Recording& recording,
                                                       const std::atomic<bool>* stop,
                                                       Console& console) {
  std::unique_ptr<ChosenJudge> chosen(new ChosenJudge);
  chosen->run_ = SettingsOf(given);
  if (Status done = chosen->Choose(given, original, recording, stop, console); !done) {
    return done.error();
  }
  if (given.validate) {
    chosen->outermost_ = &chosen->validating_.emplace(*chosen->outermost_, original);
  }
  const Result<Repeat> repeat = ParseRepeat(given.repeat);
  if (!repeat) return repeat.error();
  if (repeat->times > 1) {
    chosen->outermost_ =
        &chosen->repeated_.emplace(*chosen->outermost_, static_cast<uint32_t>(repeat->wanted),
                                   static_cast<uint32_t>(repeat->times));
  }
  return chosen;
}

Status ChosenJudge::Choose(const JudgeArguments& given, const Original& original,
                           const message::Recording& recording, const std::atomic<bool>* stop,
                           Console& console) {
  if (!given.script.empty()) {
    Result<ScriptJudge> script = ScriptJudge::Make(
        given.script, given.timeout ? static_cast<double>(*given.timeout) : 0, stop);
    if (!script) return script.error();
    outermost_ = &script_.emplace(std::move(*script));
    return {};
  }
  if (!given.target.empty()) return ChooseTarget(given, original, recording, console);
  Result<Interpretation> interpretation = Interpretation::Of(original, run_);
  if (!interpretation) return interpretation.error();
  if (!interpretation->undefined().empty()) {
    return Error{format("{}: undefined behaviour, so nothing can be said of a variant: {}",
                        original.file, interpretation->undefined().front())};
  }
  outermost_ = &interp_.emplace(original, std::move(*interpretation));
  return {};
}

Status ChosenJudge::ChooseTarget(const JudgeArguments& given, const Original& original,
                                 const message::Recording& recording, Console& console) {
  Result<Target> target = FindTarget(given.target, given.target_files);
  if (!target) return target.error();
  target_found_ = *target;
  TargetJudgeOptions options;
  options.target = std::move(*target);
  options.signature = given.signature;
  options.wrong_output = given.wrong_image;
  options.rule = RuleByName(given.rule);
  options.run = run_;
  if (given.wrong_image) {
    Interpret(original, true, console);
    const bool undefined = interpretation_ && !interpretation_->undefined().empty();
    if (undefined || recording.crash_only) {
      return Error{format("{}: undefined behaviour, so its pictures say nothing{}", original.file,
                          undefined ? ": " + interpretation_->undefined().front() : "")};
    }
  }
  options.interpret = [this, &original, &console, wrong_image = given.wrong_image] {
    return Interpret(original, wrong_image, console);
  };
  Result<std::unique_ptr<TargetJudge>> judge =
      TargetJudge::Make(original, std::move(options), nullptr, harness_);
  if (!judge) return judge.error();
  target_ = std::move(*judge);
  outermost_ = target_.get();
  return {};
}

const Interpretation* ChosenJudge::Interpret(const Original& original, bool wrong_image,
                                             Console& console) {
  if (!interpreted_) {
    interpreted_ = true;
    Result<Interpretation> made = Interpretation::Of(original, run_);
    if (!made) {
      if (wrong_image) console.Say(format("not asking the interpreter: {}", made.error().message));
    } else {
      interpretation_ = std::move(*made);
      const Extent& extent = interpretation_->judgement().extent;
      if (!extent.is_whole()) {
        console.Say(format("{}: judged on {}; outputs are compared by histograms (docs/cli.md)",
                           original.file, ExtentText(extent)));
      }
    }
  }
  const bool usable = interpretation_ && interpretation_->undefined().empty();
  return usable ? &*interpretation_ : nullptr;
}

std::string ChosenJudge::WhyNot() {
  if (script_) return script_->FirstOutput();
  if (target_ == nullptr) return "the interpreter says that it computes what MODULE does\n";
  const Finding first = target_->First();
  if (!first.original_fails.empty()) return first.original_fails + "\n";
  if (!first.verdict) return format("{}: it does as MODULE does\n", target_found_.name);
  const std::string wanted = target_->signature();
  return format(
      "{}: {} ({}){}\n", target_found_.name, first.signature, first.what,
      wanted.empty() || wanted == first.signature ? "" : format("; --signature says '{}'", wanted));
}

}  // namespace refract::inline cli
