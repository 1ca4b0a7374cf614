// SPDX-License-Identifier: Apache-2.0
#include "cli/skeletons.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cfg/skeleton.h"
#include "cli/original_options.h"
#include "cli/paths.h"
#include "ir/binary.h"
#include "ir/rules/flow_rules.h"

namespace refract {
inline namespace cli {
namespace {

Result<Skeleton> OfText(const std::string& from, const std::string& text) {
  Result<cfg::Graph> graph = cfg::ReadGraphText(text);
  if (!graph) return Error{format("{}: {}", from, graph.error().message)};
  return Skeleton{from, std::move(*graph)};
}

Status AddGraphs(const std::string& file, std::vector<Skeleton>* skeletons) {
  const Result<std::string> text = ReadFile(file);
  if (!text) return text.error();
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
  const nlohmann::json* graphs =
      json.is_object() && json.contains("graphs") ? &json["graphs"] : nullptr;
  if (graphs == nullptr || !graphs->is_array()) {
    return Error{
        format("{}: expected a list \"graphs\", as `refract cfg generate` writes it", file)};
  }
  for (size_t i = 0; i < graphs->size(); ++i) {
    const std::string from = format("{}: /graphs/{}", file, i);
    const nlohmann::json& one = (*graphs)[i];
    if (!one.is_object() || !one.contains("graph") || !one["graph"].is_string()) {
      return Error{format("{}: expected a text \"graph\"", from)};
    }
    Result<Skeleton> skeleton = OfText(from, one["graph"].get<std::string>());
    if (!skeleton) return skeleton.error();
    skeletons->push_back(std::move(*skeleton));
  }
  return {};
}

Status AddFunctions(const std::string& file, Console& console, std::vector<Skeleton>* skeletons) {
  const Result<LoadedModule> loaded = LoadModuleFor(console, file);
  if (!loaded) return loaded.error();
  const Result<Module> module = ReadModule(loaded->words, file);
  if (!module) return module.error();
  Status status;
  ForEachFunction(*module, [&](Function function) {
    if ((*module)[function].first == Block::kNone || !status) return;
    const std::string from =
        format("{}: function {}", file, CalledWithName(*module, module->FunctionId(function)));
    Result<cfg::Graph> graph = cfg::ReadGraph(*module, function);
    if (!graph) {
      status = Error{format("{}: {}", from, graph.error().message)};
    } else {
      skeletons->push_back({from, std::move(*graph)});
    }
  });
  return status;
}

}  // namespace

Result<std::vector<Skeleton>> LoadSkeletons(const std::string& given, Console& console) {
  std::vector<Skeleton> skeletons;
  if (given.find('>') != std::string::npos) {
    Result<Skeleton> skeleton = OfText("graph", given);
    if (!skeleton) return skeleton.error();
    skeleton->graph = cfg::InModuleOrder(skeleton->graph);
    skeletons.push_back(std::move(*skeleton));
    return skeletons;
  }
  const Status added = Extension(given) == ".json" ? AddGraphs(given, &skeletons)
                                                   : AddFunctions(given, console, &skeletons);
  if (!added) return added.error();
  if (skeletons.empty()) return Error{format("{}: the file has no control-flow graph", given)};
  return skeletons;
}

}  // namespace cli
}  // namespace refract
