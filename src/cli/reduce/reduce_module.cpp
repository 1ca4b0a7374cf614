// SPDX-License-Identifier: Apache-2.0
#include "cli/reduce/reduce_module.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/counted.h"
#include "base/text.h"
#include "cli/campaign/progress_line.h"
#include "cli/interruption.h"
#include "cli/outputs.h"
#include "glsl/companion_file.h"
#include "ir/binary.h"
#include "ir/call_graph.h"
#include "reduce/exact_output.h"
#include "reduce/reduce_module.h"

namespace refract {
inline namespace cli {
namespace {

std::string ToJson(const ModuleReduction& reduction) {
  nlohmann::ordered_json json;
  json["instructions"] = reduction.instructions;
  json["instructions_before"] = reduction.instructions_before;
  json["tries"] = reduction.tries;
  json["minimal"] = reduction.minimal;
  json["seconds"] = reduction.seconds;
  return json.dump(2) + "\n";
}

// A script may choose any entry point, so without --entry the first of several is as good as any. A
// target runs one.
std::string EntryFor(const ReduceArguments& given, const std::vector<uint32_t>& words) {
  if (!given.original.entry.empty() || !given.interestingness.target.empty()) {
    return given.original.entry;
  }
  const Result<Module> module = ReadModule(words, given.original.module);
  if (!module) return {};  // MakeOriginal reports the error
  const std::vector<EntryPoint> entries = EntryPoints(*module);
  return entries.empty() ? std::string() : entries[0].name;
}

Result<Original> LoadGivenModule(const ReduceArguments& given, Console& console) {
  const OriginalArguments& arguments = given.original;
  Result<LoadedModule> loaded = LoadModuleFor(console, arguments.module);
  if (!loaded) return loaded.error();
  Result<LoadedInputs> inputs =
      LoadInputsOf(arguments.module, arguments.inputs, arguments.companion);
  if (!inputs) return inputs.error();
  for (const std::string& warning : inputs->warnings) console.Warn(warning);
  OriginalOptions options;
  options.entry = EntryFor(given, loaded->words);
  options.validation = ValidationOf(arguments.validator);
  options.cache_validation = true;
  if (!arguments.environment.empty()) {
    const Result<TargetEnvironment> environment = ParseTargetEnvironment(arguments.environment);
    if (!environment) return Error{environment.error().message, ErrorKind::kUsage};
    options.environment = *environment;
  }
  return MakeOriginal(std::move(loaded->words), arguments.module, std::move(inputs->inputs),
                      options);
}

// One reduction from the command line.
class ModuleRun {
 public:
  ModuleRun(const ReduceArguments& given, Console& console) : given_(given), console_(console) {}

  Result<ExitCode> Run() {
    Result<Original> source = LoadGivenModule(given_, console_);
    if (!source) return source.error();
    source_ = std::make_unique<const Original>(std::move(*source));
    const Interruption interruption;
    begin_ = MonotonicSeconds();
    Result<std::unique_ptr<ChosenTest>> chosen =
        ChosenTest::Make(given_.interestingness, *source_, nullptr, &Interruption::asked, console_);
    if (!chosen) return chosen.error();
    chosen_ = std::move(*chosen);
    const Result<ModuleReduction> reduction = ReduceIt();
    if (reduction) return Report(*reduction);
    Error error = reduction.error();
    if (error.kind == ErrorKind::kUnavailable && !JournalOf(given_).empty()) {
      error.message += "; when the target works again, --resume continues";
    } else {
      RemoveJournal();
    }
    return error;
  }

 private:
  Result<ModuleReduction> ReduceIt() {
    ReduceOptions options = ReduceOptionsOf(given_);
    options.stop = [&] {
      const double elapsed = MonotonicSeconds() - begin_;
      if (given_.budget && !Interruption::asked && elapsed > static_cast<double>(*given_.budget)) {
        budget_ended_ = true;
        Interruption::asked = true;  // ends the running tries
      }
      return Interruption::asked.load();
    };
    options.wrong_output = [&] { return chosen_->failing()->DependsOnOutputs(); };
    if (chosen_->failing() == nullptr) options.wrong_output = nullptr;
    ProgressLine line(console_);
    options.progress = [&](const Progress& progress) {
      line.Show(format("reducing: {}, {}, {:.0f} s", Counted(progress.size, "instruction"),
                       progress.tries == 1 ? "1 try" : format("{} tries", progress.tries),
                       progress.seconds));
    };
    return ReduceModule(*source_, options, chosen_->interestingness());
  }

  // The reduced module computes something else than MODULE, so `$expected` changes with it.
  Result<std::shared_ptr<const Inputs>> InputsOf(const ModuleReduction& reduction) const {
    if (reduction.inputs == nullptr || chosen_->failing() == nullptr ||
        !chosen_->failing()->DependsOnOutputs()) {
      return reduction.inputs;
    }
    return WithExpectedOutputs(*source_, {reduction.words, reduction.inputs, nullptr}, {});
  }

  void RemoveJournal() const {
    if (!JournalOf(given_).empty()) std::remove(JournalOf(given_).c_str());
  }

  Result<ExitCode> Report(const ModuleReduction& reduction) {
    if (reduction.end == Reduction::End::kNotInteresting) {
      RemoveJournal();
      console_.PrintError(format("{}: the module is not interesting", source_->file));
      for (const std::string& text : Split(Trim(chosen_->WhyNotInteresting()), '\n')) {
        console_.Say(text);
      }
      return kNotInteresting;
    }
    const bool stopped = reduction.end == Reduction::End::kStopped;
    const ExitCode code = !stopped ? kDone : budget_ended_ ? kBudgetEnded : kInterrupted;
    if (reduction.words.empty()) {
      console_.PrintError(
          "the reduction ended before any module was known to be interesting; nothing was written");
      return code;
    }
    const Result<std::shared_ptr<const Inputs>> inputs = InputsOf(reduction);
    if (!inputs) return inputs.error();
    if (Status written = WriteVariant(given_.output, reduction.words, inputs->get(), nullptr);
        !written) {
      return written.error();
    }
    if (!stopped) RemoveJournal();
    if (console_.json) console_.Print(ToJson(reduction));
    if (!chosen_->signature().empty()) console_.Say("failure: " + chosen_->signature());
    console_.Say(format("{} of {}, in {:.1f} s{}", Counted(reduction.instructions, "instruction"),
                        reduction.instructions_before, reduction.seconds,
                        stopped              ? ": ended early; --resume continues"
                        : !reduction.minimal ? ": --max-tries ended it"
                                             : ""));
    console_.Say(format("tries: {}", reduction.tries));
    return code;
  }

  const ReduceArguments& given_;
  Console& console_;
  std::unique_ptr<const Original> source_;
  std::unique_ptr<ChosenTest> chosen_;
  double begin_ = 0;
  bool budget_ended_ = false;
};

}  // namespace

Result<ExitCode> ReduceModuleWith(const ReduceArguments& given, Console& console) {
  return ModuleRun(given, console).Run();
}

}  // namespace cli
}  // namespace refract
