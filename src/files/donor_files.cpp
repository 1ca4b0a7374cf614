// SPDX-License-Identifier: Apache-2.0
#include "files/donor_files.h"

#include <numeric>
#include <unordered_set>

#include "base/cache.h"
#include "base/check.h"
#include "base/file.h"
#include "base/packed.h"
#include "base/text.h"
#include "files/module_files.h"
#include "glsl/load.h"
#include "ir/binary.h"
#include "ir/tools.h"
#include "message/add_function.h"
#include "wire/message_list.h"

namespace refract {
inline namespace files {
namespace {

constexpr uint64_t kMaxFileBytes = uint64_t{256} << 20;

Result<Donor> TranslateDonor(const std::string& path, std::string_view bytes) {
  Result<LoadedModule> loaded = LoadModuleBytes(path, bytes);
  if (!loaded) return loaded.error();
  const Result<Module> module = ReadModule(loaded->words, path);
  if (!module) return module.error();
  const TargetEnvironment environment = UniversalEnvironment(module->version());
  if (const auto invalid = FindInvalidWithin(loaded->words, environment)) {
    return Error{
        format("{}: {}{}", path, invalid->unfinished ? "" : "not valid: ", OneLine(*invalid))};
  }
  Donor donor;
  AddDonors(*module, path, &donor.donors);
  donor.warnings = std::move(loaded->warnings);
  return donor;
}

// The form in the cache: the functions, the number of warnings, the warnings, and the name and
// reason of each function that was left out.
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
  Donor donor;
  donor.encoded = pieces->front();
  const auto first = pieces->begin() + 2, last = first + static_cast<std::ptrdiff_t>(warnings);
  donor.warnings.assign(first, last);
  for (auto at = last; at != pieces->end(); at += 2) {
    donor.donors.left_out.push_back({std::string(at[0]), std::string(at[1])});
  }
  return donor;
}

// Translating takes milliseconds, mostly to compile GLSL and to check whether the functions can be
// added. The cache keeps the result.
Result<Donor> ReadDonor(const std::string& path) {
  if (!IsModuleFile(path)) return LoadModuleBytes(path, {}).error();
  const Result<std::string> bytes = ReadFile(path, kMaxFileBytes);
  if (!bytes) return bytes.error();
  const Cache cache = Cache::OfUser("donors");
  const std::string key = Pack({path, *bytes});
  if (const auto encoded = cache.Get(key)) {
    if (auto donor = UnpackDonor(*encoded)) return std::move(*donor);
  }
  Result<Donor> donor = TranslateDonor(path, *bytes);
  if (!donor || !cache.is_on()) return donor;
  // protobuf cannot decode deeply nested types. Donors with such types are translated each time.
  const std::string packed = PackDonor(*donor);
  const auto again = UnpackDonor(packed);
  if (again && ReadMessages(again->encoded)) cache.Put(key, packed);
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
      return Error{
          format("{}: no such donor; --donors takes a module or a folder of modules", path)};
    }
    const Result<std::vector<std::string>> files = ListModuleFiles(path);
    if (!files) return files.error();
    for (const std::string& file : *files) result.push_back({file, file == path});
  }
  return result;
}

}  // namespace

Result<EncodedDonors> OpenDonorFiles(const std::vector<std::string>& paths,
                                     std::optional<uint64_t> seed) {
  const Result<std::vector<DonorFile>> files = ListDonorFiles(paths);
  if (!files) return files.error();
  EncodedDonors open;
  open.files = files->size();
  std::vector<size_t> chosen(files->size());
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  if (seed) chosen = ChooseDonors(*seed, files->size());
  for (const size_t i : chosen) {
    const DonorFile& file = (*files)[i];
    Result<Donor> donor = ReadDonor(file.path);
    if (!donor && file.is_named) return donor.error();
    if (!donor) {
      open.useless.push_back(donor.error().message);
      donor = Donor();
    } else if (donor->donors.functions.empty() && donor->encoded.empty()) {
      open.useless.push_back(file.path + ": no function of this file can be donated");
    }
    open.warnings.insert(open.warnings.end(), donor->warnings.begin(), donor->warnings.end());
    open.donors.push_back(std::move(*donor));
  }
  return open;
}

DonorFiles DecodeDonors(EncodedDonors open) {
  DonorFiles result;
  std::unordered_set<uint64_t> origins;
  for (Donor& donor : open.donors) {
    std::vector<AnyMessage> functions = std::move(donor.donors.functions);
    if (!donor.encoded.empty()) {
      auto encoded = ReadMessages(donor.encoded);
      CHECK(encoded);  // ReadDonor has checked it
      functions = std::move(*encoded);
    }
    for (const AnyMessage& function : functions) {
      const bool is_new = origins.insert(function.As<message::AddFunction>().origin).second;
      if (is_new) result.donors.functions.push_back(function);
    }
    for (LeftOut& one : donor.donors.left_out) result.donors.left_out.push_back(std::move(one));
    result.pool.Add(std::move(functions));
  }
  result.files = open.files;
  result.useless = std::move(open.useless);
  result.warnings = std::move(open.warnings);
  return result;
}

Result<DonorFiles> LoadDonors(const std::vector<std::string>& paths, std::optional<uint64_t> seed) {
  Result<EncodedDonors> open = OpenDonorFiles(paths, seed);
  if (!open) return open.error();
  return DecodeDonors(std::move(*open));
}

}  // namespace files
}  // namespace refract
