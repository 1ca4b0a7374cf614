// SPDX-License-Identifier: Apache-2.0
// Which build of a driver or tool a file is: the id that its linker put into the file (the ELF note
// NT_GNU_BUILD_ID). Distributions keep debug symbols by this id.
#pragma once

#include <string>

namespace refract {
inline namespace folder {

/// The build-id in hexadecimal digits. Empty if the file cannot be read, is not an ELF file or has
/// no build-id.
std::string BuildIdOf(const std::string& file);

/// The path of the library that an ICD file names. Empty if it is not found. A name without a
/// folder is searched in the usual folders of the dynamic linker.
std::string LibraryOfIcd(const std::string& icd_file);

}  // namespace folder
}  // namespace refract
