// SPDX-License-Identifier: Apache-2.0
// Packs files into one .tar.gz, which people attach to an issue. The same files give the same
// bytes: an archive has no owner, no date and no path of the machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract {
inline namespace folder {

struct ArchiveFile {
  std::string name;  ///< below the folder of the archive: "reduced.spv"
  std::string bytes;
};

/// The bytes of an archive with `files` in the folder `folder`, in this order. The error names a
/// path that is too long for the format (100 characters).
Result<std::string> TarGz(std::string_view folder, const std::vector<ArchiveFile>& files);

}  // namespace folder
}  // namespace refract
