// SPDX-License-Identifier: Apache-2.0
// Donors from files and folders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "donate/donor_shelf.h"
#include "donate/donors.h"

namespace refract::inline cli {

/// What a file gives.
struct Donor {
  Donors donors;     ///< without functions where `kept` has them
  std::string kept;  ///< the functions as the cache keeps them; empty: donors has them
  std::vector<std::string> warnings;
};

/// Donors that were read, or found in the cache.
struct OpenDonors {
  std::vector<Donor> donors;          ///< by file, those that give nothing among them
  size_t files = 0;                   ///< how many there are, read or not
  std::vector<std::string> useless;   ///< "FILE: why": files that were read and give nothing
  std::vector<std::string> warnings;  ///< "FILE:LINE: ..." of the others
};

/// Opens the modules (.spv, .spvasm, .frag, .vert, .comp) that `paths` name and those in folders
/// among them, recursively in byte order; other files in folders are passed over. With `seed` only
/// those that the run with this seed has (DonorsOfRun) are read. A module that cannot be read or is
/// not valid is useless; the error is for a path that is not there, or a file that was named, is
/// read and is no module.
Result<OpenDonors> OpenDonorFiles(const std::vector<std::string>& paths,
                                  std::optional<uint64_t> seed = std::nullopt);

struct DonorFiles {
  Donors donors;     ///< of all files that were read
  DonorShelf shelf;  ///< the same by file
  size_t files = 0;  ///< these three as in OpenDonors
  std::vector<std::string> useless;
  std::vector<std::string> warnings;
};

/// Their functions. Decoding those takes longer than opening, so a run that may add none waits.
DonorFiles DecodeDonors(OpenDonors open);

/// Both.
Result<DonorFiles> LoadDonors(const std::vector<std::string>& paths,
                              std::optional<uint64_t> seed = std::nullopt);

}  // namespace refract::inline cli
