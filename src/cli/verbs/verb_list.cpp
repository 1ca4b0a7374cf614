// SPDX-License-Identifier: Apache-2.0
// `list` and `explain`: the transformations, with the texts of proto/transformation.proto.
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "message/info.h"
#include "transform/registry.h"

namespace refract {
inline namespace cli {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> FollowOns(const Rule& rule) {
  std::vector<std::string> names;
  for (std::string_view name : rule.tuning.follow_ons) {
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

Json ToJson(const message::MessageInfo& info) {
  const Rule& rule = *Registry()[RegistryIndex(info.name)].rule;
  Json json;
  json["name"] = info.name;
  json["family"] = info.family;
  json["summary"] = info.summary;
  json["needs"] = info.needs;
  json["keeps"] = info.keeps;
  json["chance"] = {rule.tuning.chance.low, rule.tuning.chance.high};
  json["follow_ons"] = FollowOns(rule);
  json["fields"] = Json::array();
  for (const message::FieldInfo& field : info.fields) {
    json["fields"].push_back({{"name", field.name}, {"type", field.type}, {"text", field.text}});
  }
  return json;
}

Result<ExitCode> List(Console& console) {
  if (console.json) {
    Json json = Json::array();
    for (const message::MessageInfo& info : message::MessageInfos()) json.push_back(ToJson(info));
    console.Print(json.dump(2) + "\n");
    return kDone;
  }
  for (const message::MessageInfo& info : message::MessageInfos()) {
    console.Print(format("{:<40} {:<13} {}\n", info.name, info.family, info.summary));
  }
  return kDone;
}

Result<ExitCode> Explain(const std::string& name, Console& console) {
  for (const message::MessageInfo& info : message::MessageInfos()) {
    if (info.name != name) continue;
    if (console.json) {
      console.Print(ToJson(info).dump(2) + "\n");
      return kDone;
    }
    const Rule& rule = *Registry()[RegistryIndex(info.name)].rule;
    console.Print(format("{} ({})\n\n{}\n\nNeeds: {}\nKeeps: {}\n\nFields:\n", info.name,
                         info.family, info.summary, info.needs, info.keeps));
    for (const message::FieldInfo& field : info.fields) {
      console.Print(format("  {:<16} {:<16} {}\n", field.name, field.type, field.text));
    }
    console.Print(
        format("\nProbability that the fuzzer pass takes an opportunity: {} to {} %, chosen at "
               "random for each run\n",
               rule.tuning.chance.low, rule.tuning.chance.high));
    for (const std::string& next : FollowOns(rule)) {
      console.Print(format("Recommended next: {}\n", next));
    }
    return kDone;
  }
  return Error{format("unknown transformation '{}'; `refract list` prints all{}", name,
                      message::DidYouMeanKind(name)),
               ErrorKind::kUsage};
}

struct ListArguments {};
void DeclareList(ListArguments&, Options&) {}
Result<ExitCode> RunList(const ListArguments&, Console& console) {
  return List(console);
}

struct ExplainArguments {
  std::string name;
};
void DeclareExplain(ExplainArguments& given, Options& options) {
  options.Argument("NAME", &given.name, "Name of a transformation (see `refract list`)");
}
Result<ExitCode> RunExplain(const ExplainArguments& given, Console& console) {
  return Explain(given.name, console);
}

}  // namespace

const Verb kListVerb = {
    .name = "list",
    .summary = "List the transformations",
    .example = "refract list --json",
    .exit_codes = {},
    .main_options = {"--json"},
    .no_files = true,
    .declare = DeclareVerb<ListArguments, DeclareList, RunList>,
};

const Verb kExplainVerb = {
    .name = "explain",
    .summary = "Explain what a transformation does, needs and preserves",
    .example = "refract explain add_dead_block",
    .exit_codes = {},
    .main_options = {"--json"},
    .no_files = true,
    .declare = DeclareVerb<ExplainArguments, DeclareExplain, RunExplain>,
};

}  // namespace cli
}  // namespace refract
