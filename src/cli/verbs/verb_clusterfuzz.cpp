// SPDX-License-Identifier: Apache-2.0
// refract clusterfuzz: variants in the form of ClusterFuzz's black-box fuzzers. The options are
// spelled as ClusterFuzz spells them.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/counted.h"
#include "base/file.h"
#include "base/random.h"
#include "campaign/clusterfuzz.h"
#include "cli/donor_files.h"
#include "cli/module_files.h"
#include "cli/verbs.h"

namespace refract::inline cli {
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
  options.RequiredText("--input_dir", "DIR", &given.input,
                       "Modules to make variants of, with their inputs beside them; what is none "
                       "is passed over");
  options.RequiredText("--output_dir", "DIR", &given.output, "Where fuzz-N.spv and flags-N go");
  options.Number("--no_of_files", &given.files, "How many of each", 1, 1000000);
  options.Repeated("--donors", "DIR", &given.donors,
                   "Modules that give functions, or folders of them");
  options.Repeated("--flags", "LINE", &given.flags,
                   "What flags-N says; of several one is drawn. {env} stands for the module's "
                   "environment (default: --target-env={env})");
  options.Number("--seed", &given.seed, "With the same, the same files (default: drawn)");
  options.Number("--max-steps", &given.max_steps, "Of a variant (default 2000)", 0, 1000000);
}

Result<ExitCode> Run(const ClusterFuzzArguments& given, Console& console) {
  if (given.files == 0) return Error{"--no_of_files is required", ErrorKind::kUsage};
  if (!FileExists(given.input)) return Error{format("{}: there is no such folder", given.input)};
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
      console.Say(format("passed over: {}", source.error().message));
    }
  }
  if (!given.donors.empty()) {
    Result<DonorFiles> donors = LoadDonors(given.donors);
    if (!donors) return donors.error();
    options.donors = std::move(donors->shelf);
  }
  options.output = given.output;
  options.files = given.files;
  options.seed = given.seed ? *given.seed : DrawSeed();
  options.max_steps = static_cast<uint32_t>(given.max_steps);
  if (!given.flags.empty()) options.flags = given.flags;
  if (options.sources.empty()) {
    console.Warn(
        format("{}: no module in it that variants can be made of: they are made of one of "
               "refract's own",
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
                                         {"plain", written->plain}};
    console.Print(json.dump(2) + "\n");
  } else {
    console.Print(format("{} of {}, {} of them unchanged\n",
                         Counted(written->variants + written->plain, "file"),
                         Counted(options.sources.size(), "module"), written->plain));
  }
  return kDone;
}

}  // namespace

const Verb kClusterFuzzVerb = {
    .name = "clusterfuzz",
    .summary = "Write variants as ClusterFuzz wants them of a black-box fuzzer",
    .example = "refract clusterfuzz --input_dir references --output_dir out --no_of_files 10",
    .exit_codes = {},
    .main_options = {"--input_dir", "--output_dir", "--no_of_files", "--donors", "--flags",
                     "--seed", "--max-steps"},
    .declare = DeclareVerb<ClusterFuzzArguments, Declare, Run>,
};

}  // namespace refract::inline cli
