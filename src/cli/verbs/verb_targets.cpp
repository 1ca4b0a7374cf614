// SPDX-License-Identifier: Apache-2.0
// refract targets: lists the targets on which this machine can run modules.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/target_options.h"
#include "cli/verbs.h"
#include "target/harness.h"
#include "target/optimiser_passes.h"

namespace refract {
inline namespace cli {
namespace {

struct TargetsArguments {
  std::vector<std::string> names;
  std::vector<std::string> files;
  bool passes = false;
};

void Declare(TargetsArguments& given, Options& options) {
  DeclareTargets(options, &given.names, "List only these targets (default: all)");
  DeclareTargetFiles(options, &given.files,
                     "Descriptions of your own drivers and tools (docs/targets.md)");
  options.Flag("--passes", &given.passes,
               "List the passes of spirv-opt instead, with the requirements of each");
}

std::string_view UseName(OptimiserPass::Use use) {
  return use == OptimiserPass::Use::kDrawn   ? "drawn"
         : use == OptimiserPass::Use::kAlone ? "by name"
                                             : "left out";
}

std::vector<std::string> NeedsOf(const OptimiserPass& pass) {
  std::vector<std::string> needs;
  for (const auto& [need, name] : RequirementNames()) {
    if ((pass.needs & need) != 0) needs.emplace_back(name);
  }
  return needs;
}

void PrintPasses(Console& console) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const OptimiserPass& pass : OptimiserPasses()) {
    const std::vector<std::string> needs = NeedsOf(pass);
    if (console.json) {
      json.push_back({{"pass", pass.name},
                      {"use", UseName(pass.use)},
                      {"needs", needs},
                      {"before", pass.before},
                      {"once", pass.once},
                      {"reason", pass.reason}});
      continue;
    }
    std::string notes;
    const auto note = [&](const std::string& text) {
      notes += format("{}{}", notes.empty() ? " " : "; ", text);
    };
    for (const std::string& need : needs) note("needs " + need);
    if (!pass.before.empty()) note(format("after --{}", pass.before));
    if (pass.once) note("once in a list");
    if (!pass.reason.empty()) note(std::string(pass.reason));
    console.Print(
        format("{:<42} {}{}\n", pass.name,
               notes.empty() ? std::string(UseName(pass.use)) : format("{:<8}", UseName(pass.use)),
               notes));
  }
  if (console.json) console.Print(json.dump(2) + "\n");
}

// Returns the targets to list. A known target that is not on this machine is listed as not
// available.
Result<std::vector<Target>> TargetsOf(const TargetsArguments& given) {
  Result<std::vector<Target>> all = FindTargets(given.files);
  if (!all || given.names.empty()) return all;
  std::vector<Target> targets;
  for (const std::string& name : JoinPassLists(given.names)) {
    const auto known = std::find_if(all->begin(), all->end(),
                                    [&](const Target& target) { return target.name == name; });
    Result<Target> target = known != all->end() ? Result<Target>(*known) : FindTarget(name, *all);
    if (!target) return target.error();
    targets.push_back(std::move(*target));
  }
  return targets;
}

Result<ExitCode> Run(const TargetsArguments& given, Console& console) {
  if (given.passes) {
    PrintPasses(console);
    return kDone;
  }
  const Result<std::vector<Target>> targets = TargetsOf(given);
  if (!targets) return targets.error();
  Harness harness;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  size_t widest = 16;
  for (const Target& target : *targets) widest = std::max(widest, target.name.size());
  for (const Target& target : *targets) {
    const TargetState state = harness.Probe(target);
    const std::string& file = target.command != nullptr ? target.command->file
                              : target.file.empty()     ? target.icd
                                                        : target.file;
    if (console.json) {
      json.push_back(
          {{"name", target.name},
           {"kind", TargetKindName(target.kind)},
           {"available", state.available},
           {"version", state.version},
           {"file", file},
           {"reason", state.reason},
           {"description", target.command ? target.command->description : target.description}});
      continue;
    }
    const std::string state_text = state.available ? state.version : state.reason;
    const bool described = target.command != nullptr || !target.file.empty();
    const std::string from = described ? format("; {}", file) : "";
    console.Print(format("{:<{}} {:<11} {:<13} {}{}\n", target.name, widest,
                         TargetKindName(target.kind),
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
    .summary = "List the drivers and tools of this machine, with their versions",
    .example = "refract targets --target-file targets",
    .exit_codes = {{kTargetMissing, "a target of --targets is not on this machine"}},
    .main_options = {"--targets", "--target-file", "--passes", "--json"},
    .declare = DeclareVerb<TargetsArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
