// SPDX-License-Identifier: Apache-2.0
// Prints measurements of the corpus: the goals for the whole corpus, and the page
// docs/references.md.
#pragma once

#include <string>
#include <vector>

#include "measure/donor_table.h"
#include "measure/measurement.h"

namespace refract::measure {

struct CorpusMeasurement {
  std::vector<Measurement> references;
  std::vector<DonorMeasurement> donors;
  std::vector<std::string> targets;  ///< "lavapipe: llvmpipe, Mesa ..."
};

/// A table of the goals for the whole corpus, each "reached" or "NOT REACHED". Sets `*reached` to
/// whether all are. The goal for sensitivity counts only if sensitivity was measured.
std::string Summary(const CorpusMeasurement& corpus, bool* reached);

/// The page: the goals, every reference with its image, every donor. `goldens` is the path of the
/// images relative to the page.
std::string Page(const CorpusMeasurement& corpus, const std::string& goldens);

/// One reference, for a terminal. `verbose` adds every fault that no output shows.
std::string Describe(const Measurement& measured, bool verbose);

}  // namespace refract::measure
