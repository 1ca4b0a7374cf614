// SPDX-License-Identifier: Apache-2.0
// `refract --version`: the versions of Refract and of its libraries.
#pragma once

#include <string>

namespace refract {
inline namespace cli {

/// Version, commit, build type and all libraries: a JSON object if `json`, otherwise lines of text.
std::string VersionText(bool json);

}  // namespace cli
}  // namespace refract
