// SPDX-License-Identifier: Apache-2.0
#include "measure/variants.h"

#include <future>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "cli/runnable_module.h"
#include "corpus/test_modules.h"
#include "engine/replay.h"
#include "files/donor_files.h"
#include "glsl/companion_file.h"
#include "glsl/load.h"
#include "input/resolve.h"
#include "measure/optimised.h"
#include "measure/reference.h"
#include "wire/recording_file.h"

namespace refract::measure {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kTimeLimit =
    120;  // a slow run is not a hang: both CPU drivers compile before they draw

/// The job that runs a module with its inputs. A variant may have more inputs than the original.
Result<Job> JobFor(const std::vector<uint32_t>& words, const Context& context,
                   const std::string& name) {
  const Result<EntryPoint> entry = FindEntryPoint(context.module, context.entry, name);
  if (!entry) return entry.error();
  Result<ResolvedInputs> resolved = Resolve(context.module, *entry, *context.inputs, name);
  if (!resolved) return resolved.error();
  Job job;
  job.spirv = words;
  job.entry = context.entry;
  job.bindings = std::move(resolved->bindings);
  job.time_limit = kTimeLimit;
  return job;
}

/// Runs the job once on each target, in parallel.
std::map<std::string, Result<RunResult>> RunAll(const Job& job, const std::vector<Target>& targets,
                                                Harness& harness) {
  std::map<std::string, std::future<Result<RunResult>>> running;
  for (const Target& target : targets) {
    running.emplace(target.name, std::async(std::launch::async, [&harness, &job, &target] {
                      return harness.Run(target, job);
                    }));
  }
  std::map<std::string, Result<RunResult>> results;
  for (auto& [name, run] : running) results.emplace(name, run.get());
  return results;
}

bool IsSame(const Outputs& a, const Outputs& b, const VariantOriginal& subject) {
  if (a == b) return true;
  if (subject.rule == CompareRule::kExact || a.targets.size() != b.targets.size() ||
      !Differences(a, b, subject.rule, subject.layouts).empty()) {
    return false;
  }
  for (size_t i = 0; i < a.targets.size(); ++i) {
    const ColourTarget& x = a.targets[i];
    const ColourTarget& y = b.targets[i];
    if (x.format != spv::ImageFormat::Rgba8) continue;
    if (!Agree(Compare({x.width, x.height, x.texels}, {y.width, y.height, y.texels}),
               subject.rule)) {
      return false;
    }
  }
  return true;
}

std::string OutcomeOn(const Result<RunResult>& result, const std::string& target,
                      const VariantOriginal& subject) {
  if (!result) return result.error().message;
  if (result->verdict != RunOutcome::kOk) return Signature(*result);
  return IsSame(result->outputs, subject.outputs.at(target), subject) ? "same" : "different";
}

// Runs the original on each target, and asks the interpreter how to compare outputs.
Status RunOriginal(const std::vector<Target>& targets, Harness& harness, VariantOriginal* subject) {
  const Original& original = subject->original;
  const Result<Job> job = JobFor(original.words, original.context, subject->name);
  if (!job) return job.error();
  const RunnableModule judged{"original", subject->name, *job, nullptr, {}};
  OriginalCheckOptions once;
  once.schedules = false;  // measure/corpus.cpp checks the schedules of references
  const Result<OriginalCheck> check = CheckOriginalModule(judged, once);
  if (!check) return check.error();
  if (!check->well_defined()) {
    return Error{format("{}: not well defined: {}", subject->name, check->undefined.front())};
  }
  subject->rule = RuleFor(check->stability);
  for (auto& [target, result] : RunAll(*job, targets, harness)) {
    // The target lacks a capability: the variants run on the other targets.
    if (!result && result.error().kind == ErrorKind::kUnavailable) continue;
    if (!result) return result.error();
    // A tool that refuses the original is not a finding either.
    if (result->verdict == RunOutcome::kRejected) continue;
    if (result->verdict != RunOutcome::kOk) {
      return Error{
          format("{}: {} does not run the original: {}", subject->name, target, result->detail)};
    }
    subject->outputs[target] = std::move(result->outputs);
  }
  return {};
}

}  // namespace

