// SPDX-License-Identifier: Apache-2.0
// The tests that dedup selects from, and how they are found below a folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "signature/signature.h"

namespace refract {
inline namespace dedup {

/// A failing test: a test folder, or only a recording.
struct DedupTest {
  std::string path;                ///< the test folder, or the recording
  std::vector<std::string> types;  ///< step types, each once, sorted
  size_t steps = 0;
  /// Only for a test folder: the opcodes that its minimal difference adds and removes, "+OpISub",
  /// each once, sorted. Without declarations and opcodes that come with every block.
  std::vector<std::string> opcodes;
  bool reduced = true;  ///< false: the recording has all steps of the fuzz run
  // Only for a test folder:
  std::optional<FailureClass> verdict;
  std::string signature;
  std::string target;
};

/// The tests below a folder.
struct DedupTests {
  std::vector<DedupTest> tests;       ///< by path, in byte order
  std::vector<std::string> left_out;  ///< tests that cannot be read, "FILE: reason"
};

/// Finds every folder at or below `folder` with a test.json, and every .refract file that is in
/// none of these folders. Skips folders whose names end in .tmp, which are still being written.
/// Returns an error only if `folder` cannot be listed.
Result<DedupTests> FindTests(const std::string& folder);

}  // namespace dedup
}  // namespace refract
