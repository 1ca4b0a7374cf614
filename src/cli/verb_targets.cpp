// SPDX-License-Identifier: Apache-2.0
// refract targets: where modules can be run on this machine.
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "harness/harness.h"

namespace refract {
namespace {

struct TargetsArguments {
  std::vector<std::string> files;
};

void Declare(TargetsArguments& given, Options& options) {
  options.Repeated("--targets", "DIR|FILE", &given.files,
                   "Descriptions of your own command targets (docs/targets.md)");
}

Result<ExitCode> Run(const TargetsArguments& given, Console& console) {
  const Result<std::vector<Target>> targets = FindTargets(given.files);
  if (!targets) return targets.error();
  Harness harness;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Target& target : *targets) {
    const TargetState state = harness.Probe(target);
    const std::string& file = target.command != nullptr ? target.command->file : target.icd;
    if (console.json) {
      json.push_back({{"name", target.name},
                      {"kind", TargetKindName(target.kind)},
                      {"available", state.available},
                      {"version", state.version},
                      {"file", file},
                      {"reason", state.reason},
                      {"description", target.command ? target.command->description : ""}});
      continue;
    }
    const std::string state_text = state.available ? state.version : state.reason;
    const std::string from = target.command != nullptr ? format("; {}", file) : "";
    console.Print(format("{:<16} {:<11} {:<13} {}{}\n", target.name, TargetKindName(target.kind),
                         state.available ? "available" : "not available", state_text, from));
  }
  if (console.json) {
    console.Print(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                  "\n");
  }
  return kDone;
}

}  // namespace

const Verb kTargetsVerb = {
    .name = "targets",
    .summary = "List the drivers and tools of this machine and their versions",
    .example = "refract targets --targets targets",
    .exit_codes = {},
    .declare = DeclareVerb<TargetsArguments, Declare, Run>,
};

}  // namespace refract
