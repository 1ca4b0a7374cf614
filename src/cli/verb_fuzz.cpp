// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.h"
#include "base/random.h"
#include "cli/original_options.h"
#include "cli/outputs.h"
#include "cli/verb.h"
#include "engine/fuzz.h"
#include "wire/recording_file.h"

namespace refract {
namespace {

struct Arguments {
  OriginalArguments original;
  std::string output;
  std::optional<uint64_t> seed;
  std::string passes;
  bool no_recommendations = false;
  bool statistics = false;
  FuzzOptions fuzz;
};

void PrintStatistics(const FuzzResult& result, Console& console) {
  console.Print(
      format("{:<40} {:>8} {:>8} {:>8}\n", "transformation", "offered", "refused", "applied"));
  for (const auto& [name, type] : result.statistics) {
    console.Print(format("{:<40} {:>8} {:>8} {:>8}\n", name, type.offered,
                         type.offered - type.applied, type.applied));
    for (const auto& [reason, count] : type.refused) {
      console.Print(format("{:>60}  {}\n", count, reason));
    }
  }
}

std::string ToJson(const Arguments& arguments, const FuzzResult& result) {
  nlohmann::ordered_json json;
  json["seed"] = arguments.fuzz.seed;
  json["steps"] = result.recording.steps.size();
  json["words"] = result.words.size();
  json["output"] = arguments.output;
  nlohmann::ordered_json types;
  for (const auto& [name, type] : result.statistics) {
    types[name] = {{"offered", type.offered}, {"applied", type.applied}, {"refused", type.refused}};
  }
  json["types"] = types;
  return json.dump(2) + "\n";
}

Result<ExitCode> Run(Arguments& arguments, Console& console) {
  Result<Original> original = LoadOriginal(arguments.original, nullptr);
  if (!original) return original.error();
  FuzzOptions& options = arguments.fuzz;
  options.seed = arguments.seed ? *arguments.seed : DrawSeed();
  options.recommendations = !arguments.no_recommendations;
  if (!arguments.passes.empty()) options.passes = Split(arguments.passes, ',');
  Result<FuzzResult> result = Fuzz(*original, options);
  if (!result) return result.error();

  OutputSet outputs;
  if (Status added = AddVariant(arguments.output, result->words, *original, &outputs); !added) {
    return added.error();
  }
  const std::string recording = ReplaceExtension(arguments.output, ".refract");
  if (Status added = outputs.Add(recording, WriteRecording(result->recording)); !added) {
    return added.error();
  }
  if (Status written = outputs.Commit(); !written) return written.error();

  if (console.json) {
    console.Print(ToJson(arguments, *result));
  } else if (arguments.statistics) {
    PrintStatistics(*result, console);
  }
  console.Say(format("seed {}: {} steps, {} -> {} words, {}", options.seed,
                     result->recording.steps.size(), original->words.size(), result->words.size(),
                     recording));
  std::vector<std::string> rerun = console.arguments;
  if (!arguments.seed) rerun.insert(rerun.end(), {"--seed", format("{}", options.seed)});
  console.Say("rerun: " + ShellLine(rerun));
  return kDone;
}

Action Declare(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  DeclareOriginal(app, &arguments->original, true);
  app.add_option("-o,--output", arguments->output,
                 "OUT.spv; OUT.refract and, with inputs, OUT.json are written beside it")
      ->required()
      ->type_name("OUT.spv");
  app.add_option("--seed", arguments->seed, "The same seed gives the same bytes (default: drawn)")
      ->type_name("N");
  app.add_option("--max-steps", arguments->fuzz.max_steps,
                 "Stop after so many steps (default 2000); 0 writes the module unchanged")
      ->type_name("N");
  app.add_option("--max-size", arguments->fuzz.max_words,
                 "Stop when the module has so many words (default: 16 times the original's)")
      ->type_name("N");
  app.add_option("--passes", arguments->passes,
                 "Only these transformations, all of them on (see `refract list`)")
      ->type_name("A,B,...");
  app.add_flag("--all-passes", arguments->fuzz.all_passes,
               "Switch all on instead of a random subset");
  app.add_flag("--no-recommendations", arguments->no_recommendations,
               "Draw each pass at random, whatever was useful before");
  app.add_flag("--self-check", arguments->fuzz.self_check,
               "After every pass check that the module is valid; at the end replay and compare");
  app.add_flag("--stats", arguments->statistics,
               "Print offers, refusals by reason and steps of each transformation");
  return [arguments](Console& console) { return Run(*arguments, console); };
}

}  // namespace

extern const Verb kFuzzVerb;
const Verb kFuzzVerb = {
    "fuzz",
    "Make a variant of a module that computes the same",
    "refract fuzz references/bubble.frag -o variant.spv --seed 1",
    {},
    Declare,
};

}  // namespace refract
