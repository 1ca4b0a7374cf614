// SPDX-License-Identifier: Apache-2.0
// All that is measured of a reference, and what of it is not as the corpus wants it.
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

// What is wanted of each reference.
constexpr uint64_t kLeastLines = 60, kMostLines = 400;
constexpr uint64_t kLeastInstructions = 300, kLeastAssembly = 100;
constexpr uint64_t kLeastColours = 6, kLeastWords = 64;
constexpr double kMostOfOne = 60;            // percent of the picture
constexpr double kMostShared = 100.0 / 3.0;  // percent of the lines
constexpr double kMostSeconds = 2;           // on lavapipe
constexpr double kLeastSensitivity = 70;     // percent
constexpr uint64_t kMinFaults = 100;         // fewer say too little of one reference

struct Measurement {
  std::string name, title;
  spv::ExecutionModel model = spv::ExecutionModel::Fragment;
  bool assembly = false;
  uint64_t lines = 0, instructions = 0;
  Variety variety;
  std::string verdict;
  std::vector<std::string> undefined;
  std::string varies_with;                ///< empty if deterministic
  uint64_t steps = 0;                     ///< of the interpreter
  std::vector<std::string> goldens;       ///< file names
  std::string golden_fault;               ///< why they are not what was drawn; empty if they are
  std::map<std::string, double> seconds;  ///< by target that ran it
  std::map<std::string, std::string>
      missing_features;  ///< by target: what it cannot do that this needs
  std::map<std::string, std::string>
      differences;          ///< by target: how it differs from the interpreter
  std::string shares_with;  ///< the reference with most of its lines
  double shared_percent = 0;
  std::string shared_text;  ///< which lines of it the other one has too, if asked for
  std::optional<Sensitivity> sensitivity;
  std::string fault;  ///< why it could not be measured; empty if it was
};

struct MeasureOptions {
  std::string goldens;  ///< the folder
  OriginalCheckOptions judge;
  bool bless = false;  ///< write the goldens instead of comparing with them
  std::vector<Target> targets;
  uint64_t faults = 0;  ///< 0: sensitivity is not measured
  std::string state;    ///< file of sensitivities measured before; empty: none
};

/// Measures one reference but for what it shares with others.
Measurement Measure(const Reference& reference, const MeasureOptions& options, Harness& harness);

/// What is not as wanted, a sentence each.
std::vector<std::string> UnmetGoals(const Measurement& measured);

}  // namespace refract::measure
