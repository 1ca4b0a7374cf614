// SPDX-License-Identifier: Apache-2.0
#include "cli/donor_files.h"

#include <unordered_set>

#include "base/file.h"
#include "base/text.h"
#include "cli/module_files.h"
#include "glsl/load.h"
#include "ir/binary.h"
#include "ir/tools.h"
#include "message/add_function.h"

namespace refract {
namespace {

Result<Module> ReadDonor(const std::string& path, std::vector<std::string>* warnings) {
  Result<LoadedModule> loaded = LoadModuleFile(path);
  if (!loaded) return loaded.error();
  Result<Module> module = ReadModule(loaded->words, path);
  if (!module) return module.error();
  const TargetEnvironment environment = UniversalEnvironment(module->version());
  if (const auto invalid = FindInvalid(loaded->words, environment)) {
    return Error{format("{}: not valid: {}", path, OneLine(*invalid))};
  }
  warnings->insert(warnings->end(), loaded->warnings.begin(), loaded->warnings.end());
  return module;
}

struct DonorFile {
  std::string path;
  bool is_named = false;  // by the user; otherwise found in a folder
};

Result<std::vector<DonorFile>> ListDonorFiles(const std::vector<std::string>& paths) {
  if (Status there = CheckDonorPaths(paths); !there) return there.error();
  std::vector<DonorFile> result;
  for (const std::string& path : paths) {
    const Result<std::vector<std::string>> files = ListModuleFiles(path);
    if (!files) return files.error();
    for (const std::string& file : *files) result.push_back({file, file == path});
  }
  return result;
}

class Loader {
 public:
  // The error is for the user who named the file.
  Status Add(const DonorFile& file) {
    const Result<Module> module = ReadDonor(file.path, &result_.warnings);
    if (!module && file.is_named) return module.error();
    Donors donors;
    if (!module) {
      result_.useless.push_back(module.error().message);
    } else if (!AddDonors(*module, file.path, &donors)) {
      result_.useless.push_back(file.path + ": no function of it can be donated");
    }
    Add(std::move(donors));
    return {};
  }
  DonorFiles Take() { return std::move(result_); }

 private:
  void Add(Donors donors) {
    for (const AnyMessage& function : donors.functions) {
      const bool is_new = origins_.insert(function.As<message::AddFunction>().origin).second;
      if (is_new) result_.donors.functions.push_back(function);
    }
    for (LeftOut& one : donors.left_out) result_.donors.left_out.push_back(std::move(one));
    result_.shelf.Add(std::move(donors.functions));
  }

  DonorFiles result_;
  std::unordered_set<uint64_t> origins_;
};

}  // namespace

Status CheckDonorPaths(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (!FileExists(path)) {
      return Error{format("{}: no such donor; --donors wants a module or a folder of them", path)};
    }
  }
  return {};
}

Result<DonorFiles> LoadDonors(const std::vector<std::string>& paths, std::optional<uint64_t> seed) {
  const Result<std::vector<DonorFile>> files = ListDonorFiles(paths);
  if (!files) return files.error();
  std::vector<size_t> chosen;
  if (seed) {
    chosen = DonorsOfRun(*seed, files->size());
  } else {
    for (size_t i = 0; i < files->size(); ++i) chosen.push_back(i);
  }
  Loader loader;
  for (const size_t i : chosen) {
    if (Status added = loader.Add((*files)[i]); !added) return added.error();
  }
  DonorFiles result = loader.Take();
  result.files = files->size();
  return result;
}

}  // namespace refract
