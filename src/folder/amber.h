// SPDX-License-Identifier: Apache-2.0
// Writes a test folder as an AmberScript: a text file with shaders, inputs and expected outputs,
// for people who have Amber and not Refract (docs/export.md). This does not need Amber.
#pragma once

#include <string>

#include "base/result.h"
#include "folder/test_folder.h"

namespace refract {
inline namespace folder {

/// Options of AmberScriptOf.
struct AmberOptions {
  /// The text after "# Short description: ". Empty: a text for the verdict of the test. At most
  /// kMaxAmberDescription characters of printable ASCII.
  std::string description;
  /// The script has only the self-checking module of the folder (check.spv).
  bool self_checking = false;
};
inline constexpr size_t kMaxAmberDescription = 58;

/// The script for the test in `folder`. An error names what AmberScript cannot express (stages,
/// images, widths of specialisation constants, capabilities), or says that there is no check.spv.
Result<std::string> AmberScriptOf(const std::string& folder, const AmberOptions& options = {});

}  // namespace folder
}  // namespace refract
