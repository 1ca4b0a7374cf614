// SPDX-License-Identifier: Apache-2.0
// What was measured of the corpus as text: what is wanted of the whole and reached, and the page
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

/// A table of numbers wanted of the whole corpus, "reached" or "NOT REACHED" each; `*reached` is
/// whether all are. Sensitivity counts where any was measured.
std::string Summary(const CorpusMeasurement& corpus, bool* reached);

/// The page: summary, every reference with its picture, every donor. `goldens` is where pictures
/// are, seen from the page.
std::string Page(const CorpusMeasurement& corpus, const std::string& goldens);

/// One reference for a terminal. With `verbose` every fault that nothing shows.
std::string Describe(const Measurement& measured, bool verbose);

}  // namespace refract::measure
