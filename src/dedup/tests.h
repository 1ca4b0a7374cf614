// SPDX-License-Identifier: Apache-2.0
// The tests among which dedup chooses, and how they are found below a folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "signature/signature.h"

namespace refract::inline dedup {

struct DedupTest {
  std::string path;                ///< the test folder, or the recording
  std::vector<std::string> types;  ///< of its steps, each once, sorted
  size_t steps = 0;
  /// Of a test folder: what its minimal difference adds and removes, "+OpISub", each once, sorted;
  /// no declarations and nothing that comes with every block.
  std::vector<std::string> opcodes;
  bool reduced = true;  ///< false: the recording is that of the whole fuzz run
  // Of a test folder:
  std::optional<FailureClass> verdict;
  std::string signature;
  std::string target;
};

struct DedupTests {
  std::vector<DedupTest> tests;       ///< by path, in byte order
  std::vector<std::string> left_out;  ///< what could not be read: FILE: why
};

/// Every folder at or below `folder` with a test.json, and every .refract file that is in none of
/// these. Folders whose names end in .tmp are being written. An error only if `folder` cannot be
/// listed.
Result<DedupTests> FindTests(const std::string& folder);

}  // namespace refract::inline dedup
