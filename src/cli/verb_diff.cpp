// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/verb.h"
#include "glsl/load.h"
#include "ir/tools.h"

namespace refract {
namespace {

struct Arguments {
  std::string a, b;
  bool count = false;
};

Result<ExitCode> Run(const Arguments& arguments, Console& console) {
  const Result<LoadedModule> a = LoadModuleFile(arguments.a);
  if (!a) return a.error();
  const Result<LoadedModule> b = LoadModuleFile(arguments.b);
  if (!b) return b.error();
  const Result<InstructionDiff> diff = DisassemblyDiff(a->words, b->words);
  if (!diff) return diff.error();
  if (console.json) {
    nlohmann::ordered_json json;
    json["added"] = diff->added;
    json["removed"] = diff->removed;
    json["text"] = diff->text;
    console.Print(json.dump(2) + "\n");
  } else if (arguments.count) {
    console.Print(format("{}\n", diff->added + diff->removed));
  } else {
    console.Print(diff->text);
    console.Say(format("{} instructions added, {} removed", diff->added, diff->removed));
  }
  return kDone;
}

Action Declare(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  app.add_option("A", arguments->a, "A module, in any form")->required();
  app.add_option("B", arguments->b, "Another")->required();
  app.add_flag("--count", arguments->count, "Print only how many instructions differ");
  return [arguments](Console& console) { return Run(*arguments, console); };
}

}  // namespace

extern const Verb kDiffVerb;
const Verb kDiffVerb = {
    "diff",
    "Print how the disassemblies of two modules differ",
    "refract diff references/bubble.frag variant.spv --count",
    {},
    Declare,
};

}  // namespace refract
