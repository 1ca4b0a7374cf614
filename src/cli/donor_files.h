// SPDX-License-Identifier: Apache-2.0
// Donors from files and folders.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "pass/donors.h"

namespace refract {

struct DonorFiles {
  Donors donors;
  std::vector<std::string> useless;   ///< "FILE: why": files that gave nothing
  std::vector<std::string> warnings;  ///< "FILE:LINE: ..." of the others
};

/// Reads the modules (.spv, .spvasm, .frag, .vert, .comp) that `paths` name and those in folders
/// among them, recursively in byte order; other files in folders are passed over. A module that
/// cannot be read or is not valid is useless; the error is for a path that is not there, or a file
/// that was named and is no module.
Result<DonorFiles> LoadDonors(const std::vector<std::string>& paths);

}  // namespace refract
