// SPDX-License-Identifier: Apache-2.0
// refract import: turns AmberScripts into modules with inputs and expected outputs.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "amber/import.h"
#include "base/counted.h"
#include "base/file.h"
#include "cli/verbs.h"

namespace refract {
inline namespace cli {
namespace {

constexpr std::string_view kListFile = "imported.json";

struct ImportArguments {
  std::vector<std::string> scripts;
  std::string output;
};

void Declare(ImportArguments& given, Options& options) {
  options.Arguments(
      "AMBER", &given.scripts,
      "AmberScripts, and folders of them. What Refract does not support (docs/cts.md) "
      "is an error for a script, and a message for a script in a folder");
  options.RequiredText("-o,--output", "DIR", &given.output,
                       "Output folder: the modules with their inputs, and imported.json");
}

// A script, and whether the user named it or a folder above it.
struct FoundScript {
  std::string path;
  bool named;
};

Result<std::vector<FoundScript>> FindScripts(const std::vector<std::string>& paths) {
  std::vector<FoundScript> found;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      found.push_back({path, true});
      continue;
    }
    const Result<std::vector<std::string>> files = ListFiles(path);
    if (!files) return files.error();
    for (const std::string& file : *files) {
      if (file.ends_with(".amber")) found.push_back({file, false});
    }
  }
  return found;
}

using Json = nlohmann::ordered_json;

Json AsJson(const std::string& file, const amber::ImportedScript& imported) {
  Json json = {{"script", file}, {"modules", imported.modules}, {"pairs", Json::array()}};
  for (const amber::ImportedPair& pair : imported.pairs) {
    json["pairs"].push_back(
        {{"original", pair.original}, {"variant", pair.variant}, {"rule", pair.rule}});
  }
  return json;
}

Result<amber::ImportedScript> Import(const std::string& path) {
  const Result<std::string> text = ReadFile(path, amber::kMaxScriptBytes);
  if (!text) return text.error();
  const Result<amber::Script> script = amber::ParseScript(path, *text);
  if (!script) return script.error();
  return amber::ImportScript(*script, std::filesystem::path(path).stem().string());
}

Result<ExitCode> Run(const ImportArguments& given, Console& console) {
  const Result<std::vector<FoundScript>> scripts = FindScripts(given.scripts);
  if (!scripts) return scripts.error();
  if (scripts->empty()) return Error{"no script given", ErrorKind::kUsage};
  Json list = {{"scripts", Json::array()}, {"refused", Json::array()}};
  std::vector<amber::ImportedFile> files;
  std::set<std::string> names = {std::string(kListFile)};
  size_t modules = 0;
  for (const FoundScript& script : *scripts) {
    Result<amber::ImportedScript> imported = Import(script.path);
    if (!imported && script.named) return imported.error();
    if (!imported) {
      console.Say(format("refused: {}", imported.error().message));
      list["refused"].push_back(imported.error().message);
      continue;
    }
    for (amber::ImportedFile& file : imported->files) {
      if (!names.insert(file.name).second) {
        return Error{format("{}: another script also makes the file {}", script.path, file.name)};
      }
      files.push_back(std::move(file));
    }
    modules += imported->modules.size();
    const std::string name = std::filesystem::path(script.path).filename().string();
    list["scripts"].push_back(AsJson(name, *imported));
  }
  if (files.empty()) return Error{"no script can be imported"};
  if (Status made = MakeFolder(given.output); !made) return made.error();
  OutputSet outputs;
  files.push_back({std::string(kListFile), list.dump(2) + "\n"});
  for (const amber::ImportedFile& file : files) {
    const Status added = outputs.Add(format("{}/{}", given.output, file.name), file.text);
    if (!added) return added.error();
  }
  if (Status written = outputs.Commit(); !written) return written.error();
  console.Say(format("wrote {} of {} to {}", Counted(modules, "module"),
                     Counted(list["scripts"].size(), "script"), given.output));
  if (console.json) console.Print(list.dump(2) + "\n");
  return kDone;
}

}  // namespace

const Verb kImportVerb = {
    .name = "import",
    .summary = "Turn scripts for Amber into modules with inputs and expected outputs",
    .example = "refract import loop.amber -o imported",
    .exit_codes = {},
    .main_options = {"--output", "--json"},
    .declare = DeclareVerb<ImportArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
