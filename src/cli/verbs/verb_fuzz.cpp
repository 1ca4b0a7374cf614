// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/check.h"
#include "base/counted.h"
#include "base/file.h"
#include "base/random.h"
#include "base/shell.h"
#include "base/text.h"
#include "cli/original_options.h"
#include "cli/outputs.h"
#include "cli/paths.h"
#include "cli/verbs.h"
#include "engine/fuzz.h"
#include "files/donor_files.h"
#include "wire/recording_file.h"

namespace refract {
inline namespace cli {
namespace {

struct FuzzArguments {
  OriginalArguments original;
  std::string output;
  std::optional<uint64_t> seed;
  std::optional<uint64_t> max_steps;
  std::optional<uint64_t> max_words;
  std::vector<std::string> donors;
  std::vector<std::string> passes;
  std::vector<std::string> preferred;
  bool all_passes = false;
  bool float_identities = false;
  bool no_recommendations = false;
  bool self_check = false;
  bool execution_facts = false;
  bool statistics = false;
};

void Declare(FuzzArguments& given, Options& options) {
  DeclareOriginal(options, &given.original, true);
  options.RequiredText("-o,--output", "OUT.spv", &given.output,
                       "Output module. OUT.refract and, if there are inputs, OUT.json are written "
                       "to the same folder; - writes only the module, to standard output");
  options.Repeated("--donors", "DIR|FILE", &given.donors,
                   "Modules whose functions may be added to the variant, or folders of them, "
                   "searched recursively (default: none)");
  options.Number("--seed", &given.seed,
                 "Seed; the same seed gives the same bytes (default: random)");
  options.Number("--max-steps", &given.max_steps,
                 "Stop after this many steps (default 2000); 0 writes the module unchanged", 0,
                 kMaxSteps);
  options.Number(
      "--max-size", &given.max_words,
      "Stop when the variant has this many words (default: 16 times those of the original)");
  options.List("--passes", "A,B,...", &given.passes,
               "Use all of these transformations, or all transformations of these families, and no "
               "others (see `refract list`)");
  options.List("--prefer", "A,B,...", &given.preferred,
               "Use these transformations, or those of these families, in addition to the random "
               "subset, and use them more often. A campaign with --coverage does so");
  options.Flag("--all-passes", &given.all_passes,
               "Use all transformations instead of a random subset");
  options.Flag("--float", &given.float_identities,
               "Also use the family `float`: identities of floats, such as x * 1, that "
               "implementations may round. The interpreter runs the whole variant, and steps that "
               "it does not certify are taken back (docs/float-identities.md)");
  options.Flag(
      "--no-recommendations", &given.no_recommendations,
      "Choose each fuzzer pass at random, and ignore which passes the earlier passes recommend");
  options.Flag("--self-check", &given.self_check,
               "Look for bugs of Refract. Compare a sample of the pixels or workgroups of the "
               "variant with the original in the interpreter, and test the facts. Then compare the "
               "whole image, and replay the recording. A difference is a bug of Refract: the exit "
               "code is 1, and OUT.fault.refract has the fewest steps that show it");
  options.Flag("--execution-facts", &given.execution_facts,
               "Execute the original once, and use two kinds of facts from this execution: which "
               "blocks were not executed, and which values were always the same");
  options.Flag("--stats", &given.statistics,
               "For each transformation, print how many messages were offered, refused (with the "
               "reasons) and applied");
}

FuzzOptions OptionsOf(const FuzzArguments& given) {
  FuzzOptions options;
  options.seed = given.seed ? *given.seed : DrawSeed();
  if (given.max_steps) options.max_steps = static_cast<uint32_t>(*given.max_steps);
  if (given.max_words) options.max_words = *given.max_words;
  options.passes = given.passes;
  options.preferred = given.preferred;
  options.all_passes = given.all_passes;
  options.float_identities = given.float_identities;
  options.recommendations = !given.no_recommendations;
  options.self_check = given.self_check;
  options.execution_facts = given.execution_facts;
  return options;
}

// The donors of this run.
Result<EncodedDonors> EncodedDonorsOf(const FuzzArguments& given, uint64_t seed, Console& console) {
  Result<EncodedDonors> open = OpenDonorFiles(given.donors, seed);
  if (!open) return open;
  for (const std::string& warning : open->warnings) console.Warn("donor " + warning);
  for (const std::string& useless : open->useless) console.Warn("donor " + useless);
  return open;
}

void PrintDonors(const DonorFiles& donors, Console& console) {
  console.Print(format("donors: {} of {} read, functions: {}, left out: {}\n", donors.pool.donors(),
                       donors.files, donors.donors.functions.size(),
                       donors.donors.left_out.size()));
  for (const LeftOut& one : donors.donors.left_out) {
    console.Print(format("  {}: {}\n", one.function, one.reason));
  }
}

void PrintStatistics(const FuzzResult& result, Console& console) {
  console.Print(
      format("{:<40} {:>8} {:>8} {:>8}\n", "transformation", "offered", "refused", "applied"));
  size_t never = 0;
  for (const auto& [name, type] : result.statistics) {
    if (type.offered == 0) {
      ++never;
      continue;
    }
    console.Print(format("{:<40} {:>8} {:>8} {:>8}\n", name, type.offered,
                         type.offered - type.applied, type.applied));
    for (const auto& [reason, count] : type.refused) {
      console.Print(format("{:>60}  {}\n", count, reason));
    }
  }
  if (never > 0) console.Print(format("never offered: {}\n", Counted(never, "other")));
}

std::string ToJson(const FuzzArguments& given, const FuzzResult& result) {
  nlohmann::ordered_json json;
  json["seed"] = result.recording.seed;
  json["steps"] = result.recording.steps.size();
  json["words"] = result.words.size();
  json["output"] = given.output;
  json["judged"] = given.self_check ? nlohmann::ordered_json(result.judged) : nullptr;
  json["notes"] = result.notes;
  nlohmann::ordered_json types;
  for (const auto& [name, type] : result.statistics) {
    types[name] = {{"offered", type.offered}, {"applied", type.applied}, {"refused", type.refused}};
  }
  json["types"] = types;
  return json.dump(2) + "\n";
}

// Writes the fewest steps that show the fault found by --self-check, next to the missing variant.
void WriteFault(const FuzzArguments& given, const message::Recording& fault, Console& console) {
  if (fault.steps.empty() || given.output == "-") return;
  const std::string file = ReplaceExtension(given.output, ".fault.refract");
  const Status written = WriteFile(file, WriteRecording(fault));
  console.Say(written ? "wrote the steps that show the fault: " + file : written.error().message);
}

// The command that makes the same variant again.
std::string RerunLine(const FuzzArguments& given, uint64_t seed, const Console& console) {
  std::vector<std::string> rerun = console.arguments;
  if (!given.seed) rerun.insert(rerun.end(), {"--seed", format("{}", seed)});
  return "rerun: " + ShellLine(rerun);
}

Status CheckArguments(const FuzzArguments& given, const Console& console) {
  std::vector<std::string> inputs = InputFilesOf(given.original);
  inputs.insert(inputs.end(), given.donors.begin(), given.donors.end());
  if (Status once = CheckOneStandardInput(inputs); !once) return once;
  if (Status alone = CheckStandardOutput(given.output, console.json, "--json"); !alone) {
    return alone;
  }
  if (Status alone = CheckStandardOutput(given.output, given.statistics, "--stats"); !alone) {
    return alone;
  }
  return CheckVariantOutput(given.output, {".json", ".refract"}, inputs);
}

void WarnOfMissingInputs(const Original& original, Console& console) {
  const std::vector<std::string> missing = MissingInputs(original);
  if (missing.empty()) return;
  const std::string others =
      missing.size() == 1 ? "" : format(" and {}", Counted(missing.size() - 1, "other"));
  console.Warn(
      format("{}: inputs have no value, so no outputs can be compared: {}{}; "
             "`refract inputs` writes a file with values",
             original.file, Trim(missing[0]), others));
}

Result<ExitCode> Run(const FuzzArguments& given, Console& console) {
  if (Status fit = CheckArguments(given, console); !fit) return fit.error();
  Result<Original> original = LoadOriginal(given.original, nullptr, console);
  if (!original) return original.error();
  if (given.max_steps != 0u) WarnOfMissingInputs(*original, console);
  FuzzOptions options = OptionsOf(given);
  const Result<EncodedDonors> donors = EncodedDonorsOf(given, options.seed, console);
  if (!donors) return donors.error();
  if (donors->files > 0) {
    options.read_donors = [&] { return DecodeDonors(*donors).donors.functions; };
  }
  message::Recording fault;
  options.fault = &fault;
  const std::string rerun = RerunLine(given, options.seed, console);
  const CheckNote note(rerun);
  Result<FuzzResult> result = Fuzz(*original, options);
  if (!result) {
    WriteFault(given, fault, console);
    if (result.error().kind == ErrorKind::kFailed) console.Say(rerun);
    return result.error();
  }
  for (const std::string& note : result->notes) console.Warn(note);
  const std::string recording = WriteRecording(result->recording);
  if (Status written =
          WriteVariant(given.output, result->words, result->context.inputs.get(), &recording);
      !written) {
    return written.error();
  }
  if (console.json) {
    console.Print(ToJson(given, *result));
  } else if (given.statistics) {
    PrintStatistics(*result, console);
    if (!given.donors.empty()) PrintDonors(DecodeDonors(*donors), console);
  }
  console.Say(format("seed {}: steps: {}, words: {} -> {}, {}", options.seed,
                     result->recording.steps.size(), original->words.size(), result->words.size(),
                     given.output == "-"
                         ? "no recording (use -o FILE.spv to write one)"
                         : "recorded in " + ReplaceExtension(given.output, ".refract")));
  console.Say(rerun);
  return kDone;
}

}  // namespace

const Verb kFuzzVerb = {
    .name = "fuzz",
    .summary = "Make a variant of a module that computes the same outputs",
    .example = "refract fuzz references/life_masks.frag -o variant.spv --seed 1",
    .exit_codes = {},
    .main_options = {"--output", "--inputs", "--donors", "--seed", "--max-steps", "--passes",
                     "--self-check"},
    .declare = DeclareVerb<FuzzArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
