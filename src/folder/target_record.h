// SPDX-License-Identifier: Apache-2.0
// What a target was when a bug was seen on it: enough to find the same driver again, nothing about
// whose machine it was.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "target/harness.h"

namespace refract::inline folder {

struct TargetRecord {
  std::string name;     ///< "lavapipe"
  std::string kind;     ///< TargetKindName
  std::string version;  ///< in one line, as `refract targets` has it
  // Of a driver; of a command target, of the driver that draws what the tools make.
  std::string driver, driver_version, driver_info, device, api_version;
  std::string icd;  ///< file name of its ICD file
  /// The driver's library and the tools' programs, by file name, with their build-ids (empty: the
  /// file has none).
  std::vector<std::pair<std::string, std::string>> build_ids;
  /// Variables that drivers listen to: those that the target sets, and those that were set.
  std::vector<std::pair<std::string, std::string>> environment;
};

/// Asks the target what it is. kUnavailable if it is not on this machine.
Result<TargetRecord> DescribeTarget(const Target& target, Harness& harness);

/// `text` with each absolute path in it cut down to its last part.
std::string WithoutFolders(std::string_view text);

}  // namespace refract::inline folder
