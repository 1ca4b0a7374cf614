// SPDX-License-Identifier: Apache-2.0
// refract clusterfuzz: writes variants as a black-box fuzzer of ClusterFuzz must. ClusterFuzz
// prescribes the names of the options.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/counted.h"
#include "base/file.h"
#include "base/random.h"
#include "campaign/clusterfuzz.h"
#include "cli/verbs.h"
#include "files/donor_files.h"
#include "files/module_files.h"

namespace refract {
inline namespace cli {
namespace {

struct ClusterFuzzArguments {
  std::string input, output;
  uint64_t files = 0;
  std::vector<std::string> donors;
  std::vector<std::string> flags;
  std::optional<uint64_t> seed;
  uint64_t max_steps = 2000;
};

void Declare(ClusterFuzzArguments& given, Options& options) {
  options.RequiredText(
      "--input_dir", "DIR", &given.input,
      "Folder with the modules to make variants of, and their inputs; other files are skipped");
  options.RequiredText("--output_dir", "DIR", &given.output,
                       "Folder for the files fuzz-N.spv and flags-N");
  options.Number("--no_of_files", &given.files, "Number of variants; each has a file with flags", 1,
                 1000000);
  options.Repeated("--donors", "DIR", &given.donors,
                   "Modules whose functions may be added to variants, or folders of them");
  options.Repeated("--flags", "LINE", &given.flags,
                   "Content of flags-N. If the option is given several times, one of the contents "
                   "is chosen at random for each file. {env} "
                   "stands for the environment of the module (default: --target-env={env})");
  options.Number("--seed", &given.seed,
                 "Seed; the same seed gives the same files (default: random)");
  options.Number("--max-steps", &given.max_steps,
                 "Maximum number of steps of a variant (default 2000)", 0, 1000000);
}

Result<ExitCode> Run(const ClusterFuzzArguments& given, Console& console) {
  if (given.files == 0) return Error{"--no_of_files is required", ErrorKind::kUsage};
  if (!FileExists(given.input)) return Error{format("{}: no such folder", given.input)};
  ClusterFuzzOptions options;
  const Result<std::vector<std::string>> files = ListModuleFiles(given.input);
  if (!files) return files.error();
  uint64_t useless = 0;
  for (const std::string& file : *files) {
    Result<CampaignSource> source = LoadSource(file, file);
    if (source) {
      options.sources.push_back(std::move(*source));
    } else {
      ++useless;
      console.Say(format("skipped: {}", source.error().message));
    }
  }
  if (!given.donors.empty()) {
    Result<DonorFiles> donors = LoadDonors(given.donors);
    if (!donors) return donors.error();
    options.donors = std::move(donors->pool);
  }
  options.output = given.output;
  options.files = given.files;
  options.seed = given.seed ? *given.seed : DrawSeed();
  options.max_steps = static_cast<uint32_t>(given.max_steps);
  if (!given.flags.empty()) options.flags = given.flags;
  if (options.sources.empty()) {
    console.Warn(
        format("{}: no module in this folder can be used; variants are made from a built-in module "
               "instead",
               given.input));
  }
  console.Say(format("seed {}", options.seed));
  const Result<ClusterFuzzResult> written = WriteClusterFuzzFiles(options);
  if (!written) return written.error();
  if (console.json) {
    const nlohmann::ordered_json json = {{"seed", options.seed},
                                         {"sources", options.sources.size()},
                                         {"passed_over", useless},
                                         {"variants", written->variants},
                                         {"plain", written->unchanged}};
    console.Print(json.dump(2) + "\n");
  } else {
    console.Print(format("{} made from {}; files that are the unchanged built-in module: {}\n",
                         Counted(written->variants + written->unchanged, "file"),
                         Counted(options.sources.size(), "module"), written->unchanged));
  }
  return kDone;
}

}  // namespace

const Verb kClusterFuzzVerb = {
    .name = "clusterfuzz",
    .summary = "Write variants in the form that ClusterFuzz requires from a black-box fuzzer",
    .example = "refract clusterfuzz --input_dir references --output_dir out --no_of_files 10",
    .exit_codes = {},
    .main_options = {"--input_dir", "--output_dir", "--no_of_files", "--donors", "--flags",
                     "--seed", "--max-steps"},
    .declare = DeclareVerb<ClusterFuzzArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
