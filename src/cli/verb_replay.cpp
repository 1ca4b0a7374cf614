// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/original_options.h"
#include "cli/outputs.h"
#include "cli/verb.h"
#include "engine/replay.h"
#include "engine/validity.h"
#include "wire/recording_file.h"

namespace refract {
namespace {

struct Arguments {
  OriginalArguments original;
  std::string recording;
  std::string output;
  std::string steps;
  bool strict = false;
  ReplayOptions replay;
};

// "1,4-9" as ascending numbers.
Result<std::vector<uint32_t>> ParseSteps(const std::string& text) {
  std::vector<uint32_t> steps;
  for (const std::string& range : Split(text, ',')) {
    const std::vector<std::string> ends = Split(range, '-');
    uint64_t low = 0, high = 0;
    if (ends.size() > 2 || !ParseNumber(ends[0], &low) || !ParseNumber(ends.back(), &high) ||
        low == 0 || high < low || high > kMaxSteps) {
      return Error{format("--steps {}: '{}' is neither a step nor a range like 4-9", text, range),
                   ErrorKind::kUsage};
    }
    for (uint64_t step = low; step <= high; ++step) steps.push_back(static_cast<uint32_t>(step));
  }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

std::string ToJson(const ReplayResult& result) {
  nlohmann::ordered_json json;
  json["applied"] = result.applied;
  json["skipped"] = nlohmann::ordered_json::array();
  for (const SkippedStep& step : result.skipped) {
    json["skipped"].push_back(
        {{"step", step.number}, {"type", step.type}, {"reason", step.reason}});
  }
  return json.dump(2) + "\n";
}

Result<ExitCode> Run(Arguments& arguments, Console& console) {
  if (!arguments.steps.empty()) {
    Result<std::vector<uint32_t>> steps = ParseSteps(arguments.steps);
    if (!steps) return steps.error();
    arguments.replay.steps = std::move(*steps);
  }
  Result<std::string> bytes = ReadFile(arguments.recording, kMaxRecordingBytes);
  if (!bytes) return bytes.error();
  Result<message::Recording> recording = ReadRecording(*bytes, arguments.recording);
  if (!recording) return recording.error();
  Result<OriginalOptions> options = OriginalOptionsOf(*recording);
  if (!options) {
    return Error{format("{}: {}", arguments.recording, options.error().message)};
  }
  Result<Original> original = LoadOriginal(arguments.original, &*options);
  if (!original) return original.error();
  Result<ReplayResult> result = Replay(*original, *recording, arguments.replay);
  if (!result) return result.error();

  if (const auto fault = FindOurFault(result->context.module, result->words, *original)) {
    return Error{format("internal error: replaying {} gives an invalid module: {}",
                        arguments.recording, *fault),
                 ErrorKind::kFailed};
  }
  const bool whole = result->applied.size() == recording->steps.size();
  if (whole && !arguments.replay.force && HashOfWords(result->words) != recording->result_hash) {
    return Error{format("internal error: {} replays to another module than it was recorded with "
                        "(recorded by version {})",
                        arguments.recording, recording->tool),
                 ErrorKind::kFailed};
  }
  OutputSet outputs;
  if (Status added = AddVariant(arguments.output, result->words, *original, &outputs); !added) {
    return added.error();
  }
  const bool refused = arguments.strict && !result->skipped.empty();
  if (!refused) {
    if (Status written = outputs.Commit(); !written) return written.error();
  }
  for (const SkippedStep& step : result->skipped) {
    console.Say(format("skipped step {} ({}): {}", step.number, step.type, step.reason));
  }
  if (console.json) console.Print(ToJson(*result));
  console.Say(format("{} steps applied, {} skipped{}", result->applied.size(),
                     result->skipped.size(), refused ? ": nothing written (--strict)" : ""));
  return refused ? kNotInteresting : kDone;
}

Action Declare(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  DeclareOriginal(app, &arguments->original, false);
  app.add_option("RECORDING", arguments->recording, "A .refract file, binary or text")->required();
  app.add_option("-o,--output", arguments->output, "OUT.spv; with inputs, OUT.json beside it")
      ->required()
      ->type_name("OUT.spv");
  app.add_option("--first", arguments->replay.first, "Only steps with numbers up to N")
      ->type_name("N");
  app.add_option("--steps", arguments->steps, "Only these steps, e.g. 1,4-9")->type_name("LIST");
  app.add_flag("--strict", arguments->strict, "A step that does not apply is a failure");
  app.add_flag("--force", arguments->replay.force,
               "Also on another module or other inputs than the recorded ones");
  return [arguments](Console& console) { return Run(*arguments, console); };
}

}  // namespace

extern const Verb kReplayVerb;
const Verb kReplayVerb = {
    "replay",
    "Apply a recording, or some of its steps, again",
    "refract replay references/bubble.frag variant.refract -o again.spv --first 10",
    {{kNotInteresting, "--strict, and a step does not apply"}},
    Declare,
};

}  // namespace refract
