// SPDX-License-Identifier: Apache-2.0
// Ranges of versions, by which known issues say which versions of a tool have a bug.
#pragma once

#include <string>
#include <string_view>

namespace refract {
inline namespace campaign {

/// The version number in what a program prints with --version: the first numbers with dots between
/// them. "SPIRV-Tools v2023.1 unknown hash" is "2023.1". Empty if not found.
std::string VersionNumberIn(std::string_view text);

/// Whether `range` is conditions with blanks between them: ">=2022.4 <2023.2". A condition is a
/// version after <, <=, >, >= or =. A version alone means =.
bool IsVersionRange(std::string_view range);

/// Whether all conditions of a range hold for a version number. No condition holds for an empty
/// version. Numbers that are missing at the end are 0.
bool IsInVersionRange(std::string_view version, std::string_view range);

}  // namespace campaign
}  // namespace refract
