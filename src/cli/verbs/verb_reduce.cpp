// SPDX-License-Identifier: Apache-2.0
// refract reduce: finds the few steps of a recording that are needed to show a failure.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "cli/interruption.h"
#include "cli/original_options.h"
#include "cli/outputs.h"
#include "cli/paths.h"
#include "cli/progress_line.h"
#include "cli/reduce_folder.h"
#include "cli/reduce_interestingness.h"
#include "cli/verbs.h"
#include "engine/replay.h"
#include "engine/validity.h"
#include "reduce/reduce.h"
#include "wire/recording_file.h"

namespace refract {
inline namespace cli {
namespace {

struct ReduceArguments {
  OriginalArguments original;
  std::string recording;
  std::string output;
  InterestingnessArguments interestingness;
  uint64_t jobs = 1;
  std::optional<uint64_t> budget;
  bool resume = false;
  bool plain = false;
  bool smallest = false;
  bool steps_only = false;
  std::string folder;
  std::string algorithm = "bisect";
};

void Declare(ReduceArguments& given, Options& options) {
  DeclareOriginal(options, &given.original, false);
  options.Argument("RECORDING", &given.recording,
                   "A .refract file, binary or text, whose variant is interesting");
  DeclareInterestingnessOptions(options, &given.interestingness);
  options.RequiredText("-o,--output", "OUT.spv", &given.output,
                       "Reduced variant. OUT.refract and, if there are inputs, OUT.json are "
                       "written to the same folder; - writes only the module, to standard output");
  options.Number("--jobs", &given.jobs,
                 "Number of parallel tries (default 1); the result does not depend on it", 1, 1024);
  options.Duration("--time,--budget", &given.budget,
                   "Stop after this time (seconds, or 90s, 8m, 1.5h), write the best result so "
                   "far, and exit with 6; --resume continues");
  options.Flag("--resume", &given.resume,
               "Continue a reduction that was interrupted or killed; OUT.reducing has its tries, "
               "which are not repeated");
  options.Flag("--smallest", &given.smallest,
               "Also shrink the whole module as long as it is interesting, whatever it computes, "
               "and write OUT.smallest.spv; use it for crashes, not for wrong images");
  options.Text("--folder", "DIR", &given.folder,
               "With --target: also write a test folder (docs/test-folder.md); unless the failure "
               "is a wrong output, it includes the module of --smallest");
  options.Flag("--steps-only", &given.steps_only,
               "Only leave out steps; do not make the remaining steps smaller");
  options.Choice("--algorithm", &given.algorithm, {"bisect", "halving", "counter"},
                 "Algorithm that chooses the steps to leave out (docs/reducing.md)");
  options.Flag("--plain", &given.plain,
               "Use the unchanged algorithm of Donaldson et al. (2021), to compare with");
}

std::string JournalOf(const ReduceArguments& given) {
  return given.output == "-" ? std::string() : ReplaceExtension(given.output, ".reducing");
}

std::string SmallestOf(const ReduceArguments& given) {
  return ReplaceExtension(given.output, ".smallest.spv");
}

Status CheckArguments(const ReduceArguments& given, const Console& console) {
  std::vector<std::string> inputs = InputFilesOf(given.original);
  inputs.push_back(given.recording);
  if (Status once = CheckOneStandardInput(inputs); !once) return once;
  if (Status alone = CheckStandardOutput(given.output, console.json, "--json"); !alone) {
    return alone;
  }
  if (given.output == "-" && (given.resume || given.smallest)) {
    return Error{"-o -: --resume and --smallest need a file next to the output; pass a file name",
                 ErrorKind::kUsage};
  }
  if (Status interestingness = CheckInterestingnessArguments(given.interestingness);
      !interestingness)
    return interestingness;
  if (!given.folder.empty() && given.interestingness.target.empty()) {
    return Error{"--folder requires --target", ErrorKind::kUsage};
  }
  if (given.smallest && (given.interestingness.wrong_image || given.interestingness.interp)) {
    return Error{
        "--smallest changes what the module computes; it excludes --wrong-image and --interp",
        ErrorKind::kUsage};
  }
  return CheckVariantOutput(given.output, {".json", ".refract", ".reducing", ".smallest.spv"},
                            inputs);
}

std::string Counted(size_t number, const char* what) {
  return format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string ToJson(const Reduction& reduction) {
  nlohmann::ordered_json json;
  json["steps"] = reduction.steps;
  json["instructions"] = reduction.instructions;
  json["tries"] = reduction.tries;
  json["minimal"] = reduction.minimal;
  json["seconds"] = reduction.seconds;
  return json.dump(2) + "\n";
}

Result<message::Recording> LoadRecording(const std::string& file) {
  const Result<std::string> bytes = ReadFile(file, kMaxRecordingBytes);
  if (!bytes) return bytes.error();
  return ReadRecording(*bytes, file);
}

Status Write(const ReduceArguments& given, const Reduction& reduction) {
  const std::string recording = WriteRecording(reduction.recording);
  if (Status written =
          WriteVariant(given.output, reduction.words, reduction.inputs.get(), &recording);
      !written) {
    return written;
  }
  if (reduction.smallest.empty() || !given.smallest) return {};
  const std::string_view bytes(reinterpret_cast<const char*>(reduction.smallest.data()),
                               4 * reduction.smallest.size());
  return WriteFile(SmallestOf(given), bytes);
}

// One reduction from the command line.
class ReduceRun {
 public:
  ReduceRun(const ReduceArguments& given, Console& console) : given_(given), console_(console) {}

  Result<ExitCode> Run() {
    if (Status loaded = Load(); !loaded) return loaded.error();
    const Interruption interruption;
    begin_ = MonotonicSeconds();
    Result<std::unique_ptr<ChosenTest>> interestingness = ChosenTest::Make(
        given_.interestingness, *original_, recording_, &Interruption::asked, console_);
    if (!interestingness) return interestingness.error();
    chosen_ = std::move(*interestingness);
    const Result<Reduction> reduction = ReduceIt();
    if (!reduction) {
      Error error = reduction.error();
      if (error.kind == ErrorKind::kUnavailable && !JournalOf(given_).empty()) {
        error.message += "; when the target works again, --resume continues";
      } else {
        RemoveJournal();
      }
      return error;
    }
    return Report(*reduction);
  }

 private:
  Status Load() {
    Result<message::Recording> recording = LoadRecording(given_.recording);
    if (!recording) return recording.error();
    recording_ = std::move(*recording);
    const Result<OriginalOptions> options = OriginalOptionsOf(recording_);
    if (!options) return Error{format("{}: {}", given_.recording, options.error().message)};
    Result<Original> original = LoadOriginal(given_.original, &*options, console_);
    if (!original) return original.error();
    original_ = std::make_unique<const Original>(std::move(*original));
    return {};
  }

  Result<Reduction> ReduceIt() {
    ReduceOptions options;
    options.algorithm = AlgorithmByName(given_.algorithm).value_or(Algorithm::kBisect);
    options.plain = given_.plain;
    options.jobs = static_cast<uint32_t>(given_.jobs);
    options.smallest = [&] {
      TargetTest* target = chosen_->target();
      if (target != nullptr && target->FoundWrongOutput()) return false;
      return given_.smallest || !given_.folder.empty();
    };
    options.shrink = !given_.steps_only;
    options.journal = JournalOf(given_);
    options.journal_key = InterestingnessKey(given_.interestingness);
    options.resume = given_.resume;
    options.stop = [&] {
      const double elapsed = MonotonicSeconds() - begin_;
      if (given_.budget && !Interruption::asked && elapsed > static_cast<double>(*given_.budget)) {
        budget_ended_ = true;
        Interruption::asked = true;  // ends the running tries
      }
      return Interruption::asked.load();
    };
    ProgressLine line(console_);
    options.progress = [&](const Progress& progress) {
      line.Show(format(
          "{}: {}, {}, {:.0f} s", progress.phase == "smallest" ? "smallest" : "reducing",
          Counted(progress.size, progress.phase == "smallest" ? "instruction" : "step"),
          progress.tries == 1 ? "1 try" : format("{} tries", progress.tries), progress.seconds));
    };
    return Reduce(*original_, recording_, options, chosen_->interestingness());
  }

  void RemoveJournal() const {
    if (!JournalOf(given_).empty()) std::remove(JournalOf(given_).c_str());
  }

  Result<ExitCode> Report(const Reduction& reduction) {
    if (reduction.end == Reduction::End::kNotInteresting) {
      RemoveJournal();
      console_.PrintError(format("{}: the variant is not interesting", given_.recording));
      for (const std::string& text : Split(Trim(chosen_->WhyNotInteresting()), '\n')) {
        console_.Say(text);
      }
      return kNotInteresting;
    }
    const bool stopped = reduction.end == Reduction::End::kStopped;
    const ExitCode code = !stopped ? kDone : budget_ended_ ? kBudgetEnded : kInterrupted;
    if (reduction.context == nullptr) {
      console_.PrintError(
          "the reduction ended before any module was known to be interesting; nothing was written");
      return code;
    }
    if (reduction.original_interesting) {
      console_.Warn(format("{}: the original is interesting too, so the steps may not be the cause",
                           original_->file));
    }
    if (Status written = Write(given_, reduction); !written) return written.error();
    if (!given_.folder.empty()) {
      Status written =
          WriteReducedFolder(given_.folder, *original_, recording_, reduction, *chosen_);
      if (!written) return written.error();
    }
    if (!stopped) RemoveJournal();
    if (console_.json) console_.Print(ToJson(reduction));
    Say(reduction, stopped);
    if (const auto fault =
            FindValidityError(reduction.context->module, reduction.words, *original_)) {
      const bool ours = fault->kind == ErrorKind::kFailed;
      return Error{format("{}the reduced module is {}: {}", ours ? "internal error: " : "",
                          ours ? "invalid" : "not validated", fault->message),
                   fault->kind};
    }
    return code;
  }

  void Say(const Reduction& reduction, bool stopped) {
    if (chosen_->target() != nullptr) console_.Say("failure: " + chosen_->target()->signature());
    console_.Say(format("{} of {}{}, {} different, in {:.1f} s{}", Counted(reduction.steps, "step"),
                        recording_.steps.size(), reduction.minimal ? " (all are needed)" : "",
                        Counted(reduction.instructions, "instruction"), reduction.seconds,
                        stopped ? ": ended early; --resume continues" : ""));
    console_.Say(format("tries: {}", reduction.tries));
    for (const message::Step& step : reduction.recording.steps) {
      console_.Say(format("  {:>5}  {}", step.number,
                          std::string(message::KindName(step.transformation.kind))));
    }
  }

  const ReduceArguments& given_;
  Console& console_;
  message::Recording recording_;
  std::unique_ptr<const Original> original_;
  std::unique_ptr<ChosenTest> chosen_;
  double begin_ = 0;
  bool budget_ended_ = false;
};

Result<ExitCode> Run(const ReduceArguments& given, Console& console) {
  if (Status fit = CheckArguments(given, console); !fit) return fit.error();
  return ReduceRun(given, console).Run();
}

}  // namespace

const Verb kReduceVerb = {
    .name = "reduce",
    .summary = "Find the few steps of a recording that are needed to show a failure",
    .example =
        "refract reduce shader.frag variant.refract -o small.spv -- ./crashes.sh\n\n"
        "  crashes.sh, if a program crashes on the module with a message:\n"
        "    #!/bin/sh\n"
        "    spirv-opt -O \"$1\" -o out.spv 2>&1 | grep -q \"Assertion .*IsScalar\"\n\n"
        "  image.sh, if a driver draws a wrong image (/path/to/shader.frag is MODULE):\n"
        "    #!/bin/sh\n"
        "    refract run /path/to/shader.frag \"$1\" --target lavapipe\n"
        "    test $? -eq 4\n\n"
        "  without a script:\n"
        "    refract reduce shader.frag variant.refract -o small.spv --target lavapipe",
    .exit_codes =
        {{kNotInteresting, "the variant is not interesting"},
         {kBudgetEnded, "--budget ended first; the best result so far was written"},
         {kTargetMissing,
          "the target is not on this machine, cannot run MODULE, or is lost after a hang"},
         {kInterrupted, "^C; the best result so far was written"}},
    .main_options = {"--target", "--output", "--folder", "--timeout", "--time", "--jobs"},
    .declare = DeclareVerb<ReduceArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
