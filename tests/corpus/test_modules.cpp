// SPDX-License-Identifier: Apache-2.0
#include "corpus/test_modules.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "glsl/companion_file.h"
#include "glsl/load.h"
#include "ir/binary.h"
#include "ir/call_graph.h"

namespace refract {
namespace {

// The files in a folder with this extension. An empty folder is an error.
Result<std::vector<std::string>> FilesIn(const std::string& folder, std::string_view extension) {
  Result<std::vector<std::string>> files = ListFiles(folder);
  if (!files) return files;
  std::erase_if(*files, [&](const std::string& file) { return Extension(file) != extension; });
  if (files->empty()) return Error{folder + ": no modules"};
  return files;
}

std::string BaseName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

Result<std::vector<TestModule>> OddModules(const std::string& source_folder) {
  const auto files = FilesIn(source_folder + "/tests/modules", ".spvasm");
  if (!files) return files.error();
  std::vector<TestModule> modules;
  for (const std::string& file : *files) {
    Result<LoadedModule> loaded = LoadModuleFile(file);
    if (!loaded) return loaded.error();
    modules.push_back({BaseName(file), std::move(loaded->words), nullptr});
  }
  return modules;
}

Result<std::vector<std::string>> ReferenceFiles(const std::string& folder) {
  Result<std::vector<std::string>> files = ListFiles(folder);
  if (!files) return files;
  std::erase_if(*files, [&](const std::string& file) {
    const std::filesystem::path within = std::filesystem::path(file).lexically_relative(folder);
    return !IsModuleFile(file) || *within.begin() == "drivers";
  });
  return files;
}

Result<std::vector<std::string>> SomeReferences(const std::string& source_folder) {
  constexpr size_t kSome = 12;
  const Result<std::vector<std::string>> modules = ReferenceFiles(source_folder + "/references");
  if (!modules) return modules;
  if (modules->empty()) return Error{source_folder + "/references: no modules"};
  std::vector<std::string> some;
  for (size_t i = 0; i < std::min(kSome, modules->size()); ++i) {
    some.push_back((*modules)[i * modules->size() / std::min(kSome, modules->size())]);
  }
  return some;
}

Result<std::vector<TestModule>> References(const std::string& source_folder) {
  const auto files = SomeReferences(source_folder);
  if (!files) return files.error();
  std::vector<TestModule> modules;
  for (const std::string& file : *files) {
    Result<LoadedModule> loaded = LoadModuleFile(file);
    if (!loaded) return loaded.error();
    const Result<std::shared_ptr<const Inputs>> inputs = LoadInputsOf(file);
    if (!inputs) return inputs.error();
    const TargetEnvironment environment = DefaultEnvironment(loaded->words[1]);
    for (const char* flag : {"-O", "-Os"}) {
      Result<std::vector<uint32_t>> optimised = Optimize(loaded->words, {flag}, environment);
      if (!optimised) return optimised.error();
      modules.push_back({BaseName(file) + " " + flag, std::move(*optimised), *inputs});
    }
    modules.push_back({BaseName(file), std::move(loaded->words), *inputs});
  }
  return modules;
}

Result<std::vector<Original>> Originals(const TestModule& module) {
  const Result<Module> read = ReadModule(module.words, module.name);
  if (!read) return read.error();
  std::vector<std::string> names;
  for (const EntryPoint& entry : EntryPoints(*read)) names.push_back(entry.name);
  if (names.size() < 2) names = {""};
  std::vector<Original> originals;
  for (const std::string& name : names) {
    OriginalOptions options;
    options.entry = name;
    Result<Original> original = MakeOriginal(module.words, module.name, module.inputs, options);
    if (!original) return original.error();
    originals.push_back(std::move(*original));
  }
  return originals;
}

}  // namespace refract
