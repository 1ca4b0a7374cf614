// SPDX-License-Identifier: Apache-2.0
// README.md of a test folder: the page that a person reads first.
#pragma once

#include <string>
#include <vector>

#include "folder/test_folder.h"

namespace refract {
inline namespace folder {

/// The text of README.md. `files` are the names of the other files in the folder, `delta` is the
/// text of delta.diff (empty if not found).
std::string TestReadme(const TestRecord& record, const std::vector<std::string>& files,
                       const std::string& delta);

}  // namespace folder
}  // namespace refract
