// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/original_options.h"
#include "cli/paths.h"
#include "cli/verbs.h"
#include "ir/tools.h"

namespace refract {
inline namespace cli {
namespace {

struct DiffArguments {
  std::string a, b;
  bool count = false;
};

void Declare(DiffArguments& given, Options& options) {
  options.Argument("A", &given.a,
                   "A .spv, .spvasm, .frag, .vert, .tesc, .tese, .geom, .task, .mesh, .comp, "
                   ".rgen, .rint, .rahit, .rchit, .rmiss or .rcall file; - reads a "
                   "binary or assembly from standard "
                   "input");
  options.Argument("B", &given.b, "Another module");
  options.Flag("--count", &given.count,
               "Print only the number of instructions that differ: the added or the removed ones, "
               "whichever are more");
}

Result<ExitCode> Run(const DiffArguments& given, Console& console) {
  if (Status once = CheckOneStandardInput({given.a, given.b}); !once) return once.error();
  const Result<LoadedModule> a = LoadModuleFor(console, given.a);
  if (!a) return a.error();
  const Result<LoadedModule> b = LoadModuleFor(console, given.b);
  if (!b) return b.error();
  const Result<InstructionDiff> diff = DisassemblyDiff(a->words, b->words);
  if (!diff) return diff.error();
  if (console.json) {
    nlohmann::ordered_json json;
    json["added"] = diff->added;
    json["removed"] = diff->removed;
    json["text"] = diff->text;
    console.Print(json.dump(2) + "\n");
  } else if (given.count) {
    console.Print(format("{}\n", diff->count()));
  } else {
    console.Print(diff->text);
    console.Say(format("instructions: {} added, {} removed", diff->added, diff->removed));
  }
  return kDone;
}

}  // namespace

const Verb kDiffVerb = {
    .name = "diff",
    .summary = "Print the differences between the disassemblies of two modules",
    .example = "refract diff references/life_masks.frag variant.spv --count",
    .exit_codes = {},
    .main_options = {"--count", "--json"},
    .declare = DeclareVerb<DiffArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
