// SPDX-License-Identifier: Apache-2.0
// `refract --version`: what this executable is made of.
#pragma once

#include <string>

namespace refract::inline cli {

/// Version, commit, build type and every library built in; a JSON object with `json`, else lines.
std::string VersionText(bool json);

}  // namespace refract::inline cli
