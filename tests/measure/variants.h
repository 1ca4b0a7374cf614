// SPDX-License-Identifier: Apache-2.0
// Measures variants: fuzzes, validates, replays and renders many of them, and records the outcomes.
// `make test` runs a slice, and `make soak` all of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/fuzz.h"
#include "files/donor_files.h"
#include "target/difference.h"
#include "target/harness.h"

namespace refract::measure {

/// A module from which variants are made, with its outputs on the targets.
struct VariantOriginal {
  std::string name;  ///< "column_sort -O"
  Original original;
  std::map<std::string, Outputs> outputs;  ///< by target
  /// How outputs of variants are compared: exactly, unless the interpreter's verdict is weaker.
  CompareRule rule = CompareRule::kExact;
  std::vector<BufferLayout> layouts;  ///< of the storage buffers
};

/// Every reference of a folder (GLSL and assembly), plain and after spirv-opt -O. Each is made and
/// run on each target when it is first used, because a slice uses only a few of them.
class VariantOriginals {
 public:
  /// Opens `folder`, with the donors of the folder `donors` next to it. `harness` must outlive
  /// this.
  static Result<VariantOriginals> Open(const std::string& folder, std::vector<Target> targets,
                                       Harness& harness);
  /// The original of variant `index`. Consecutive variants have originals that are far apart.
  Result<const VariantOriginal*> Of(uint64_t index);
  const std::vector<AnyMessage>& donors() const { return donors_.donors.functions; }
  /// The donated functions that `refract fuzz` would use with this seed.
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
  DonorFiles donors_;  // functions for variants
  std::vector<Target> targets_;
  Harness* harness_;
  std::map<size_t, VariantOriginal> made_;
};

/// The outcome of one variant. Written to the state file and read back, so that a run can be
/// resumed.
struct VariantOutcome {
  uint64_t index = 0;
  std::string subject;
  uint64_t seed = 0;
  uint64_t steps = 0;
  uint64_t words = 0;
  std::string fault;  ///< a fault of Refract: invalid, or replays to other bytes; empty if none
  std::map<std::string, std::string> targets;  ///< "same", "different", "crash", ...
  std::map<std::string, TypeStatistics> types;
};

std::string ToLine(const VariantOutcome& outcome);
std::optional<VariantOutcome> FromLine(const std::string& line);

struct VariantFiles {
  std::vector<uint32_t> words;
  std::string recording;
  std::map<std::string, Image> pictures;  ///< by target, for targets that draw
};

/// Measures variant `index` of its original, made with `options`, but with seed index + 1 and the
/// donors of `subjects`. `files` gets the files to investigate it.
VariantOutcome MeasureVariant(uint64_t index, const VariantOriginal& subject,
                              const VariantOriginals& subjects, FuzzOptions options,
                              Harness& harness, VariantFiles* files);

}  // namespace refract::measure
