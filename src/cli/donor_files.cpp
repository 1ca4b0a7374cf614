// SPDX-License-Identifier: Apache-2.0
#include "cli/donor_files.h"

#include <unordered_set>

#include "base/cache.h"
#include "base/file.h"
#include "base/packed.h"
#include "base/text.h"
#include "cli/module_files.h"
#include "glsl/load.h"
#include "ir/binary.h"
#include "ir/tools.h"
#include "message/add_function.h"
#include "wire/message_list.h"

namespace refract {
namespace {

constexpr uint64_t kMaxFileBytes = uint64_t{256} << 20;

// What a file gives.
struct Donor {
  Donors donors;
  std::vector<std::string> warnings;
};

Result<Donor> TranslateDonor(const std::string& path, std::string_view bytes) {
  Result<LoadedModule> loaded = LoadModuleBytes(path, bytes);
  if (!loaded) return loaded.error();
  const Result<Module> module = ReadModule(loaded->words, path);
  if (!module) return module.error();
  const TargetEnvironment environment = UniversalEnvironment(module->version());
  if (const auto invalid = FindInvalid(loaded->words, environment)) {
    return Error{format("{}: not valid: {}", path, OneLine(*invalid))};
  }
  Donor donor;
  AddDonors(*module, path, &donor.donors);
  donor.warnings = std::move(loaded->warnings);
  return donor;
}

// As kept: the functions, how many warnings, these, and of each that was left out name and reason.
std::string PackDonor(const Donor& donor) {
  const std::string functions = WriteMessages(donor.donors.functions);
  const std::string warnings = std::to_string(donor.warnings.size());
  std::vector<std::string_view> pieces = {functions, warnings};
  pieces.insert(pieces.end(), donor.warnings.begin(), donor.warnings.end());
  for (const LeftOut& one : donor.donors.left_out) {
    pieces.insert(pieces.end(), {one.function, one.reason});
  }
  return Pack(pieces);
}

std::optional<Donor> UnpackDonor(std::string_view packed) {
  const auto pieces = Unpack(packed);
  uint64_t warnings = 0;
  if (!pieces || pieces->size() < 2 || !ParseNumber((*pieces)[1], &warnings)) return std::nullopt;
  if (warnings > pieces->size() - 2 || (pieces->size() - warnings) % 2 != 0) return std::nullopt;
  auto functions = ReadMessages(pieces->front());
  if (!functions) return std::nullopt;
  Donor donor;
  donor.donors.functions = std::move(*functions);
  const auto first = pieces->begin() + 2, last = first + static_cast<std::ptrdiff_t>(warnings);
  donor.warnings.assign(first, last);
  for (auto at = last; at != pieces->end(); at += 2) {
    donor.donors.left_out.push_back({std::string(at[0]), std::string(at[1])});
  }
  return donor;
}

// Translating takes milliseconds, most of them for GLSL and for asking whether the functions can
// be added: what it gave is kept.
Result<Donor> ReadDonor(const std::string& path) {
  if (!IsModuleFile(path)) return LoadModuleBytes(path, {}).error();
  const Result<std::string> bytes = ReadFile(path, kMaxFileBytes);
  if (!bytes) return bytes.error();
  const Cache cache = Cache::OfUser("donors");
  const std::string key = Pack({path, *bytes});
  if (const auto kept = cache.Get(key)) {
    if (auto donor = UnpackDonor(*kept)) return std::move(*donor);
  }
  Result<Donor> donor = TranslateDonor(path, *bytes);
  if (donor) cache.Put(key, PackDonor(*donor));
  return donor;
}

struct DonorFile {
  std::string path;
  bool is_named = false;  // by the user; otherwise found in a folder
};

Result<std::vector<DonorFile>> ListDonorFiles(const std::vector<std::string>& paths) {
  std::vector<DonorFile> result;
  for (const std::string& path : paths) {
    if (!FileExists(path)) {
      return Error{format("{}: no such donor; --donors wants a module or a folder of them", path)};
    }
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
    Result<Donor> donor = ReadDonor(file.path);
    if (!donor && file.is_named) return donor.error();
    if (!donor) {
      result_.useless.push_back(donor.error().message);
      donor = Donor();
    } else if (donor->donors.functions.empty()) {
      result_.useless.push_back(file.path + ": no function of it can be donated");
    }
    result_.warnings.insert(result_.warnings.end(), donor->warnings.begin(), donor->warnings.end());
    Add(std::move(donor->donors));
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

Result<size_t> CountDonors(const std::vector<std::string>& paths) {
  const Result<std::vector<DonorFile>> files = ListDonorFiles(paths);
  if (!files) return files.error();
  return files->size();
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