std::string ToLine(const VariantOutcome& outcome) {
  Json json = {{"index", outcome.index},    {"subject", outcome.subject}, {"seed", outcome.seed},
               {"steps", outcome.steps},    {"words", outcome.words},     {"fault", outcome.fault},
               {"targets", outcome.targets}};
  for (const auto& [name, type] : outcome.types) {
    json["types"][name] = {
        {"offered", type.offered}, {"applied", type.applied}, {"refused", type.refused}};
  }
  return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::optional<VariantOutcome> FromLine(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded() || !json.contains("types"))
    return std::nullopt;  // incomplete, because the process was killed
  VariantOutcome outcome;
  outcome.index = json["index"];
  outcome.subject = json["subject"];
  outcome.seed = json["seed"];
  outcome.steps = json["steps"];
  outcome.words = json["words"];
  outcome.fault = json["fault"];
  outcome.targets = json["targets"];
  for (const auto& [name, type] : json["types"].items()) {
    TypeStatistics& statistics = outcome.types[name];
    statistics.offered = type["offered"];
    statistics.applied = type["applied"];
    statistics.refused = type["refused"];
  }
  return outcome;
}

Result<VariantOriginals> VariantOriginals::Open(const std::string& folder,
                                                std::vector<Target> targets, Harness& harness) {
  Result<std::vector<std::string>> files = ReferenceFiles(folder);
  if (!files) return files.error();
  if (files->empty()) return Error{folder + ": no references"};
  Result<DonorFiles> donors = LoadDonors({folder + "/../donors"});
  if (!donors) return donors.error();
  return VariantOriginals(std::move(*files), std::move(*donors), std::move(targets), harness);
}

Result<const VariantOriginal*> VariantOriginals::Of(uint64_t index) {
  constexpr uint64_t kStride =
      7919;  // a prime, so that all originals are used unless their number is a multiple
  const size_t number = index * kStride % (2 * files_.size());
  auto found = made_.find(number);
  if (found == made_.end()) {
    Result<VariantOriginal> subject = Make(number);
    if (!subject) return subject.error();
    found = made_.emplace(number, std::move(*subject)).first;
  }
  return &found->second;
}

Result<VariantOriginal> VariantOriginals::Make(size_t number) const {
  const std::string& file = files_[number / 2];
  Result<LoadedModule> loaded = LoadModuleFile(file);
  if (!loaded) return loaded.error();
  Result<std::shared_ptr<const Inputs>> inputs = LoadInputsOf(file);
  if (!inputs) return inputs.error();
  VariantOriginal subject;
  subject.name = NameOfFile(file);
  if (number % 2 == 1) {
    subject.name += " -O";
    Result<std::vector<uint32_t>> optimised = Optimised(loaded->words, file);
    if (!optimised) return optimised.error();
    loaded->words = std::move(*optimised);
  }
  Result<Original> original =
      MakeOriginal(std::move(loaded->words), subject.name, std::move(*inputs), {});
  if (!original) return original.error();
  subject.original = std::move(*original);
  if (targets_.empty()) return subject;
  if (Status ran = RunOriginal(targets_, *harness_, &subject); !ran) return ran.error();
  return subject;
}

VariantOutcome MeasureVariant(uint64_t index, const VariantOriginal& subject,
                              const VariantOriginals& subjects, FuzzOptions options,
                              Harness& harness, VariantFiles* files) {
  VariantOutcome outcome;
  outcome.index = index;
  outcome.subject = subject.name;
  outcome.seed = index + 1;
  options.seed = outcome.seed;
  options.donors = subjects.donors();
  Result<FuzzResult> variant = Fuzz(subject.original, options);
  if (!variant) {
    outcome.fault = variant.error().message;
    return outcome;
  }
  outcome.steps = variant->recording.steps.size();
  outcome.words = variant->words.size();
  outcome.types = variant->statistics;
  files->words = variant->words;
  files->recording = WriteRecording(variant->recording);

  const Result<message::Recording> read = ReadRecording(files->recording, "recording");
  if (!read) {
    outcome.fault = "the recording cannot be read: " + read.error().message;
    return outcome;
  }
  const Result<ReplayResult> replayed = Replay(subject.original, *read, {});
  if (!replayed) {
    outcome.fault = "the recording cannot be replayed: " + replayed.error().message;
  } else if (!replayed->skipped.empty() || replayed->words != variant->words ||
             *replayed->context.inputs != *variant->context.inputs) {
    outcome.fault = format("replays to other bytes, {} steps skipped", replayed->skipped.size());
  }
  const Result<Job> job = JobFor(variant->words, variant->context, subject.name);
  if (!job) {
    outcome.fault = "it cannot be run: " + job.error().message;
    return outcome;
  }
  for (auto& [target, result] : RunAll(*job, subjects.targets(), harness)) {
    if (subject.outputs.count(target) == 0) continue;
    outcome.targets[target] = OutcomeOn(result, target, subject);
    if (result) files->pictures[target] = ImageAtLocation0(result->outputs);
  }
  return outcome;
}

}  // namespace refract::measure
