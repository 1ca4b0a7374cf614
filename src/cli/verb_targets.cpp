// SPDX-License-Identifier: Apache-2.0
// refract targets: where modules can be run on this machine.
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "harness/harness.h"

namespace refract {
namespace {

struct TargetsArguments {};
void Declare(TargetsArguments&, Options&) {}

Result<ExitCode> Run(const TargetsArguments&, Console& console) {
  Harness harness;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Target& target : FindTargets()) {
    const TargetState state = harness.Probe(target);
    const std::string version = state.available ? VersionText(state.device) : std::string();
    if (console.json) {
      json.push_back({{"name", target.name},
                      {"kind", TargetKindName(target.kind)},
                      {"available", state.available},
                      {"version", version},
                      {"file", target.icd},
                      {"reason", state.reason}});
    } else {
      console.Print(format("{:<14} {:<9} {:<13} {}\n", target.name, TargetKindName(target.kind),
                           state.available ? "available" : "not available",
                           state.available ? version : state.reason));
    }
  }
  if (console.json) console.Print(json.dump(2) + "\n");
  return kDone;
}

}  // namespace

const Verb kTargetsVerb = {
    .name = "targets",
    .summary = "List the drivers of this machine and their versions",
    .example = "refract targets",
    .exit_codes = {},
    .declare = DeclareVerb<TargetsArguments, Declare, Run>,
};

}  // namespace refract
