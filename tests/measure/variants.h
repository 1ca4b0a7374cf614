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
#include "engine/fuzz.h"
#include "harness/harness.h"

namespace refract::measure {

/// A module that variants are made of, with what the targets draw for it.
struct Subject {
  std::string name;  ///< "column_sort -O"
  Original original;
  std::vector<AnyMessage> donors;         ///< functions that variants may get
  std::map<std::string, Image> pictures;  ///< by target
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

/// Every `references/*.frag`, plain and after spirv-opt -O, drawn once on each target; with the
/// donors of the folder `donors` beside it.
Result<std::vector<Subject>> LoadSubjects(const std::string& folder,
                                          const std::vector<Target>& targets, Harness& harness);

struct VariantFiles {
  std::vector<uint32_t> words;
  std::string recording;
  std::map<std::string, Image> pictures;
};

/// Variant `index` of the subject: seed index + 1. `files` gets what it takes to look into it.
VariantOutcome MeasureVariant(uint64_t index, const Subject& subject, bool all_passes,
                              const std::vector<Target>& targets, Harness& harness,
                              VariantFiles* files);

}  // namespace refract::measure
