// SPDX-License-Identifier: Apache-2.0
// All measurements of one reference, and the goals of the corpus that it misses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure/reference.h"
#include "measure/sensitivity.h"
#include "target/harness.h"

namespace refract::measure {

// The goals for each reference.
constexpr uint64_t kLeastLines = 60, kMostLines = 400;
constexpr uint64_t kLeastInstructions = 300, kLeastAssembly = 100;
constexpr uint64_t kLeastColours = 6, kLeastWords = 64;
constexpr double kMostOfOne = 60;            // percent of the image
constexpr double kMostShared = 100.0 / 3.0;  // percent of the lines
constexpr double kMostSeconds = 2;           // on lavapipe
constexpr double kLeastSensitivity = 70;     // percent
constexpr uint64_t kMinFaults = 100;         // fewer say too little about one reference

struct Measurement {
  std::string name, title;
  spv::ExecutionModel model = spv::ExecutionModel::Fragment;
  bool assembly = false;
  uint64_t lines = 0, instructions = 0;
  Variety variety;
  std::string verdict;
  std::vector<std::string> undefined;
  std::string varies_with;           ///< empty if deterministic
  uint64_t steps = 0;                ///< of the interpreter
  std::vector<std::string> goldens;  ///< file names
  std::string golden_fault;          ///< why they differ from what was drawn; empty if they do not
  std::map<std::string, double> seconds;  ///< by target that ran it
  std::map<std::string, std::string>
      missing_features;  ///< by target: features that it lacks and this needs
  std::map<std::string, std::string>
      differences;          ///< by target: how it differs from the interpreter
  std::string shares_with;  ///< the reference with most of its lines
  double shared_percent = 0;
  std::string shared_text;  ///< the lines that the other one has too, if asked for
  std::optional<Sensitivity> sensitivity;
  std::string fault;  ///< why it could not be measured; empty if it was
};

struct MeasureOptions {
  std::string goldens;  ///< the folder
  OriginalCheckOptions judge;
  bool bless = false;  ///< write the goldens instead of comparing with them
  std::vector<Target> targets;
  uint64_t faults = 0;  ///< 0: sensitivity is not measured
  std::string state;    ///< file with cached sensitivities; empty: none
};

/// Measures one reference, except for the lines that it shares with others.
Measurement Measure(const Reference& reference, const MeasureOptions& options, Harness& harness);

/// The goals that it misses, a sentence each.
std::vector<std::string> UnmetGoals(const Measurement& measured);

}  // namespace refract::measure
