// SPDX-License-Identifier: Apache-2.0
// A test folder as an AmberScript: one text file with shaders, inputs and what must come out, for
// people who have Amber and not this tool (docs/export.md). Amber itself is not needed to write it.
#pragma once

#include <string>

#include "base/result.h"
#include "folder/test_folder.h"

namespace refract::inline folder {

struct AmberOptions {
  /// The line "# Short description: "; empty: one that suits the verdict. At most
  /// kMaxAmberDescription characters of printable ASCII.
  std::string description;
};
inline constexpr size_t kMaxAmberDescription = 58;

/// The script of the test in `folder`. What Amber cannot say (stages, images, widths of
/// specialisation constants, capabilities) is bad input; the error names it.
Result<std::string> AmberScriptOf(const std::string& folder, const AmberOptions& options = {});

}  // namespace refract::inline folder
