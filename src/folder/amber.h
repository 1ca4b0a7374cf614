// SPDX-License-Identifier: Apache-2.0
// Writes a test folder as an AmberScript: a text file with shaders, inputs and expected outputs,
// for people who have Amber and not Refract (docs/export.md). This does not need Amber.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "folder/amber_requirements.h"
#include "folder/test_folder.h"
#include "ir/words.h"

namespace refract {
inline namespace folder {

/// Options of AmberScriptOf.
struct AmberOptions {
  /// The text after "# Short description: ". Empty: a text for the verdict of the test. At most
  /// kMaxAmberDescription characters of printable ASCII.
  std::string description;
  /// The script has only the self-checking module of the folder (check.spv).
  bool self_checking = false;
  /// The outputs must be checked against values that the specifications require: an error if no
  /// value is certain, or if only the outputs of two modules could be compared.
  bool only_values = false;
};
inline constexpr size_t kMaxAmberDescription = 58;

/// A shader under test in a script.
struct ScriptShader {
  std::string name;  ///< in the script: "variant_shader"
  spv::ExecutionModel stage = spv::ExecutionModel::Fragment;
  std::string entry;
  std::vector<uint32_t> words;
};

/// The parts of a script.
struct AmberScript {
  TestRecord record;
  std::string description;
  uint32_t version = 0;  ///< the newest SPIR-V version of its shaders
  AmberRequirements needs;
  std::vector<ScriptShader> shaders;  ///< those that came from modules, in order
  std::string body;  ///< everything after the header: requirements, declarations, commands, checks
};

/// The parts of the script for the test in `folder`. An error names what AmberScript cannot express
/// (stages, images, widths of specialisation constants, capabilities), or says that there is no
/// check.spv.
Result<AmberScript> AmberPartsOf(const std::string& folder, const AmberOptions& options = {});

/// The script for the test in `folder`, with a header that says where the failure was found. Errors
/// as of AmberPartsOf.
Result<std::string> AmberScriptOf(const std::string& folder, const AmberOptions& options = {});

}  // namespace folder
}  // namespace refract
