// SPDX-License-Identifier: Apache-2.0
// README.md of a test folder: what a person reads first.
#pragma once

#include <string>
#include <vector>

#include "folder/test_folder.h"

namespace refract::inline folder {

/// `files` are the names of the others in the folder, `delta` the text of delta.diff, empty if
/// there is none.
std::string TestReadme(const TestRecord& record, const std::vector<std::string>& files,
                       const std::string& delta);

}  // namespace refract::inline folder
