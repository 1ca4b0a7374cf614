// SPDX-License-Identifier: Apache-2.0
// Measuring variants: fuzz, validate, replay and render many of them, and say what became of each.
// The slice that `make test` runs and the full numbers of `make soak` go through this code.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/donor_files.h"
#include "engine/fuzz.h"
#include "target/difference.h"
#include "target/harness.h"

namespace refract::measure {

/// A module that variants are made of, with what the targets draw for it.
struct VariantOriginal {
  std::string name;  ///< "column_sort -O"
  Original original;
  std::map<std::string, Outputs> outputs;  ///< by target
  /// How what variants leave is compared: exactly, unless the interpreter calls it less than exact.
  CompareRule rule = CompareRule::kExact;
  std::vector<BufferLayout> layouts;  ///< of the storage buffers
};

/// Every reference of a folder (GLSL and assembly), plain and after spirv-opt -O: made and run on
/// each target when first asked for, since a slice takes a few of many.
class VariantOriginals {
 public:
  /// With the donors of the folder `donors` beside it. `harness` must outlive this.
  static Result<VariantOriginals> Open(const std::string& folder, std::vector<Target> targets,
                                       Harness& harness);
  /// The subject of variant `index`: variants that follow one another have ones far apart.
  Result<const VariantOriginal*> Of(uint64_t index);
  const std::vector<AnyMessage>& donors() const { return donors_.donors.functions; }
  /// The functions that `refract fuzz` has in the run with this seed.
  std::vector<AnyMessage> DonorsOf(uint64_t seed) const { return donors_.pool.FunctionsOf(seed); }
  const std::vector<Target>& targets() const { return targets_; }

 private:
  VariantOriginals(std::vector<std::string> files, DonorFiles donors, std::vector<Target> targets,
                   Harness& harness)
      : files_(std::move(files)),
        donors_(std::move(donors)),
        targets_(std::move(targets)),
        harness_(&harness) {}
  Result<VariantOriginal> Make(size_t number) const;

  std::vector<std::string> files_;
  DonorFiles donors_;  // what variants may get functions of
  std::vector<Target> targets_;
  Harness* harness_;
  std::map<size_t, VariantOriginal> made_;
};

/// What became of one variant. Goes to the state file and back, so that a run can be resumed.
struct VariantOutcome {
  uint64_t index = 0;
  std::string subject;
  uint64_t seed = 0;
  uint64_t steps = 0;
  uint64_t words = 0;
  std::string fault;  ///< our own: invalid, or replays to other bytes; empty if none
  std::map<std::string, std::string> targets;  ///< "same", "different", "crash", ...
  std::map<std::string, TypeStatistics> types;
};

std::string ToLine(const VariantOutcome& outcome);
std::optional<VariantOutcome> FromLine(const std::string& line);

struct VariantFiles {
  std::vector<uint32_t> words;
  std::string recording;
  std::map<std::string, Image> pictures;  ///< by target; of what draws one
};

/// Variant `index` of its subject: seed index + 1. `files` gets what it takes to look into it.
VariantOutcome MeasureVariant(uint64_t index, const VariantOriginal& subject,
                              const VariantOriginals& subjects, bool all_passes, Harness& harness,
                              VariantFiles* files);

}  // namespace refract::measure
