// SPDX-License-Identifier: Apache-2.0
// refract reduce: finds the few steps of a recording that are needed to show a failure. Without a
// recording, it makes a module smaller.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "cli/campaign/progress_line.h"
#include "cli/interruption.h"
#include "cli/original_options.h"
#include "cli/outputs.h"
#include "cli/paths.h"
#include "cli/recording_files.h"
#include "cli/reduce/reduce_arguments.h"
#include "cli/reduce/reduce_folder.h"
#include "cli/reduce/reduce_interestingness.h"
#include "cli/reduce/reduce_module.h"
#include "cli/reduce/reduce_smallest.h"
#include "cli/verbs.h"
#include "engine/replay.h"
#include "engine/validity.h"
#include "reduce/reduce.h"
#include "reduce/smallest_wrong_output.h"
#include "wire/recording_file.h"

namespace refract {
inline namespace cli {
namespace {

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
        given_.interestingness, *original_, &recording_, &Interruption::asked, console_);
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

  bool WantsSmallest() const { return given_.smallest || !given_.folder.empty(); }

  bool IsWrongOutput() const {
    return chosen_->target() != nullptr && chosen_->target()->FoundWrongOutput();
  }

  bool Stops() {
    const double elapsed = MonotonicSeconds() - begin_;
    if (given_.budget && !Interruption::asked && elapsed > static_cast<double>(*given_.budget)) {
      budget_ended_ = true;
      Interruption::asked = true;  // ends the running tries
    }
    return Interruption::asked.load();
  }

  Result<Reduction> ReduceIt() {
    ReduceOptions options = ReduceOptionsOf(given_);
    options.smallest = [&] { return !IsWrongOutput() && WantsSmallest(); };
    options.stop = [&] { return Stops(); };
    ProgressLine line(console_);
    options.progress = [&](const Progress& progress) {
      line.Show(format(
          "{}: {}, {}, {:.0f} s", progress.phase == "smallest" ? "smallest" : "reducing",
          Counted(progress.size, progress.phase == "smallest" ? "instruction" : "step"),
          progress.tries == 1 ? "1 try" : format("{} tries", progress.tries), progress.seconds));
    };
    return Reduce(*original_, recording_, options, chosen_->interestingness());
  }

  // A smaller module computes something else, so that the original says nothing about its output.
  Result<SmallestWrongOutput> MakeSmallest(const Reduction& reduction) {
    ReduceOptions options = ReduceOptionsOf(given_);
    if (!given_.max_tries) options.smallest_tries = kWrongOutputTries;
    options.stop = [&] { return Stops(); };
    options.journal = SmallestJournalOf(given_);
    options.wanted_runs = chosen_->wanted_runs();
    options.runs = chosen_->runs();
    ProgressLine line(console_);
    options.progress = [&](const Progress& progress) {
      line.Show(format("smallest: {}, {}, {:.0f} s", Counted(progress.size, "instruction"),
                       progress.tries == 1 ? "1 try" : format("{} tries", progress.tries),
                       progress.seconds));
    };
    return ReduceWrongOutput(*original_, reduction.recording,
                             {reduction.words, reduction.inputs, reduction.context},
                             chosen_->chosen_target(), chosen_->run(), options, chosen_->harness());
  }

  void RemoveJournal() const {
    if (!JournalOf(given_).empty()) std::remove(JournalOf(given_).c_str());
    RemoveJournals(SmallestJournalOf(given_));
  }

  Result<ExitCode> Report(const Reduction& reduction) {
    if (reduction.end == Reduction::End::kNotInteresting) {
      RemoveJournal();
      console_.PrintError(format(
          "{}: the variant is not interesting{}", given_.recording,
          given_.interestingness.script.empty() ? "" : ": the script must exit with 0 for it"));
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
    if (console_.json) console_.Print(ToJson(reduction));
    Say(reduction, stopped);
    ExitCode end = code;
    SmallestWrongOutput smallest;
    if (WantsSmallest() && !stopped && IsWrongOutput()) {
      Result<SmallestWrongOutput> made = MakeSmallest(reduction);
      if (!made) return made.error();
      smallest = std::move(*made);
      if (Status said = WriteSmallest(given_, smallest, console_); !said) return said.error();
      if (smallest.is_stopped) end = budget_ended_ ? kBudgetEnded : kInterrupted;
    }
    if (!given_.folder.empty()) {
      Status written =
          WriteReducedFolder(given_.folder, *original_, recording_, reduction, smallest, *chosen_);
      if (!written) return written.error();
    }
    if (end == kDone) RemoveJournal();
    if (const auto fault =
            FindValidityError(reduction.context->module, reduction.words, *original_)) {
      const bool ours = fault->kind == ErrorKind::kFailed;
      return Error{format("{}the reduced module is {}: {}", ours ? "internal error: " : "",
                          ours ? "invalid" : "not validated", fault->message),
                   fault->kind};
    }
    return end;
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

Result<ExitCode> Run(const ReduceArguments& parsed, Console& console) {
  ReduceArguments given = parsed;
  SeparateScript(console, &given);
  if (Status fit = CheckReduceArguments(given, console); !fit) return fit.error();
  if (given.recording.empty()) return ReduceModuleWith(given, console);
  return ReduceRun(given, console).Run();
}

}  // namespace

const Verb kReduceVerb = {
    .name = "reduce",
    .summary = "Find the few steps of a recording, or the small module, that show a failure",
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
        "    refract reduce shader.frag variant.refract -o small.spv --target lavapipe\n\n"
        "  without a recording:\n"
        "    refract reduce module.spv -o small.spv -- ./crashes.sh",
    .exit_codes =
        {{kNotInteresting, "the variant, or MODULE without RECORDING, is not interesting"},
         {kBudgetEnded, "--budget ended first; the best result so far was written"},
         {kTargetMissing,
          "the target is not on this machine, cannot run MODULE, or is lost after a hang"},
         {kInterrupted, "^C; the best result so far was written"}},
    .main_options = {"--target", "--output", "--folder", "--timeout", "--time", "--jobs"},
    .declare = DeclareVerb<ReduceArguments, DeclareReduceArguments, Run>,
};

}  // namespace cli
}  // namespace refract
