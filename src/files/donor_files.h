// SPDX-License-Identifier: Apache-2.0
// Donors from files and folders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "donate/donor_pool.h"
#include "donate/donors.h"

namespace refract {
inline namespace files {

/// The result of reading one file.
struct Donor {
  Donors donors;        ///< without functions if `encoded` has them
  std::string encoded;  ///< the functions in the form of the cache; empty: `donors` has them
  std::vector<std::string> warnings;
};

/// Donors that were read, or found in the cache.
struct EncodedDonors {
  std::vector<Donor> donors;          ///< one for each file, even if it gives no function
  size_t files = 0;                   ///< number of files, read or not
  std::vector<std::string> useless;   ///< "FILE: reason": files that were read and give no function
  std::vector<std::string> warnings;  ///< "FILE:LINE: ..." for the other files
};

/// Opens the modules (IsModuleFile) in `paths`. Searches folders recursively, in byte order, and
/// skips their other files. With `seed`, reads only the donors of the run with this seed
/// (ChooseDonors). A module that cannot be read or is not valid is `useless`. Fails if a path does
/// not exist, or if a file that the user named is read and is not a module.
Result<EncodedDonors> OpenDonorFiles(const std::vector<std::string>& paths,
                                     std::optional<uint64_t> seed = std::nullopt);

struct DonorFiles {
  Donors donors;     ///< from all files that were read
  DonorPool pool;    ///< the same, for each file
  size_t files = 0;  ///< this and the next two are as in EncodedDonors
  std::vector<std::string> useless;
  std::vector<std::string> warnings;
};

/// Decodes the functions. This takes longer than opening, so a run does it only before it adds one.
DonorFiles DecodeDonors(EncodedDonors open);

/// OpenDonorFiles and DecodeDonors.
Result<DonorFiles> LoadDonors(const std::vector<std::string>& paths,
                              std::optional<uint64_t> seed = std::nullopt);

}  // namespace files
}  // namespace refract
