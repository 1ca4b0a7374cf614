// SPDX-License-Identifier: Apache-2.0
// A test folder as a test of the conformance suite: an AmberScript that checks itself against
// values that the specifications require, with the header and comments that the suite expects.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace refract {
inline namespace cts {

struct CtsTestOptions {
  std::string name;         ///< empty: a name from the stage, the failure and the content
  std::string copyright;    ///< the line after "# " at the top: "Copyright 2026 The Authors"
  std::string description;  ///< as AmberOptions::description
  std::string spirv_cross;  ///< the program that writes GLSL; empty: the script has no GLSL
};

struct CtsTest {
  std::string folder;  ///< the test folder, for errors
  std::string name;
  std::string description;  ///< one line
  std::string text;         ///< of NAME.amber
  /// What a device must have, in the form of the index: extensions, "Features.shaderInt64",
  /// "FloatControlsProperties....". Sorted.
  std::vector<std::string> requirements;
};

/// An error if `name` is no name for a test: lower-case letters, digits and single hyphens between
/// them, at most 100 characters.
Status CheckTestName(const std::string& name);
/// An error if `line` is not one line of printable ASCII that begins with "Copyright".
Status CheckCopyright(const std::string& line);

/// The test for a test folder. A folder with check.spv gives that module. Any other folder gives
/// the failing module with the values that it must output. Errors: the folder cannot be read,
/// AmberScript cannot express it, or its outputs are not certain.
Result<CtsTest> MakeCtsTest(const std::string& folder, const CtsTestOptions& options);

/// The statements of a script, without comments and empty lines: two scripts with the same
/// statements are the same test.
std::string StatementsOf(const std::string& script);

/// The test folders in `path`: itself if it has a test.json, else all below it, sorted. Muted
/// buckets of a campaign and its own_errors are left out. A path without test folders is an error.
Result<std::vector<std::string>> FindTestFolders(const std::string& path);

}  // namespace cts
}  // namespace refract
