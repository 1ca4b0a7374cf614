// SPDX-License-Identifier: Apache-2.0
// Which build of a driver or tool a file is: the id that its linker put into it (the ELF note
// NT_GNU_BUILD_ID), by which distributions keep debug symbols.
#pragma once

#include <string>

namespace refract::inline folder {

/// In hexadecimal digits; empty if the file cannot be read, is no ELF file or has none.
std::string BuildIdOf(const std::string& file);

/// The path of the library that an ICD file names; empty if it cannot be told. A bare name is
/// looked for where the dynamic linker usually does.
std::string LibraryOfIcd(const std::string& icd_file);

}  // namespace refract::inline folder
