// SPDX-License-Identifier: Apache-2.0
// refract doctor: what of this machine Refract can use, and how to install what is missing.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/target_options.h"
#include "cli/verbs.h"
#include "target/inspect.h"

namespace refract {
inline namespace cli {
namespace {

struct DoctorArguments {
  std::vector<std::string> files;
};

void Declare(DoctorArguments& given, Options& options) {
  DeclareTargetFiles(options, &given.files,
                     "Descriptions of your own drivers and tools (docs/targets.md)");
}

using Json = nlohmann::ordered_json;

std::string AsJson(const std::vector<Inspected>& list, bool can_draw) {
  Json json = {{"can_draw", can_draw}, {"things", Json::array()}};
  for (const Inspected& found : list) {
    json["things"].push_back({{"group", found.group},
                              {"name", found.name},
                              {"state", StateName(found.state)},
                              {"text", found.text},
                              {"file", found.file},
                              {"select", found.select},
                              {"fix", found.fix},
                              {"draws", found.draws}});
  }
  // Drivers may print bytes that are not UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string AsText(const std::vector<Inspected>& list, bool can_draw) {
  std::string text, group;
  for (const Inspected& found : list) {
    if (found.group != group) text += format("{}{}\n", text.empty() ? "" : "\n", found.group);
    group = found.group;
    text += format("  {:<8} {:<20} {}\n", StateName(found.state), found.name, found.text);
    const auto add = [&](std::string_view label, const std::string& value) {
      if (!value.empty()) text += format("{:32}{}: {}\n", "", label, value);
    };
    if (found.group != "tools") add(found.group == "folders" ? "folder" : "library", found.file);
    add("only this driver", found.select);
    if (found.state != Inspected::State::kOk) add("fix", found.fix);
  }
  text += can_draw ? "\nRefract can run modules on a driver.\n"
                   : "\nNo driver can draw. Refract can run modules only in the interpreter.\n";
  return text;
}

Result<ExitCode> Run(const DoctorArguments& given, Console& console) {
  const Result<std::vector<Target>> targets = FindTargets(given.files);
  if (!targets) return targets.error();
  Harness harness;
  std::vector<Inspected> list = InspectDrivers(*targets, harness);
  for (const std::vector<Inspected>& more : {InspectTools(*targets), InspectMachine()}) {
    list.insert(list.end(), more.begin(), more.end());
  }
  const bool can_draw =
      std::any_of(list.begin(), list.end(), [](const Inspected& found) { return found.draws; });
  console.Print(console.json ? AsJson(list, can_draw) : AsText(list, can_draw));
  return can_draw ? kDone : kTargetMissing;
}

}  // namespace

const Verb kDoctorVerb = {
    .name = "doctor",
    .summary = "Check drivers, tools, folders and limits, and say how to install what is missing",
    .example = "refract doctor",
    .exit_codes = {{kTargetMissing, "no driver can draw an image"}},
    .main_options = {"--target-file", "--json"},
    .declare = DeclareVerb<DoctorArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
