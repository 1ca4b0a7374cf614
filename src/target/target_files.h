// SPDX-License-Identifier: Apache-2.0
// Reads the target files that a user names. Each describes a driver or commands.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "target/command_target.h"
#include "target/driver_file.h"

namespace refract {
inline namespace target {

struct TargetFiles {
  std::vector<CommandTarget> commands;
  std::vector<DriverFile> drivers;
  std::map<std::string, std::string> file_of;  ///< the file of each target, by name
};

/// Reads every file of `paths`, and every *.json directly in a folder of `paths`. Two targets of
/// the same name are an error.
Result<TargetFiles> ReadTargetFiles(const std::vector<std::string>& paths);

/// Returns whether `path` is a file that describes a target, or a folder with such a file, as
/// --target-file takes it. An ICD file does not describe a target.
bool DescribesTargets(const std::string& path);

}  // namespace target
}  // namespace refract
