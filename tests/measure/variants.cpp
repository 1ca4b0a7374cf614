// SPDX-License-Identifier: Apache-2.0
#include "measure/variants.h"

#include <future>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "cli/donor_files.h"
#include "engine/replay.h"
#include "glsl/load.h"
#include "input/resolve.h"
#include "wire/recording_file.h"

namespace refract::measure {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kTimeLimit = 120;  // slow is not hung: both CPU drivers compile before they draw

/// How a module is run with its inputs, which a variant may have more of than the original.
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

/// One run on each target, at the same time.
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

Result<Subject> MakeSubject(const std::string& name, std::vector<uint32_t> words,
                            std::shared_ptr<const Inputs> inputs,
                            const std::vector<Target>& targets, Harness& harness) {
  Subject subject;
  subject.name = name;
  Result<Original> original = MakeOriginal(std::move(words), name, inputs, {});
  if (!original) return original.error();
  subject.original = std::move(*original);
  const Result<Job> job = JobFor(subject.original.words, subject.original.context, name);
  if (!job) return job.error();
  for (auto& [target, result] : RunAll(*job, targets, harness)) {
    if (!result) return result.error();
    Image picture = PictureOf(result->outputs);
    if (picture.pixels.empty()) {
      return Error{format("{}: {} does not draw the original: {}", name, target, result->detail)};
    }
    subject.pictures[target] = std::move(picture);
  }
  return subject;
}

std::string OutcomeOn(const Result<RunResult>& result, const Image& original) {
  if (!result) return result.error().message;
  const Image picture = PictureOf(result->outputs);
  if (picture.pixels.empty()) return Signature(*result);
  return picture == original ? "same" : "different";
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
  if (json.is_discarded() || !json.contains("types")) return std::nullopt;  // cut off by a kill
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

Result<std::vector<Subject>> LoadSubjects(const std::string& folder,
                                          const std::vector<Target>& targets, Harness& harness) {
  Result<std::vector<std::string>> files = ListFiles(folder);
  if (!files) return files.error();
  const Result<DonorFiles> donors = LoadDonors({folder + "/../donors"});
  if (!donors) return donors.error();
  std::vector<Subject> subjects;
  for (const std::string& file : *files) {
    if (Extension(file) != ".frag") continue;
    Result<LoadedModule> loaded = LoadModuleFile(file);
    if (!loaded) return loaded.error();
    Result<Inputs> inputs = LoadInputs(ReplaceExtension(file, ".json"));
    if (!inputs) return inputs.error();
    const auto shared = std::make_shared<const Inputs>(std::move(*inputs));
    Result<std::vector<uint32_t>> optimised =
        Optimize(loaded->words, {"-O"}, TargetEnvironment::kVulkan11);
    if (!optimised) return optimised.error();
    std::string name = file.substr(file.find_last_of('/') + 1);
    name.resize(name.size() - Extension(name).size());
    for (const bool plain : {true, false}) {
      Result<Subject> subject =
          MakeSubject(plain ? name : name + " -O", plain ? loaded->words : *optimised, shared,
                      targets, harness);
      if (!subject) return subject.error();
      subject->donors = donors->donors.functions;
      subjects.push_back(std::move(*subject));
    }
  }
  return subjects;
}

VariantOutcome MeasureVariant(uint64_t index, const Subject& subject, bool all_passes,
                              const std::vector<Target>& targets, Harness& harness,
                              VariantFiles* files) {
  VariantOutcome outcome;
  outcome.index = index;
  outcome.subject = subject.name;
  outcome.seed = index + 1;
  FuzzOptions options;
  options.seed = outcome.seed;
  options.donors = subject.donors;
  options.all_passes = all_passes;
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
  for (auto& [target, result] : RunAll(*job, targets, harness)) {
    outcome.targets[target] = OutcomeOn(result, subject.pictures.at(target));
    if (result) files->pictures[target] = PictureOf(result->outputs);
  }
  return outcome;
}

}  // namespace refract::measure
