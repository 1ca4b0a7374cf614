// SPDX-License-Identifier: Apache-2.0
#include "cli/donor_files.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/module_files.h"
#include "glsl/load.h"
#include "ir/binary.h"
#include "ir/tools.h"

namespace refract {
namespace {

Result<Module> ReadDonor(const std::string& path, std::vector<std::string>* warnings) {
  Result<LoadedModule> loaded = LoadModuleFile(path);
  if (!loaded) return loaded.error();
  Result<Module> module = ReadModule(loaded->words, path);
  if (!module) return module.error();
  const TargetEnvironment environment = UniversalEnvironment(module->version());
  if (const auto invalid = FindInvalidWithin(loaded->words, environment)) {
    return Error{
        format("{}: {}{}", path, invalid->unfinished ? "" : "not valid: ", OneLine(*invalid))};
  }
  warnings->insert(warnings->end(), loaded->warnings.begin(), loaded->warnings.end());
  return module;
}

}  // namespace

Result<DonorFiles> LoadDonors(const std::vector<std::string>& paths) {
  DonorFiles result;
  for (const std::string& path : paths) {
    if (!FileExists(path)) {
      return Error{format("{}: no such donor; --donors wants a module or a folder of them", path)};
    }
    const Result<std::vector<std::string>> files = ListModuleFiles(path);
    if (!files) return files.error();
    for (const std::string& file : *files) {
      const Result<Module> module = ReadDonor(file, &result.warnings);
      if (!module) {
        if (file == path) return module.error();
        result.useless.push_back(module.error().message);
      } else if (!AddDonors(*module, file, &result.donors)) {
        result.useless.push_back(file + ": no function of it can be donated");
      }
    }
  }
  return result;
}

}  // namespace refract
