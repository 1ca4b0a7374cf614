// SPDX-License-Identifier: Apache-2.0
// Commands that a person can type again.
#pragma once

#include <string>
#include <vector>

namespace refract {
inline namespace base {

/// `arguments` as a line for a POSIX shell, quoted where needed.
std::string ShellLine(const std::vector<std::string>& arguments);

}  // namespace base
}  // namespace refract
