// SPDX-License-Identifier: Apache-2.0
// The version of this refract, which recordings, test folders and measurements contain.
// cmake/version.cmake generates the definitions.
#pragma once

namespace refract {
inline namespace base {

/// For example "1.0.0". A recording of another version is either replayed or refused with an error
/// that names the versions.
const char* ToolVersion();
/// The commit from which refract was built, with "-dirty" at its end if files had been changed;
/// "unknown" without git.
const char* ToolCommit();
/// "Release", "Debug" or "Debug+sanitizers".
const char* ToolBuildType();

}  // namespace base
}  // namespace refract
