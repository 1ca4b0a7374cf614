// SPDX-License-Identifier: Apache-2.0
#include "measure/donor_table.h"

#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "donate/donors.h"
#include "glsl/load.h"
#include "ir/binary.h"
#include "ir/tools.h"
#include "measure/optimised.h"
#include "message/add_function.h"

namespace refract::measure {
namespace {

constexpr uint64_t kLeastLines = 40, kLeastFunctions = 2;

Status MeasureForm(const std::vector<uint32_t>& words, const std::string& file, DonorForm* form) {
  const Result<Module> module = ReadModule(words, file);
  if (!module) return module.error();
  const TargetEnvironment environment = UniversalEnvironment(module->version());
  if (const auto invalid = FindInvalid(words, environment)) {
    return Error{format("{}: not valid: {}", file, OneLine(*invalid))};
  }
  ForEachFunction(*module, [&](Function function) {
    form->functions += (*module)[function].first != Block::kNone;
  });
  Donors donors;
  AddDonors(*module, file, &donors);
  std::set<std::string> left_out;
  for (const LeftOut& one : donors.left_out) {
    if (left_out.insert(one.function).second) ++form->reasons[one.reason];
  }
  form->taken = form->functions - std::min<uint64_t>(form->functions, left_out.size());
  for (const AnyMessage& any : donors.functions) {
    form->live_safe += any.As<message::AddFunction>().live_safe;
  }
  return {};
}

Status MeasureOne(const std::string& path, DonorMeasurement* donor) {
  const Result<std::string> source = ReadFile(path);
  if (!source) return source.error();
  donor->lines = static_cast<uint64_t>(std::count(source->begin(), source->end(), '\n'));
  const Result<LoadedModule> loaded = LoadModuleFile(path);
  if (!loaded) return loaded.error();
  if (Status plain = MeasureForm(loaded->words, path, &donor->plain); !plain) return plain;
  const Result<std::vector<uint32_t>> optimised = Optimised(loaded->words, path);
  if (!optimised) return optimised.error();
  return MeasureForm(*optimised, path + " -O", &donor->optimised);
}

}  // namespace

Result<std::vector<DonorMeasurement>> MeasureDonors(const std::string& folder) {
  const Result<std::vector<std::string>> files = ListFiles(folder);
  if (!files) return files.error();
  std::vector<DonorMeasurement> donors;
  for (const std::string& file : *files) {
    if (!IsModuleFile(file)) continue;
    DonorMeasurement donor;
    donor.file = file.substr(folder.size() + 1);
    if (Status measured = MeasureOne(file, &donor); !measured) {
      donor.fault = measured.error().message;
    }
    donors.push_back(std::move(donor));
  }
  return donors;
}

std::vector<std::string> UnmetGoals(const DonorMeasurement& donor) {
  if (!donor.fault.empty()) return {donor.fault};
  std::vector<std::string> complaints;
  if (donor.lines < kLeastLines) {
    complaints.push_back(format("{} lines, wanted {}", donor.lines, kLeastLines));
  }
  if (donor.plain.functions < kLeastFunctions) {
    complaints.push_back(format("{} functions, wanted {}", donor.plain.functions, kLeastFunctions));
  }
  if (donor.plain.live_safe + donor.optimised.live_safe == 0) {
    complaints.push_back("no function of it can be made live-safe");
  }
  return complaints;
}

}  // namespace refract::measure
