// SPDX-License-Identifier: Apache-2.0
#include "cli/coverage_tests.h"

#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "cli/runnable_module.h"
#include "files/module_files.h"
#include "folder/file_names.h"
#include "glsl/load.h"

namespace refract {
inline namespace cli {
namespace {

std::string FolderOf(const std::string& file) {
  return std::filesystem::path(file).parent_path().string();
}

// The module of a test folder that fails.
std::string FailingModule(const std::string& folder) {
  for (const char* name : {"reduced.spv", "variant.spv"}) {
    if (FileExists(folder + "/" + name)) return folder + "/" + name;
  }
  return folder + "/original.spv";
}

bool IsOtherFileOfTest(const std::string& file) {
  const std::string folder = FolderOf(file);
  return FileExists(folder + "/" + std::string(kTestJson)) && file != FailingModule(folder);
}

}  // namespace

Result<std::vector<std::string>> ListCoverageTests(const std::vector<std::string>& paths) {
  std::vector<std::string> tests;
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    const Result<std::vector<std::string>> files = ListModuleFiles(path);
    if (!files) return files.error();
    for (const std::string& file : *files) {
      if (file != path && IsOtherFileOfTest(file)) continue;
      if (seen.insert(file).second) tests.push_back(file);
    }
  }
  if (tests.empty()) return Error{format("no {} file found", kModuleEndings)};
  return tests;
}

Result<Job> LoadCoverageTest(const std::string& file, uint64_t time_limit, Console& console) {
  RunnableModuleArguments given;
  given.time_limit = time_limit;
  given.is_valid = true;  // whether it is valid, the target says
  given.zero_inputs = true;
  given.usual_entry = kUsualEntry;
  const std::string inputs = ReplaceExtension(file, ".json");
  Result<RunnableModule> module =
      LoadRunnableModule("test", file, FileExists(inputs) ? inputs : "", given, console);
  if (!module) return module.error();
  return std::move(module->job);
}

}  // namespace cli
}  // namespace refract
