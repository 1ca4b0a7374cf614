// SPDX-License-Identifier: Apache-2.0
// Describes the target on which a failure was seen: enough to find the same driver again, and
// nothing about whose machine it was.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "target/harness.h"

namespace refract {
inline namespace folder {

/// The description of a target.
struct TargetRecord {
  std::string name;     ///< "lavapipe"
  std::string kind;     ///< TargetKindName
  std::string version;  ///< one line, as `refract targets` prints it
  // Of a driver; for a command target, of the driver that draws the output of the tools, if it is
  // on this machine.
  std::string driver, driver_version, driver_info, device, api_version;
  std::string icd;  ///< file name of its ICD file
  /// The library of the driver and the programs of the tools, by file name, with their build-ids
  /// (empty: the file has none).
  std::vector<std::pair<std::string, std::string>> build_ids;
  /// Environment variables that change what drivers do: those of the target and those of this
  /// process.
  std::vector<std::pair<std::string, std::string>> environment;
};

/// Describes a target. The error is kUnavailable if the target is not on this machine.
Result<TargetRecord> DescribeTarget(const Target& target, Harness& harness);

/// `text` with each absolute path in it shortened to its last part.
std::string WithoutFolders(std::string_view text);

}  // namespace folder
}  // namespace refract
